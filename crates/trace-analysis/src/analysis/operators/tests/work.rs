//! The work of operators, compared with that of the roofline.

use super::super::*;
use crate::TraceSet;
use crate::analysis::Roofline;
use trace_testkit::{Stream, TraceBuilder};

const H100: &str = r#"[{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85017493504}]"#;

fn shaped(trace: TraceBuilder) -> TraceBuilder {
    let types = r#"["c10::BFloat16", "c10::BFloat16"]"#;
    trace.arg("Input Dims", "[[4096, 4096], [4096, 4096]]").arg("Input type", types)
}

/// Products of 4,096 × 4,096 bf16 matrices on an H100, 137.4 GFLOP and 100.7 MB each: one of 200 µs inside of `aten::linear` and two
/// modules of one name, one of 300 µs; and an operator without a model.
fn products() -> TraceBuilder {
    let launch = |trace: TraceBuilder, at: i64, us: i64| {
        let launched = trace.runtime("cudaLaunchKernel", at, at + 3..at + 5);
        launched.kernel("gemm", Stream(7), at + 30..at + 30 + us).correlation(at)
    };
    let trace = TraceBuilder::new().metadata("deviceProperties", H100);
    let trace = trace.complete("python_function", "nn.Module: Block_0", 100, 1, 0..60);
    let trace = trace.complete("python_function", "nn.Module: Block_0", 100, 1, 1..50);
    let trace = shaped(shaped(trace.operator("aten::linear", 2..40)).operator("aten::mm", 3..20));
    let trace = launch(trace, 4, 200);
    let trace = launch(shaped(trace.operator("aten::mm", 300..320)), 301, 300);
    launch(trace.operator("foreign", 700..720), 701, 50)
}

fn analysis(trace: &TraceBuilder) -> TraceAnalysis {
    TraceAnalysis::new(&TraceSet::from_bytes(trace.json()).unwrap()).unwrap()
}

fn with_work(by: OperatorsBy) -> Operators {
    Operators { by, work: true, peak: None }
}

fn column(frame: &DataFrame, name: &str) -> Vec<Option<f64>> {
    let column = frame.column(name).unwrap().cast(&polars::prelude::DataType::Float64).unwrap();
    column.f64().unwrap().iter().collect()
}

fn close(found: Option<f64>, expected: f64) {
    assert!(found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-3), "{found:?} {expected}");
}

#[test]
fn work_of_operators_is_that_of_their_own_calls() {
    let frame = analysis(&products()).operators(&with_work(OperatorsBy::Name)).unwrap();
    let names: Vec<&str> = frame.column("name").unwrap().str().unwrap().iter().flatten().collect();
    assert_eq!(names, ["aten::mm", "foreign", "aten::linear"]);
    let expected = [
        ("counted (us)", 500.0),
        ("gflop", 2.0 * 137.439),
        ("megabytes", 2.0 * 100.663),
        ("TFLOP/s", 549.8),
        ("GB/s", 402.7),
        ("intensity", 4096.0 / 3.0),
        // Two of 139 µs at 989 TFLOP/s, of 500 µs.
        ("roofline", 2.0 * 138.97 / 5.0),
    ];
    for (name, value) in expected {
        let found = column(&frame, name);
        close(found[0], value);
        assert_eq!(found[1..], [None, None], "{name}");
    }
    let declared: Vec<&str> =
        columns(Shown { phases: false, work: true, borrowed: false }).iter().map(|column| column.name).collect();
    assert_eq!(frame.get_column_names().iter().map(|name| name.as_str()).collect::<Vec<_>>(), declared);
}

#[test]
fn work_of_a_module_is_that_of_all_below_once() {
    let frame = analysis(&products()).operators(&with_work(OperatorsBy::Module)).unwrap();
    assert_eq!(column(&frame, "count"), [Some(2.0)]);
    close(column(&frame, "gflop")[0], 137.439);
    close(column(&frame, "roofline")[0], 69.48);
}

#[test]
fn rows_by_shape_name_types_and_have_their_work() {
    let frame = analysis(&products()).operators(&with_work(OperatorsBy::Shape)).unwrap();
    let name = frame.column("name").unwrap().str().unwrap().get(0).unwrap().to_owned();
    assert_eq!(name, "aten::mm [[4096, 4096], [4096, 4096]] bf16");
    close(column(&frame, "gflop")[0], 2.0 * 137.439);
}

#[test]
fn limits_of_the_user_count_and_ask_for_work() {
    let peak = Operators { peak: Some("bf16=1374.39".to_owned()), ..Operators::default() };
    let frame = analysis(&products()).operators(&peak).unwrap();
    close(column(&frame, "roofline")[0], 40.0);
    let wrong = Operators { peak: Some("bf15=3".to_owned()), ..Operators::default() };
    let refused = analysis(&products()).operators(&wrong).unwrap_err().to_string();
    assert!(refused.contains("operators") && refused.contains("invalid peak `bf15=3`"), "{refused}");
    let unknown = analysis(&shaped(TraceBuilder::new().operator("aten::mm", 0..20)));
    assert_eq!(column(&unknown.operators(&with_work(OperatorsBy::Name)).unwrap(), "roofline"), [None]);
}

#[test]
fn work_of_two_traces_is_side_by_side() {
    let traces = analysis(&products());
    let answer = traces.ask_two(&traces, &with_work(OperatorsBy::Name)).unwrap();
    let frame = &answer.tables[0].frame;
    close(column(frame, "roofline_control")[0], 2.0 * 138.97 / 5.0);
    assert_eq!(column(frame, "gflop_control"), column(frame, "gflop_test"));
    assert!(frame.column("recomputed_test (us)").is_err(), "{frame}");
}

/// Asserts that operations and times of a trace are those of its roofline.
fn assert_adds_up(traces: &TraceAnalysis, what: &str) {
    let roofline = traces.roofline(&Roofline::default()).unwrap();
    let counts = column(&roofline, "count");
    let flops: f64 = column(&roofline, "gflop").iter().zip(&counts).map(|(one, of)| one.unwrap() * of.unwrap()).sum();
    let time: f64 = column(&roofline, "time (us)").iter().flatten().sum();
    assert!(time > 0.0, "{what}");
    for by in [OperatorsBy::Name, OperatorsBy::Stack, OperatorsBy::Shape] {
        let frame = traces.operators(&with_work(by)).unwrap();
        let sum = |name: &str| column(&frame, name).into_iter().flatten().sum::<f64>();
        assert!((sum("gflop") - flops).abs() <= 1e-9 * flops, "{what} {by:?}: {} {flops}", sum("gflop"));
        assert!((sum("counted (us)") - time).abs() <= 1e-9 * time, "{what} {by:?}: {} {time}", sum("counted (us)"));
    }
}

#[test]
fn work_of_names_adds_up_to_that_of_the_roofline() {
    assert_adds_up(&analysis(&products()), "products");
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    for trace in ["recorded_flops", "trace_diff/control"] {
        let set = TraceSet::load(format!("{shared}/traces/{trace}")).unwrap();
        assert_adds_up(&TraceAnalysis::new(&set).unwrap(), trace);
    }
}
