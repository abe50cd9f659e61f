//! The plan of a comparison: what is computed of each rank, without the traces.

use super::api::CompareRuns;
use super::partial;
use super::sums::{Selected, SideSums, Sums};
use crate::filter::TraceFilter;
use crate::{Compared, Compat, DiffSide, Error, Result, Selection, Trace};
use polars::prelude::DataFrame;
use regex::Regex;
use serde::{Deserialize, Serialize};

/// The plan of a comparison: [`map`](Self::map) turns each rank into a partial result, [`merge`](Self::merge) merges them in any
/// order and grouping, and [`finish`](Self::finish) makes the answer. It holds no events and is serializable, so that each rank
/// can be mapped where it is. A filter must be a text to be serialized, not a polars expression.
///
/// # Example
/// ```
/// use trace::prelude::*;
/// use trace::{DiffPlan, DiffSide};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let diff = TraceDiff::new(&job, &job).by(By::Rank);
/// let sent = serde_json::to_string(&diff.plan()?)?;
///
/// // On any machine that has the rank:
/// let plan: DiffPlan = serde_json::from_str(&sent)?;
/// let mut states = Vec::new();
/// for side in [DiffSide::Control, DiffSide::Test] {
///     for &rank in plan.ranks(side) {
///         states.push(plan.map(side, &job.rank(rank)?)?);
///     }
/// }
///
/// let compared = plan.finish(&plan.merge(&states)?)?;
/// assert_eq!(compared.frame, diff.compare_traces()?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiffPlan {
    pub(super) selection: Selection,
    pub(super) control: PlannedSide,
    pub(super) test: PlannedSide,
}

/// What is known of the trace of a side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlannedSide {
    pub(super) compat: Compat,
    pub(super) filter: Option<TraceFilter>,
}

impl DiffPlan {
    /// Returns the selection, with defaults filled in and labels made distinct.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Returns the ranks of a side to map.
    pub fn ranks(&self, side: DiffSide) -> &[i64] {
        match side {
            DiffSide::Control => &self.selection.control.ranks,
            DiffSide::Test => &self.selection.test.ranks,
        }
    }

    /// Computes the partial result of one rank, as bytes.
    ///
    /// # Errors
    /// If its events cannot be read, or the filter does not fit them.
    pub fn map(&self, side: DiffSide, rank: &Trace) -> Result<Vec<u8>> {
        partial::mapped(self, side, 0, rank)
    }

    /// Merges partial results of this plan. None at all give that of no rank.
    ///
    /// # Errors
    /// [`Error::WrongState`](crate::Error::WrongState) if one is damaged, or of another version or plan.
    pub fn merge(&self, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        partial::merged(self, states)
    }

    /// Makes the answer from the merged partial result of all ranks: the same as
    /// [`TraceDiff::run`](crate::TraceDiff::run).
    ///
    /// # Errors
    /// As [`DiffPlan::merge`].
    pub fn finish(&self, state: &[u8]) -> Result<Compared> {
        partial::finished(self, state)
    }

    /// Sums up the selected events of one rank.
    pub(super) fn sums(&self, side: DiffSide, rank: &Trace) -> Result<Sums> {
        let marker = self.selection.marker.as_deref().map(Regex::new).transpose();
        // Only a plan that was changed outside has one that cannot be compiled.
        let marker = marker.map_err(|_| Error::WrongState {
            question: Self::NAME.to_owned(),
            reason: "its marker is no regular expression".to_owned(),
        })?;
        let sums = |planned: &PlannedSide, window| -> Result<SideSums> {
            let filter = planned.filter.as_ref();
            let (by, marker) = (self.selection.by, marker.as_ref());
            Selected { compat: planned.compat, window, by, filter, marker }.sums(rank)
        };
        Ok(match side {
            DiffSide::Control => {
                Sums { control: sums(&self.control, &self.selection.control.window)?, ..Sums::default() }
            }
            DiffSide::Test => Sums { test: sums(&self.test, &self.selection.test.window)?, ..Sums::default() },
        })
    }
}

/// Counts and durations by name are sums over all ranks of all runs.
impl CompareRuns for DiffPlan {
    const NAME: &'static str = "compare_traces";
    const SUMMARY: &'static str = "Counts and durations of operators, kernels and calls by name.";
    type State = Sums;
    type Answer = Compared;

    fn map(&self, side: DiffSide, _run: usize, rank: &Trace) -> Result<Sums> {
        self.sums(side, rank)
    }

    fn merge(&self, one: &mut Sums, other: Sums) {
        one.merge(other);
    }

    fn finish(&self, state: Sums) -> Result<Compared> {
        Compared::of(state, &self.selection)
    }

    fn frame(answer: Compared) -> Result<DataFrame> {
        Ok(answer.frame)
    }

    fn key(&self) -> String {
        serde_json::to_string(&self.selection).unwrap_or_default()
    }
}
