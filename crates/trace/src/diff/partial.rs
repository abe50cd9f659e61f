//! One row of the table of comparisons: a comparison without its type.

use super::api::CompareRuns;
use crate::exec::checkpoint::guarded;
use crate::state::{opened, sealed};
use crate::{DiffSide, Error, Result, Trace};
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
    /// [`Error::WrongState`] if the plan is none of this comparison; as [`CompareRuns::map`].
    pub fn map(&self, plan: &str, side: DiffSide, run: usize, rank: &Trace) -> Result<Vec<u8>> {
        (self.map)(plan, side, run, rank)
    }

    /// Merges partial results of one plan. None at all give that of no rank.
    ///
    /// # Errors
    /// [`Error::WrongState`] if one is damaged, or of another version or plan.
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

fn planned<C: CompareRuns>(plan: &str) -> Result<C> {
    serde_json::from_str(plan).map_err(|error| Error::WrongState {
        question: C::NAME.to_owned(),
        reason: format!("its plan cannot be read ({error})"),
    })
}

/// Computes the partial result of one rank, as bytes.
pub(crate) fn mapped<C: CompareRuns>(plan: &C, side: DiffSide, run: usize, rank: &Trace) -> Result<Vec<u8>> {
    guarded(|| sealed(C::NAME, &plan.key(), &plan.map(side, run, rank)?))
}

/// Merges partial results.
pub(crate) fn merged<C: CompareRuns>(plan: &C, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
    let mut merged = C::State::default();
    for state in states {
        plan.merge(&mut merged, opened(C::NAME, &plan.key(), state.as_ref())?);
    }
    sealed(C::NAME, &plan.key(), &merged)
}

/// Makes the answer from the merged partial result of all ranks.
pub(crate) fn finished<C: CompareRuns>(plan: &C, state: &[u8]) -> Result<C::Answer> {
    guarded(|| plan.finish(opened(C::NAME, &plan.key(), state)?))
}
