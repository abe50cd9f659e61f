//! Answers of two traces, checked by hand.

use super::{column, ranks};
use crate::analysis::{CATALOG, Operators, ProfilerSteps, TraceAnalysis};
use crate::{Error, TraceSet};
use polars::prelude::{DataFrame, DataType};
use serde_json::Map;
use trace_testkit::{Stream, TraceBuilder};

/// A step in which each operator launches one kernel of so many ns.
fn recorded(operators: &[(&str, i64)]) -> TraceSet {
    let mut builder = TraceBuilder::new().nanos().step(1, 0..10_000).step(2, 10_000..20_000);
    for (number, &(name, ns)) in (0..).zip(operators) {
        let (start, launched) = (1_000 * number, 10 + number);
        builder = builder
            .operator(name, start..start + 500)
            .runtime("cudaLaunchKernel", launched, start + 100..start + 200)
            .kernel("gemm", Stream(7), start + 300..start + 300 + ns)
            .correlation(launched);
    }
    ranks(&[builder])
}

fn names(df: &DataFrame) -> Vec<String> {
    df.column("name")
        .unwrap()
        .cast(&DataType::String)
        .unwrap()
        .str()
        .unwrap()
        .iter()
        .map(|name| name.unwrap().to_owned())
        .collect()
}

fn analysis(traces: &TraceSet) -> TraceAnalysis {
    TraceAnalysis::new(traces).unwrap()
}

#[test]
fn rows_of_equal_keys_meet_and_the_largest_change_is_first() {
    let control = analysis(&recorded(&[("mm", 300), ("add", 100), ("old", 40)]));
    let test = analysis(&recorded(&[("add", 110), ("mm", 250), ("new", 70)]));
    let answer = control.ask_two(&test, &Operators::default()).unwrap();
    let df = &answer.tables[0].frame;
    assert_eq!(names(df), ["new", "mm", "old", "add"]);
    for (change, expected) in column(df, "diff_kernel_self (us)").iter().zip([0.07, -0.05, -0.04, 0.01]) {
        assert!((change - expected).abs() < 1e-9, "{change} {expected}");
    }
    let expected = [
        ("kernel_self_control (us)", [f64::NAN, 0.3, 0.04, 0.1]),
        ("kernel_self_test (us)", [0.07, 0.25, f64::NAN, 0.11]),
    ];
    for (name, numbers) in expected {
        // An operator that a side lacks has no time there.
        assert_eq!(format!("{:?}", column(df, name)), format!("{numbers:?}"), "{name}");
    }
    assert_eq!(column(df, "count_test")[1], 1.0);
    let declared: Vec<&str> = answer.tables[0].columns.iter().map(|column| column.name).collect();
    let columns: Vec<&str> = df.get_column_names().into_iter().map(|name| name.as_str()).collect();
    let asked = declared.iter().filter(|name| columns.contains(name)).copied().collect::<Vec<&str>>();
    assert_eq!(columns, asked);
    assert_eq!(columns.len(), 10, "no phases of modules, no work: {columns:?}");
}

#[test]
fn change_of_each_analysis_is_the_difference_of_its_answers() {
    let (control, test) = (recorded(&[("mm", 300), ("mm", 200), ("add", 100)]), recorded(&[("mm", 350), ("sub", 10)]));
    let (control, test) = (analysis(&control), analysis(&test));
    for entry in CATALOG.iter().filter(|entry| entry.is_of_two()) {
        let answer = entry.ask_two([&control, &test], Map::new(), [None; 2]).unwrap();
        let df = &answer.tables[0].frame;
        let first = entry.tables[0].join.unwrap().values[0];
        let sum =
            |df: &DataFrame, name: &str| -> f64 { column(df, name).iter().filter(|number| !number.is_nan()).sum() };
        let alone = [&control, &test].map(|side| {
            let answer = entry.ask(side, Map::new(), None).unwrap();
            sum(&answer.main(), first)
        });
        let change = sum(df, &format!("diff_{first}"));
        assert!((change - (alone[1] - alone[0])).abs() < 1e-9, "{}: {change} {alone:?}", entry.name);
        assert!(answer.title.starts_with(&format!("{} · ", entry.name)), "{}", answer.title);
    }
}

#[test]
fn equal_traces_have_no_change() {
    let traces = recorded(&[("mm", 300), ("mm", 200), ("add", 100)]);
    let answer = analysis(&traces).ask_two(&analysis(&traces), &Operators::default()).unwrap();
    assert!(column(&answer.tables[0].frame, "diff_kernel_self (us)").iter().all(|change| *change == 0.0));
}

#[test]
fn analysis_of_one_trace_refuses_a_second_one() {
    let traces = analysis(&recorded(&[("mm", 300)]));
    let error = traces.ask_two(&traces, &ProfilerSteps::default()).unwrap_err();
    assert!(matches!(error, Error::WrongParameter { .. }), "{error}");
    assert!(error.to_string().contains("expected one trace"), "{error}");
}
