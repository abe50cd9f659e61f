//! Answers about ranks in files: those of the same ranks in memory.
#![allow(clippy::unwrap_used)]

use polars::prelude::{DataFrame, SortMultipleOptions};
use std::fs;
use std::path::Path;
use trace::analysis::TemporalBreakdown;
use trace::write::arrow::{map, map_frame, save, save_frame};
use trace::{Error, Execution, Questions, SelectEvents, TraceDiff, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

/// Writes ranks whose columns differ in names and types: `mine` holds integers, texts, and numbers with a fraction.
fn mixed_ranks(folder: &Path) {
    let values = ["12", "\"a text\"", "1.5"];
    for rank in 0..4 {
        let mut trace = TraceBuilder::new().rank(rank).step(1, 0..100).operator(&format!("only on {rank}"), 5..6);
        trace = trace.runtime("cudaLaunchKernel", 7, 10..12).kernel("gemm", Stream(7), 20..30 + rank).correlation(7);
        if let Some(value) = values.get(usize::try_from(rank).unwrap()) {
            trace = trace.operator("aten::mm", 40..41).arg("mine", value);
        }
        fs::write(folder.join(format!("rank-{rank}.json")), trace.json()).unwrap();
    }
}

/// Compares a trace with another one on all ranks, sorted by name.
fn compared(control: &TraceSet, test: &TraceSet) -> DataFrame {
    let (control, test) = (control.with_label("control"), test.with_label("test"));
    let ranks = control.ranks();
    let rows = TraceDiff::new(&control, &test).control_rank(ranks.clone()).test_rank(ranks).compare_traces().unwrap();
    rows.sort(["name"], SortMultipleOptions::default()).unwrap()
}

#[test]
fn comparisons_are_alike_in_memory_and_in_files() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    for (number, path) in [folder.path(), Path::new("../../notebooks/data/job")].into_iter().enumerate() {
        let memory = TraceSet::load(path).unwrap();
        let saved = parent.path().join(format!("saved-{number}"));
        save(&memory, &saved).unwrap();
        let mapped = map(&saved).unwrap();
        let stored = memory.stored_in(parent.path().join(format!("stored-{number}"))).unwrap();
        assert_eq!((stored.memory_bytes(), stored.stored_ranks()), (0, memory.ranks()));
        let expected = compared(&memory, &memory);
        assert!(expected.height() > 4, "{expected:?}");
        for other in [&mapped, &stored] {
            let found = compared(&memory, other);
            assert!(found.equals_missing(&expected), "{found:?}\n{expected:?}");
        }
        let differences: f64 = compared(&memory, &mapped)
            .column("diff_duration")
            .unwrap()
            .f64()
            .unwrap()
            .iter()
            .flatten()
            .map(f64::abs)
            .sum();
        assert!(differences.abs() < f64::EPSILON);
    }
}

#[test]
fn comparison_is_saved_and_mapped_with_its_types() {
    let folder = tempfile::tempdir().unwrap();
    mixed_ranks(folder.path());
    let traces = TraceSet::load(folder.path()).unwrap();
    let answer = compared(&traces, &traces);
    let file = folder.path().join("answer.arrow");
    for frame in [answer.clone(), answer.clear()] {
        save_frame(&frame, &file).unwrap();
        let mapped = map_frame(&file).unwrap();
        assert!(mapped.equals_missing(&frame), "{mapped:?}");
        assert_eq!(mapped.schema(), frame.schema());
    }
}

#[test]
fn sides_are_compared_on_the_ranks_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let rank = |number: i64| TraceBuilder::new().rank(number).step(1, 0..10).operator("aten::mm", number..number + 1);
    fs::write(folder.path().join("a.json"), rank(10).memcpy("Memcpy HtoD", Stream(7), 8, 3..4).json()).unwrap();
    fs::write(folder.path().join("b.json"), rank(2).operator("aten::add", 5..6).json()).unwrap();
    let traces = TraceSet::load(folder.path()).unwrap();
    let both = TraceDiff::new(&traces, &traces).control_rank([2, 10]).test_rank(10).compare_traces().unwrap();
    // Rank 10 has its operator after the step: only the step itself counts there.
    assert_eq!(both.height(), 3);
}

#[test]
fn question_is_refused_beyond_the_memory_of_its_context() {
    let folder = tempfile::tempdir().unwrap();
    mixed_ranks(folder.path());
    let traces = TraceSet::load(folder.path()).unwrap();
    let refused = Execution::new().memory(1).run(|| traces.ask(&TemporalBreakdown {}));
    assert!(matches!(refused, Err(Error::MemoryBudget { budget: 1, .. })));
    assert!(traces.ask(&TemporalBreakdown {}).is_ok(), "nothing is lost");
}
