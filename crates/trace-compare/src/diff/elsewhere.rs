//! Comparisons of ranks that engines read.

use super::sums::Sums;
use crate::dataset::{RunRanks, ask};
use crate::distributed::Query;
use crate::error::DistributedReason;
use crate::state::opened;
use crate::{CompareRuns, DiffPlan, DiffSide, LabeledTrace, Result, Trace, TraceDiff};

/// Ranks of the sides of a comparison, with the place of their run.
pub(crate) type SideRanks = Vec<(DiffSide, usize, Trace)>;

/// Asks ranks that engines read for a comparison of these runs, control first. Returns the merged partial result of each engine.
///
/// # Errors
/// If a filter is a polars expression, an engine fails, or a rank cannot be read any more.
pub(crate) fn compared_elsewhere<C: CompareRuns>(
    plan: &C,
    runs: [&[LabeledTrace]; 2],
    ranks: &SideRanks,
) -> Result<Vec<C::State>> {
    let text = serde_json::to_string(plan).map_err(|error| DistributedReason::Plan { reason: error.to_string() })?;
    let question = Query::Comparison { name: C::NAME.to_owned(), plan: text };
    let mut parts = Vec::new();
    for (side, runs) in [DiffSide::Control, DiffSide::Test].into_iter().zip(runs) {
        for (index, run) in runs.iter().enumerate() {
            let of_run = ranks.iter().filter(|(of, at, _)| (*of, *at) == (side, index));
            let of_run = of_run.map(|(_, _, trace)| trace.clone()).collect();
            let (label, all) = (run.label(), run.trace().traces());
            parts.push(RunRanks { label, all, ranks: of_run, side: Some((side, index)) });
        }
    }
    ask(&question, parts)?.iter().map(|state| opened(C::NAME, &plan.key(), state)).collect()
}

impl TraceDiff {
    /// Adds the sums of ranks that engines read.
    pub(super) fn ask_elsewhere(&self, plan: &DiffPlan, ranks: Vec<(DiffSide, Trace)>, sums: &mut Sums) -> Result<()> {
        let ranks = ranks.into_iter().map(|(side, trace)| (side, 0, trace)).collect();
        let runs = [std::slice::from_ref(&self.control), std::slice::from_ref(&self.test)];
        for state in compared_elsewhere(plan, runs, &ranks)? {
            sums.merge(state);
        }
        Ok(())
    }
}
