//! Descriptions merge in any order, as bytes.
#![allow(clippy::unwrap_used)]

use crate::Questions;
use crate::{Compat, Description, Error, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

/// Three ranks: the last has another kernel and a step less, and an event that ends before it starts.
fn three_ranks() -> TraceSet {
    let rank = |rank: i64| {
        let from = 7 * rank;
        TraceBuilder::new()
            .rank(rank)
            .step(1, from..100 + from)
            .operator("aten::mm", 10..40 + rank)
            .runtime("cudaLaunchKernel", 1, 20..25)
            .kernel(if rank == 2 { "relu" } else { "gemm" }, Stream(7), 50..90 + rank)
            .correlation(1)
    };
    let folder = tempfile::tempdir().unwrap();
    let last = rank(2).operator("aten::add", std::ops::Range { start: 30, end: 20 });
    for (index, builder) in [rank(0).step(2, 100..200), rank(1).step(2, 107..230), last].iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index}.json")), builder.json()).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label("job")
}

#[test]
fn merged_bytes_finish_to_the_same_description() {
    let traces = three_ranks();
    let expected = traces.describe().unwrap();
    assert!(expected.findings.len() > 1 && expected.kernels.len() == 2, "{expected:?}");
    let map = |rank: i64| Description::map(&traces.rank(rank).unwrap(), Compat::Exact).unwrap();
    let merge = |states: &[Vec<u8>]| Description::merge(Compat::Exact, states).unwrap();
    let finish = |state: &[u8]| {
        let facts = serde_json::to_string(&traces.info()).unwrap();
        let facts: Vec<crate::RankInfo> = serde_json::from_str(&facts).unwrap();
        let facts: Vec<&crate::RankInfo> = facts.iter().collect();
        Description::finish("job", Compat::Exact, &facts, traces.warnings(), state).unwrap()
    };
    assert_eq!(finish(&merge(&[map(0), map(1), map(2)])), expected);
    assert_eq!(finish(&merge(&[merge(&[map(2), map(0)]), merge(&[]), map(1)])), expected);
    let other = Description::merge(Compat::Hta, &[map(0)]);
    assert!(matches!(other, Err(Error::WrongState { reason, .. }) if reason.contains("exact")));
}
