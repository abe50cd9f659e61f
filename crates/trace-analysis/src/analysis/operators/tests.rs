#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod modules;
mod work;

use super::*;
use crate::TraceSet;
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// CPU  |- linear -------------------|  |- to -------------|
///        |- addmm ------|                |- to ----|
///           |launch|                        |launch|
/// GPU                 |- gemm -|                     |- copy -|
/// ```
fn trace() -> TraceAnalysis {
    let builder = TraceBuilder::new()
        .complete("python_function", "nn.Module: Linear_0", 100, 1, 5..60)
        .operator("aten::linear", 10..50)
        .operator("aten::addmm", 15..35)
        .runtime("cudaLaunchKernel", 1, 20..30)
        .kernel("gemm", Stream(7), 40..70)
        .correlation(1)
        .operator("aten::to", 100..140)
        .operator("aten::to", 105..130)
        .runtime("cudaMemcpyAsync", 2, 110..120)
        .complete("gpu_memcpy", "Memcpy HtoD", 0, 7, 150..154)
        .arg("stream", "7")
        .correlation(2);
    TraceAnalysis::new(&TraceSet::from_bytes(builder.json()).unwrap()).unwrap()
}

fn rows(by: OperatorsBy) -> Vec<(String, Vec<f64>)> {
    let df = trace().operators(&Operators { by, ..Operators::default() }).unwrap();
    let names = df.column("name").unwrap().str().unwrap().clone();
    let value = |row: usize, column: &polars::prelude::Column| column.get(row).unwrap().try_extract::<f64>().unwrap();
    (0..df.height())
        .map(|row| {
            let values = df.columns()[1..].iter().map(|column| value(row, column)).collect();
            (names.get(row).unwrap().to_owned(), values)
        })
        .collect()
}

#[test]
fn operators_have_time_of_their_own_and_of_all_below() {
    let expected = [
        ("aten::addmm", vec![1.0, 20.0, 20.0, 1.0, 30.0, 30.0, 30.0, 50.0]),
        // Of the calls inside a call of the same name only the outer one has total and kernels.
        ("aten::to", vec![2.0, 40.0, 40.0, 1.0, 4.0, 4.0, 4.0, 25.0]),
        ("aten::linear", vec![1.0, 40.0, 20.0, 1.0, 30.0, 0.0, 30.0, 25.0]),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(name, values)| (name.to_owned(), values)).collect();
    assert_eq!(rows(OperatorsBy::Name), expected);
}

#[test]
fn stacks_and_modules_are_rows_of_their_own() {
    let names: Vec<String> = rows(OperatorsBy::Stack).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["aten::linear › aten::addmm", "aten::to › aten::to", "aten::linear", "aten::to"]);
    // A module has the time of the operators inside, and its kernels.
    let module = (
        "nn.Module: Linear_0".to_owned(),
        vec![1.0, 55.0, 55.0, 1.0, 30.0, 30.0, 30.0, 100.0 * 10_000.0 / 55_000.0, 30.0, 0.0, 0.0],
    );
    assert_eq!(rows(OperatorsBy::Module), [module]);
}

#[test]
fn a_trace_without_modules_is_told_how_to_record_them() {
    let trace = TraceSet::from_bytes(TraceBuilder::new().operator("aten::mm", 0..5).json()).unwrap();
    let answer = TraceAnalysis::new(&trace)
        .unwrap()
        .ask(&Operators { by: OperatorsBy::Module, ..Operators::default() })
        .unwrap();
    assert_eq!(answer.tables[0].frame.height(), 0);
    assert!(answer.notes[0].contains("with_stack=True"), "{:?}", answer.notes);
}

#[test]
fn operators_of_other_shapes_are_rows_of_their_own() {
    let mm = |builder: TraceBuilder, at: i64, shapes: &str| {
        builder.operator("aten::mm", at..at + 10).arg("Input Dims", shapes)
    };
    let builder = mm(mm(TraceBuilder::new(), 0, "[[2, 3], [3, 4]]"), 20, "[[2, 3], [3, 4]]");
    let builder = mm(builder, 40, "[[5, 3], [3, 4]]").operator("aten::relu", 60..61);
    let trace = TraceAnalysis::new(&TraceSet::from_bytes(builder.json()).unwrap()).unwrap();
    let df = trace.operators(&Operators { by: OperatorsBy::Shape, ..Operators::default() }).unwrap();
    let names = df.column("name").unwrap().str().unwrap();
    let counts = df.column("count").unwrap().i64().unwrap();
    let found: Vec<_> = names.iter().flatten().zip(counts.iter().flatten()).collect();
    assert_eq!(found, [("aten::mm [[2, 3], [3, 4]]", 2), ("aten::mm [[5, 3], [3, 4]]", 1), ("aten::relu", 1)]);
    let answer = self::trace().ask(&Operators { by: OperatorsBy::Shape, ..Operators::default() }).unwrap();
    assert!(answer.notes.iter().any(|note| note.contains("record_shapes=True")), "{:?}", answer.notes);
    assert!(answer.tables[0].frame.height() > 0, "operators without shapes have rows of their names");
}
