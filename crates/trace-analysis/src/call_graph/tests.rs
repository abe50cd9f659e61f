//! Call graphs of timelines written by hand.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::Questions;
use crate::{Compat, TraceAnalysis, TraceSet};
use polars::prelude::{DataFrame, DataType};
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// CPU  |- linear ----------|  |- add ----|
///        |- addmm ------|        |launch|
///           |launch|
/// GPU                |- gemm -|      |- add_kernel -|
/// ```
fn builder() -> TraceBuilder {
    TraceBuilder::new()
        .operator("aten::linear", 100..140)
        .operator("aten::addmm", 105..125)
        .runtime("cudaLaunchKernel", 1, 110..120)
        .kernel("gemm", Stream(7), 130..160)
        .correlation(1)
        .operator("aten::add", 150..170)
        .runtime("cudaLaunchKernel", 2, 155..165)
        .kernel("add_kernel", Stream(7), 170..190)
        .correlation(2)
        .kernel("without a launch", Stream(7), 195..199)
}

fn analysis(builder: &TraceBuilder) -> TraceAnalysis {
    TraceAnalysis::new(&TraceSet::from_bytes(builder.json()).unwrap()).unwrap()
}

fn numbers(df: &DataFrame, column: &str) -> Vec<Option<i64>> {
    df.column(column).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().to_vec()
}

fn names(df: &DataFrame) -> Vec<String> {
    let names = df.column("name").unwrap().as_materialized_series().cast(&DataType::String).unwrap();
    names.str().unwrap().iter().flatten().map(str::to_owned).collect()
}

#[test]
fn each_event_is_before_those_below_it() {
    let graph = analysis(&builder()).call_graph(&CallGraph::default()).unwrap();
    let columns: Vec<&str> = CALL_GRAPH_COLUMNS.iter().map(|column| column.name).collect();
    assert_eq!(graph.get_column_names(), columns);
    assert_eq!(numbers(&graph, "index"), [0, 1, 2, 3, 4, 5, 6].map(Some));
    assert_eq!(numbers(&graph, "parent"), [None, Some(0), Some(1), Some(2), None, Some(4), Some(5)]);
    assert_eq!(numbers(&graph, "depth"), [0, 1, 2, 3, 0, 1, 2].map(Some));
    assert_eq!(numbers(&graph, "height"), [3, 2, 1, 0, 2, 1, 0].map(Some));
    assert_eq!(numbers(&graph, "kernel_dur_sum")[..2], [Some(30_000); 2]);
    let (first, last) = (numbers(&graph, "first_kernel_start"), numbers(&graph, "last_kernel_end"));
    assert_eq!((first[4], last[4]), (Some(70_000), Some(90_000)), "the clock begins with the first event");
    assert_eq!(numbers(&graph, "self_dur")[..4], [Some(20_000), Some(10_000), Some(10_000), None]);
}

#[test]
fn operator_and_depth_keep_what_is_below() {
    let analysis = analysis(&builder());
    let selected = |operator: Option<&str>, depth: Option<u32>| {
        let query = CallGraph { operator: operator.map(str::to_owned), depth, ..CallGraph::default() };
        names(&analysis.call_graph(&query).unwrap())
    };
    assert_eq!(selected(Some("addmm$"), None), ["aten::addmm", "cudaLaunchKernel", "gemm"]);
    assert_eq!(selected(Some("^aten::"), Some(1)), ["aten::linear", "aten::add"]);
    assert_eq!(selected(None, Some(2)), ["aten::linear", "aten::addmm", "aten::add", "cudaLaunchKernel"]);
    // A kernel is no operator.
    assert!(selected(Some("gemm"), None).is_empty());
    let wrong = CallGraph { operator: Some("(".into()), ..CallGraph::default() };
    let error = analysis.call_graph(&wrong).unwrap_err().to_string();
    assert_eq!(error, "call_graph: invalid operator `(`: expected a regular expression");
}

#[test]
fn stack_of_an_event_has_what_is_above_and_below() {
    let analysis = analysis(&builder());
    let stack = |index: i64, skip_ancestors: bool| {
        let found = analysis.call_stack(&CallStack { index, skip_ancestors, ..CallStack::default() }).unwrap();
        let kinds = found.column("relation").unwrap().str().unwrap().iter().flatten().map(str::to_owned);
        kinds
            .zip(numbers(&found, "index"))
            .map(|(kind, index)| format!("{kind} {}", index.unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(stack(1, false), ["ancestor 0", "event 1", "descendant 2", "kernel 3"]);
    assert_eq!(stack(3, false), ["ancestor 0", "ancestor 1", "ancestor 2", "event 3"]);
    assert_eq!((stack(3, true), stack(7, false)), (vec!["event 3".to_owned()], vec!["event 7".to_owned()]));
    let error = analysis.call_stack(&CallStack { index: 99, ..CallStack::default() }).unwrap_err().to_string();
    assert!(error.starts_with("call_stack: invalid index `99`: expected the index of an event of rank 0"), "{error}");
}

#[test]
fn rules_of_hta_are_a_choice_for_any_trace() {
    let trace = TraceSet::from_bytes(builder().json()).unwrap();
    let graph = trace.call_graph(&CallGraph { compat: Some(Compat::Hta), ..CallGraph::default() }).unwrap();
    assert_eq!(graph.height(), 8);
    // The parent of an outermost event is minus its thread; HTA ignores the launch at position 0 only.
    assert_eq!(numbers(&graph, "parent")[..5], [Some(-1), Some(0), Some(1), Some(2), Some(-1)]);
    assert_eq!((numbers(&graph, "depth")[7], numbers(&graph, "num_kernels")[7]), (Some(-1), Some(0)));
    let mapping = TraceAnalysis::new(&trace).unwrap().call_stack_mapping(None).unwrap();
    assert_eq!(mapping.get_column_names(), ["rank", "pid", "tid", "label", "stack_index", "stack_root", "count"]);
    assert_eq!(numbers(&mapping, "stack_root"), [Some(-1)]);
}
