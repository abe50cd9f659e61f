//! The table of all comparisons: one row each, without its type.

mod entry;

pub use entry::ComparisonEntry;

use crate::{DiffPlan, ExplainPlan};

/// All comparisons whose partial results travel as bytes.
pub const COMPARISONS: &[ComparisonEntry] = &[ComparisonEntry::of::<DiffPlan>(), ComparisonEntry::of::<ExplainPlan>()];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{By, CompareRuns, DiffSide, Error, TraceDiff, TraceSet};

    #[test]
    fn the_table_gives_the_answer_of_the_type() {
        let job = TraceSet::load("../../notebooks/data/job").unwrap();
        let diff = TraceDiff::new(&job, &job).by(By::Rank);
        let plan = diff.plan().unwrap();
        let text = serde_json::to_string(&plan).unwrap();
        let entry = COMPARISONS.iter().find(|entry| entry.name == DiffPlan::NAME).unwrap();
        let mut states = Vec::new();
        for side in [DiffSide::Test, DiffSide::Control] {
            for &rank in plan.ranks(side) {
                states.push(entry.map(&text, side, 0, &job.rank(rank).unwrap()).unwrap());
            }
        }
        let merged = entry.merge(&text, &states).unwrap();
        assert_eq!(entry.finish(&text, &merged).unwrap(), diff.compare_traces().unwrap());
        assert!(entry.finish("{}", &merged).unwrap_err().to_string().contains("its plan cannot be read"));
        let other = serde_json::to_string(&TraceDiff::new(&job, &job).plan().unwrap()).unwrap();
        assert!(matches!(entry.finish(&other, &merged), Err(Error::WrongState { .. })));
    }
}
