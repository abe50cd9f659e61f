//! One row of the table of comparisons: a comparison without its type.

use crate::diff::{finished, mapped, merged, planned};
use crate::{CompareRuns, DiffSide, Result, Trace};
use polars::prelude::DataFrame;

/// Merges partial results of a plan.
type Merging = fn(&str, &[&[u8]]) -> Result<Vec<u8>>;

/// One comparison, without its type. A plan is its JSON text.
#[derive(Clone, Copy)]
pub struct ComparisonEntry {
    /// The name.
    pub name: &'static str,
    /// One line on what it compares.
    pub summary: &'static str,
    map: fn(&str, DiffSide, usize, &Trace) -> Result<Vec<u8>>,
    merge: Merging,
    finish: fn(&str, &[u8]) -> Result<DataFrame>,
}

impl ComparisonEntry {
    /// Creates the row of a comparison.
    pub const fn of<C: CompareRuns>() -> Self {
        Self {
            name: C::NAME,
            summary: C::SUMMARY,
            map: |plan, side, run, rank| mapped(&planned::<C>(plan)?, side, run, rank),
            merge: |plan, states| merged(&planned::<C>(plan)?, states),
            finish: |plan, state| C::frame(finished(&planned::<C>(plan)?, state)?),
        }
    }

    /// Computes the partial result of one rank of the run at place `run` of a side.
    ///
    /// # Errors
    /// [`Error::WrongState`](crate::Error::WrongState) if the plan is none of this comparison; as [`CompareRuns::map`].
    pub fn map(&self, plan: &str, side: DiffSide, run: usize, rank: &Trace) -> Result<Vec<u8>> {
        (self.map)(plan, side, run, rank)
    }

    /// Merges partial results of one plan. None at all give that of no rank.
    ///
    /// # Errors
    /// [`Error::WrongState`](crate::Error::WrongState) if one is damaged, or of another version or plan.
    pub fn merge(&self, plan: &str, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        let states: Vec<&[u8]> = states.iter().map(AsRef::as_ref).collect();
        (self.merge)(plan, &states)
    }

    /// Makes the rows of the answer from the merged partial result of all ranks.
    ///
    /// # Errors
    /// As [`ComparisonEntry::merge`].
    pub fn finish(&self, plan: &str, state: &[u8]) -> Result<DataFrame> {
        (self.finish)(plan, state)
    }
}
