//! Operators that companions lend, in the tables of statements: those that `EventQuery` finds, and nothing where no statement names them.

#![allow(clippy::unwrap_used)]

use crate::{SqlTables, TraceSet};
use polars::prelude::{DataFrame, DataType};
use trace::EventQuery;
use trace_testkit::{Stream, TraceBuilder};

/// A replay of a graph of one kernel, a kernel with a launch of its own, and one without.
fn replay() -> TraceSet {
    let trace = TraceBuilder::new()
        .operator("decode", 0..40)
        .runtime("hipGraphLaunch", 1, 5..15)
        .kernel("gemm", Stream(7), 20..40)
        .correlation(1)
        .operator("aten::add", 50..70)
        .runtime("hipLaunchKernel", 2, 55..60)
        .kernel("add", Stream(7), 80..90)
        .correlation(2)
        .kernel("alone", Stream(7), 100..110);
    TraceSet::from_bytes(trace.json()).unwrap().with_label("replay")
}

/// The capture of a graph of `gemm`, which this operator launches.
fn capture(operator: &str) -> TraceSet {
    let trace = TraceBuilder::new()
        .runtime("hipStreamBeginCapture", 8, 1..2)
        .operator(operator, 10..30)
        .runtime("hipLaunchKernel", 9, 15..16)
        .arg("kernel", "\"gemm\"")
        .runtime("hipStreamEndCapture", 10, 40..41);
    TraceSet::from_bytes(trace.json()).unwrap().with_label("capture")
}

/// The texts of a column, without a value `-`.
fn texts(frame: &DataFrame, name: &str) -> Vec<String> {
    let column = frame.column(name).unwrap().cast(&DataType::String).unwrap();
    column.str().unwrap().iter().map(|text| text.unwrap_or("-").to_owned()).collect()
}

/// The columns of operators by statement and by query are equal, event by event; returns how many are borrowed.
fn compare(replay: &TraceSet, capture: &TraceSet) -> usize {
    let tables = SqlTables::of([replay, capture]).companion(replay.label(), capture);
    let statement = "SELECT id, operator, operator_source FROM events WHERE trace = 'replay' ORDER BY id";
    let (rows, expected) =
        (tables.query(statement).unwrap(), EventQuery::new(replay).companion(capture.clone()).run().unwrap());
    let expected = expected.sort(["index"], Default::default()).unwrap();
    assert_eq!(rows.height(), expected.height());
    for name in ["operator", "operator_source"] {
        assert_eq!(texts(&rows, name), texts(&expected, name), "{name}");
    }
    let kernels = "SELECT operator_source FROM kernels WHERE operator_source LIKE 'borrowed%' AND operator IS NOT NULL";
    tables.query(kernels).unwrap().height()
}

#[test]
fn operators_of_kernels_equal_those_of_events() {
    assert_eq!(compare(&replay(), &capture("aten::mm")), 1);
    let shared = std::env::var_os("TRACEBOOK_SHARED").map(|at| std::path::PathBuf::from(at).join("traces/capture"));
    let Some(folder) = shared.filter(|folder| folder.is_dir()) else {
        return println!("skipped the recorded pair: TRACEBOOK_SHARED names no folder with it");
    };
    let load = |name: &str| TraceSet::load(folder.join(format!("sglang_decode.{name}.json.gz"))).unwrap();
    let [replay, capture] = ["replay", "capture"].map(|name| load(name).with_label(name));
    assert_eq!(compare(&replay, &capture), 544);
}

#[test]
fn each_kernel_says_where_its_operator_is_of() {
    let (replay, capture) = (replay(), capture("aten::mm"));
    let tables = SqlTables::of([&replay, &capture]).companion("replay", &capture);
    let rows = tables.query("SELECT name, operator, operator_source FROM kernels ORDER BY ts").unwrap();
    assert_eq!(texts(&rows, "operator"), ["aten::mm", "aten::add", "-"]);
    assert_eq!(texts(&rows, "operator_source"), ["borrowed from capture", "recorded", "-"]);
    // A trace without companions has none.
    let rows = tables.query("SELECT operator FROM events WHERE trace = 'capture' AND operator IS NOT NULL").unwrap();
    assert_eq!(rows.height(), 0);
    let rows =
        tables.query("SELECT operator, SUM(dur) AS dur FROM kernels GROUP BY operator ORDER BY operator").unwrap();
    assert_eq!(texts(&rows, "operator"), ["-", "aten::add", "aten::mm"]);
}

#[test]
fn operators_are_hidden_without_companions() {
    let (replay, capture) = (replay(), capture("aten::mm"));
    let width = |tables: &SqlTables| tables.query("SELECT * FROM kernels").unwrap().width();
    let bare = SqlTables::of([&replay]);
    let with = bare.clone().companion("replay", &capture);
    assert_eq!(width(&with), width(&bare) + 2);
    let rows = bare.query("SELECT operator, operator_source FROM kernels").unwrap();
    assert_eq!(
        (texts(&rows, "operator"), texts(&rows, "operator_source")),
        (vec!["-".to_owned(); 3], vec!["-".to_owned(); 3])
    );
}

#[test]
fn companions_are_read_only_for_their_columns() {
    let (replay, capture) = (replay(), capture("aten::mm"));
    let tables = SqlTables::of([&replay]).companion("replay", &capture);
    // What was found of a companion stays with it.
    let before = capture.memory_bytes();
    tables.query("SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name").unwrap();
    tables.query("SELECT trace, rank, kernel_type FROM kernels WHERE launch_id IS NOT NULL").unwrap();
    assert_eq!(capture.memory_bytes(), before);
    tables.query("SELECT operator FROM kernels").unwrap();
    assert!(capture.memory_bytes() > before);
}

#[test]
fn joins_by_operator_follow_the_companion() {
    let replay = replay();
    for operator in ["aten::mm", "aten::bmm"] {
        let tables = SqlTables::of([&replay]).companion("replay", &capture(operator));
        let join = format!(
            "SELECT k.name AS kernel FROM (SELECT '{operator}' AS wanted) w JOIN kernels k ON k.operator = w.wanted"
        );
        assert_eq!(texts(&tables.query(&join).unwrap(), "kernel"), ["gemm"], "{operator}");
    }
}
