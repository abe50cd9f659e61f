//! Analyses that do not fit the memory budget at once, or not at all.

use super::erased::{every_entry, whole};
use super::merging::four_ranks;
use super::ranks;
use crate::analysis::{QueueLengthTimeSeries, TemporalBreakdown};
use crate::exec::memory::Budget;
use crate::{Analysis, Error, TraceAnalysis};
use trace_testkit::{Stream, TraceBuilder};

#[test]
fn analysis_is_refused_if_one_rank_alone_does_not_fit() {
    fn refused<A: Analysis>(traces: &TraceAnalysis, analysis: &A, ranks: Option<&[i64]>) -> u64 {
        match traces.run_within(analysis, ranks, Budget::of(1)).unwrap_err() {
            Error::MemoryBudget { task, need, budget: 1, .. } if task == format!("answer {}", A::NAME) => need,
            error => panic!("{error}"),
        }
    }
    let rank = |rank| TraceBuilder::new().rank(rank).kernel("a", Stream(7), 0..10).kernel("b", Stream(7), 20..30);
    let analysis = TraceAnalysis::new(&ranks(&[rank(0), rank(1)])).unwrap();
    let bytes = TemporalBreakdown::BYTES_PER_ROW as u64;
    assert_eq!(refused(&analysis, &TemporalBreakdown {}, None), 2 * bytes);
    assert_eq!(refused(&analysis, &TemporalBreakdown {}, Some(&[1])), 2 * bytes);
    // All points of all ranks are in the answer, but not in memory at once.
    let (both, bytes) =
        (QueueLengthTimeSeries { ranks: Some(vec![0, 1]) }, QueueLengthTimeSeries::BYTES_PER_ROW as u64);
    assert_eq!(refused(&analysis, &both, None), 2 * bytes);
    assert!(analysis.ask(&TemporalBreakdown {}).is_ok());
}

#[test]
fn answers_are_the_same_if_no_view_is_kept() {
    let traces = four_ranks();
    let eager = TraceAnalysis::new(&traces).unwrap();
    let lazy = TraceAnalysis::within(&traces, false, Budget::of(1)).unwrap();
    assert_eq!(lazy.iterations().unwrap(), eager.iterations().unwrap());
    let narrowed = |analysis: &TraceAnalysis| {
        let work = analysis.filter("dur > 150ns".parse::<crate::filter::Where>().unwrap()).unwrap();
        work.in_iterations([1]).unwrap()
    };
    for (eager, lazy) in [(narrowed(&eager), narrowed(&lazy)), (eager, lazy)] {
        for (entry, arguments) in every_entry() {
            let ranks = [0, 1, 2, 3];
            for ranks in [None, Some(&ranks[..]), Some(&ranks[2..3])] {
                let [eager, lazy] =
                    [&eager, &lazy].map(|analysis| whole(&entry.ask(analysis, arguments.clone(), ranks).unwrap()));
                assert_eq!(lazy, eager, "{} {ranks:?}", entry.name);
            }
        }
    }
}

#[test]
fn errors_come_with_the_filter_not_with_the_question() {
    let lazy = TraceAnalysis::within(&four_ranks(), false, Budget::of(1)).unwrap();
    let error = |filter: polars::prelude::Expr| lazy.filter(filter).unwrap_err().to_string();
    assert!(error(polars::prelude::col("nothing").gt(polars::prelude::lit(1))).contains("nothing"));
    assert!(error(polars::prelude::col("dur")).contains("i64"), "{}", error(polars::prelude::col("dur")));
    assert!(lazy.in_iterations([7]).unwrap_err().to_string().contains("has no iteration 7"));
}
