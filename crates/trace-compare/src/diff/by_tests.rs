//! Comparisons by rank and by iteration, of timelines written by hand.
#![allow(clippy::unwrap_used)]

use crate::{By, Comparison, Compat, DeviceType, DiffPlan, DiffSide, LoadOptions, SelectEvents, TraceDiff, TraceSet};
use polars::prelude::DataFrame;
use std::ops::ControlFlow;
use trace_testkit::{Stream, TraceBuilder};

/// Loads several ranks as one trace.
fn ranks(label: &str, builders: &[TraceBuilder]) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for (index, builder) in builders.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index}.json")), builder.json()).unwrap();
    }
    let options = LoadOptions { compat: Compat::Exact, label: Some(label.to_owned()), ..LoadOptions::default() };
    TraceSet::load_with(folder.path(), &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Two steps of 100 µs with `aten::mm` of `op` µs in each, and one kernel of `kernel` µs in the first.
fn rank(number: i64, steps: [i64; 2], op: i64, kernel: i64) -> TraceBuilder {
    TraceBuilder::new()
        .rank(number)
        .step(steps[0], 0..100)
        .operator("aten::mm", 10..10 + op)
        .runtime("cudaLaunchKernel", 1, 12..14)
        .kernel("gemm", Stream(7), 20..20 + kernel)
        .correlation(1)
        .step(steps[1], 100..200)
        .operator("aten::mm", 110..110 + 2 * op)
}

fn control() -> TraceSet {
    ranks("control", &[rank(0, [1, 2], 10, 40), rank(1, [1, 2], 20, 40), rank(2, [1, 2], 10, 40)])
}

fn test() -> TraceSet {
    ranks("test", &[rank(1, [2, 3], 25, 50), rank(0, [2, 3], 10, 40), rank(3, [2, 3], 10, 7)])
}

type Row = (Option<i64>, String, [i64; 2], [f64; 2], f64, String);

fn rows(df: &DataFrame) -> Vec<Row> {
    let text = |column: usize, row: usize| df.columns()[column].get(row).unwrap().get_str().unwrap().to_owned();
    let int = |column: usize, row: usize| df.columns()[column].i64().unwrap().get(row);
    let float = |column: usize, row: usize| df.columns()[column].f64().unwrap().get(row).unwrap();
    let row = |row: usize| {
        let counts = [2, 4].map(|column| int(column, row).unwrap());
        assert_eq!(int(6, row), Some(counts[1] - counts[0]));
        (int(0, row), text(1, row), counts, [3, 5].map(|column| float(column, row)), float(7, row), text(8, row))
    };
    (0..df.height()).map(row).collect()
}

fn row(group: i64, name: &str, counts: [i64; 2], micros: [f64; 2], sign: &str) -> Row {
    (Some(group), name.to_owned(), counts, micros, micros[1] - micros[0], sign.to_owned())
}

#[test]
fn ranks_are_compared_with_ranks_of_the_same_number() {
    let diff = TraceDiff::new(control(), test()).by(By::Rank).control_iteration(1).test_iteration(2);
    let compared = diff.clone().filter("name in \"aten::mm\",\"gemm\"".parse::<crate::filter::Where>().unwrap());
    let compared = compared.run().unwrap();
    let expected = [
        row(0, "aten::mm", [1, 1], [10.0, 10.0], "="),
        row(0, "gemm", [1, 1], [40.0, 40.0], "="),
        row(1, "aten::mm", [1, 1], [20.0, 25.0], "="),
        row(1, "gemm", [1, 1], [40.0, 50.0], "="),
        row(2, "aten::mm", [1, 0], [10.0, 0.0], "-"),
        row(2, "gemm", [1, 0], [40.0, 0.0], "-"),
        row(3, "aten::mm", [0, 1], [0.0, 10.0], "+"),
        row(3, "gemm", [0, 1], [0.0, 7.0], "+"),
    ];
    assert_eq!(rows(&compared.frame), expected);
    assert_eq!(compared.frame.get_column_names()[..2], ["rank", "name"]);
    assert_eq!(
        compared.notes,
        [
            "Only in control: rank 2; its operators count as deleted.",
            "Only in test: rank 3; its operators count as added.",
            // Ranks 0 and 1: 40 + 40 before, 40 + 50 after.
            "Time of GPU work in 2 ranks: 80.0 µs → 90.0 µs (+12.5 %).",
        ]
    );
    assert_eq!(compared.device_nanos, (120_000, 97_000));
    // Both names in all groups together: three events before, three after.
    assert_eq!(compared.groups.unchanged, ["aten::mm", "gemm"]);
    assert_eq!(Comparison::of(&compared.frame).unwrap().changes(&compared.frame).unwrap().len(), 8);
    let figure = TraceDiff::visualize_duration_diff(&compared.frame).unwrap();
    assert!(format!("{:?}", figure.series[0].x).contains("rank 3 · gemm"));
    let picked = diff.control_rank([0, 1]).test_rank(1).run().unwrap();
    assert_eq!(picked.notes[0], "Only in control: rank 0; its operators count as deleted.");
}

#[test]
fn iterations_pair_by_number_or_else_by_position() {
    let diff = |control, test| TraceDiff::new(control, test).by(By::Iteration).device_type(DeviceType::CPU);
    let mm = |df: &DataFrame| rows(df).into_iter().filter(|row| row.1 == "aten::mm").collect::<Vec<Row>>();
    // Rank 1 of both: 1 and 2 against 2 and 3.
    let compared = diff(control(), test()).control_rank(1).test_rank(1).run().unwrap();
    let expected = [
        row(1, "aten::mm", [1, 0], [20.0, 0.0], "-"),
        row(2, "aten::mm", [1, 1], [40.0, 25.0], "="),
        row(3, "aten::mm", [0, 1], [0.0, 50.0], "+"),
    ];
    assert_eq!(mm(&compared.frame), expected);
    let shifted = ranks("test", &[rank(0, [7, 8], 11, 40)]);
    let compared = diff(control(), shifted).run().unwrap();
    let expected = [row(1, "aten::mm", [1, 1], [10.0, 11.0], "="), row(2, "aten::mm", [1, 1], [20.0, 22.0], "=")];
    assert_eq!(mm(&compared.frame), expected);
    assert!(compared.notes[0].contains("paired by position (1, 2 → 7, 8)"), "{:?}", compared.notes);
    let without = ranks("test", &[TraceBuilder::new().operator("aten::mm", 0..5)]);
    let compared = diff(control(), without).run().unwrap();
    assert_eq!(mm(&compared.frame)[0], row(1, "aten::mm", [1, 1], [10.0, 5.0], "="));
    assert!(compared.notes[0].starts_with("A side without iterations"), "{:?}", compared.notes);
}

#[test]
fn groups_add_up_to_the_comparison_without_them() {
    let whole = |diff: TraceDiff| -> (i128, i128) { diff.run().unwrap().device_nanos };
    let diff = TraceDiff::new(control(), test()).control_rank([0, 1, 2]).test_rank([0, 1, 3]);
    let diff = diff.control_iteration([1, 2]).test_iteration([2, 3]);
    let all = diff.run().unwrap();
    for by in By::EACH {
        let compared = diff.clone().by(by).run().unwrap();
        assert_eq!(whole(diff.clone().by(by)), whole(diff.clone()));
        assert_eq!(compared.groups, all.groups);
        let sum = |df: &DataFrame, name: &str| df.column(name).unwrap().f64().unwrap().iter().flatten().sum::<f64>();
        for name in ["control_total_duration", "test_total_duration", "diff_duration"] {
            assert_eq!(sum(&compared.frame, name), sum(&all.frame, name), "{by} {name}");
        }
    }
}

#[test]
fn ranks_merge_over_bytes_in_any_order_to_the_same_answer() {
    let (control, test) = (control(), test());
    for by in [None, Some(By::Rank), Some(By::Iteration)] {
        let diff = TraceDiff::new(&control, &test).control_rank([0, 1, 2]).test_rank([0, 1, 3]).test_iteration(2);
        let diff = diff.filter("dur > 5us".parse::<crate::filter::Where>().unwrap());
        let diff = by.map_or(diff.clone(), |by| diff.by(by));
        let expected = diff.run().unwrap();
        let plan: DiffPlan = serde_json::from_str(&serde_json::to_string(&diff.plan().unwrap()).unwrap()).unwrap();
        let of = |side, trace: &TraceSet| -> Vec<Vec<u8>> {
            plan.ranks(side).iter().map(|&rank| plan.map(side, &trace.rank(rank).unwrap()).unwrap()).collect()
        };
        let mut states = of(DiffSide::Control, &control);
        states.extend(of(DiffSide::Test, &test));
        let in_order = plan.merge(&states).unwrap();
        states.reverse();
        let (one, other) = states.split_at(2);
        let in_halves = plan.merge(&[plan.merge(one).unwrap(), plan.merge(other).unwrap()]).unwrap();
        assert_eq!(in_order, in_halves);
        let answer = plan.finish(&in_halves).unwrap();
        assert_eq!((answer.frame, answer.groups, answer.notes), (expected.frame, expected.groups, expected.notes));
        let other_plan = TraceDiff::new(&control, &test).plan().unwrap();
        assert!(other_plan.finish(&in_order).unwrap_err().to_string().contains("was computed with the parameters"));
    }
}
