//! Analyses that do not fit the memory budget.

use super::ranks;
use crate::analysis::TemporalBreakdown;
use crate::exec::memory::Budget;
use crate::{Analysis, Error, TraceAnalysis};
use trace_testkit::{Stream, TraceBuilder};

#[test]
fn analysis_beyond_the_budget_is_refused_with_its_need() {
    fn refused<A: Analysis>(traces: &TraceAnalysis, analysis: &A, ranks: Option<&[i64]>) -> u64 {
        match traces.run_within(analysis, ranks, Budget::of(1)).unwrap_err() {
            Error::MemoryBudget { task, need, budget: 1, .. } if task == format!("answer {}", A::NAME) => need,
            error => panic!("{error}"),
        }
    }
    let rank = |rank| TraceBuilder::new().rank(rank).kernel("a", Stream(7), 0..10).kernel("b", Stream(7), 20..30);
    let analysis = TraceAnalysis::new(&ranks(&[rank(0), rank(1)])).unwrap();
    let bytes = TemporalBreakdown::BYTES_PER_ROW as u64;
    assert_eq!(refused(&analysis, &TemporalBreakdown {}, None), 4 * bytes);
    assert_eq!(refused(&analysis, &TemporalBreakdown {}, Some(&[1])), 2 * bytes);
    assert!(analysis.ask(&TemporalBreakdown {}).is_ok());
}
