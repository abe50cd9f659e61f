//! compare_traces, ops_diff and ops_summary.

use super::goldens::{DIFFS, TRACES, close, csv, files, json, load, parts, say, shared};
use super::ledger::counted;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use trace::polars::prelude::{DataFrame, DataType};
use trace::{DeviceType, Error, LabeledTrace, OpsDiff, SelectEvents, TraceDiff, Warning};

#[test]
fn compare_traces_equals_htas() {
    let Some(shared) = shared("compare_traces") else { return };
    let (mut matched, mut total) = (0, 0);
    for (golden, control, test) in DIFFS {
        let folder = shared.join("golden").join(golden);
        let cases = json(&folder.join("cases.json"));
        let diff = sides(&shared, control, test);
        let (mut here, mut good) = (0, 0);
        for path in files(&folder, "compare_traces.") {
            let [case, device, form] = &parts(&path)[..] else { panic!("{}", path.display()) };
            let diff = with_case(diff.clone(), &cases["cases"][case]).device_type(device.parse().unwrap());
            let df = diff.use_short_name(form == "short").compare_traces().unwrap();
            here += 1;
            match differs(&df, &path, form) {
                None => good += 1,
                Some(reason) => say(&format!("{}: {reason}", path.display())),
            }
        }
        say(&format!("compare_traces {golden}: {good}/{here} tables"));
        (matched, total) = (matched + good, total + here);
    }
    say(&format!("compare_traces: {matched}/{total} tables"));
    counted("tables of compare_traces", [matched, 0, total - matched]);
    assert!(total >= 320, "only {total} goldens found");
    assert_eq!(matched, total);
}

#[test]
fn ops_diff_equals_htas() {
    let Some(shared) = shared("ops_diff") else { return };
    let (mut matched, mut total) = (0, 0);
    for (golden, control, test) in DIFFS {
        let folder = shared.join("golden").join(golden);
        let cases = json(&folder.join("cases.json"));
        let diff = sides(&shared, control, test);
        for path in files(&folder, "ops_diff.") {
            let [case, device] = &parts(&path)[..] else { panic!("{}", path.display()) };
            let diff = with_case(diff.clone(), &cases["cases"][case]).device_type(device.parse().unwrap());
            let expected: OpsDiff = serde_json::from_value(json(&path)).unwrap();
            total += 1;
            if diff.ops_diff().unwrap() == expected {
                matched += 1;
            } else {
                say(&format!("{}: differs", path.display()));
            }
        }
    }
    say(&format!("ops_diff: {matched}/{total} answers"));
    counted("answers of ops_diff", [matched, 0, total - matched]);
    assert!(total >= 156, "only {total} goldens found");
    assert_eq!(matched, total);
}

#[test]
fn ops_summary_equals_htas() {
    let Some(shared) = shared("ops_summary") else { return };
    let mut total = 0;
    for name in TRACES {
        let paths = files(&shared.join("golden").join(name), "ops_summary.");
        if paths.is_empty() {
            continue;
        }
        let trace = LabeledTrace::from(load(&shared, name));
        for path in paths {
            let device: DeviceType = parts(&path)[0].parse().unwrap();
            let ops = trace.extract_ops(None, None, device).unwrap();
            let ours = LabeledTrace::get_ops_summary(&ops).unwrap();
            let (heads, rows) = csv(&path);
            assert_eq!(heads, names(&ours), "{}", path.display());
            assert_eq!(rows.len(), ours.height(), "{}", path.display());
            for (row, expected) in rows.iter().enumerate() {
                for (column, value) in expected.iter().enumerate() {
                    assert!(same(&ours, column, row, value), "{} row {row}: {expected:?}", path.display());
                }
            }
            total += 1;
        }
    }
    say(&format!("ops_summary: {total}/{total} tables"));
    counted("tables of ops_summary", [total, 0, 0]);
    assert!(total >= 33, "only {total} goldens found");
}

#[test]
fn where_hta_refuses_an_argument_so_do_we_and_say_what_there_is() {
    let Some(shared) = shared("refused arguments") else { return };
    for (golden, control, test) in DIFFS {
        let folder = shared.join("golden").join(golden);
        let refused = json(&folder.join("errors.json"));
        let refused: BTreeSet<&str> = refused.as_object().unwrap().keys().map(String::as_str).collect();
        let diff = sides(&shared, control, test);
        assert!(refused.contains("compare_traces.bad_rank.ALL.long"), "{golden}");
        let error = diff.clone().control_rank(999).compare_traces().unwrap_err();
        assert!(matches!(&error, Error::UnknownRank { rank: 999, available, .. } if !available.is_empty()), "{error}");
        assert!(refused.contains("compare_traces.bad_iteration.ALL.long"), "{golden}");
        let error = diff.clone().control_iteration(999_999).compare_traces().unwrap_err();
        let known =
            matches!(&error, Error::UnknownIteration { iteration: 999_999, available, .. } if !available.is_empty());
        assert!(known || matches!(&error, Error::NoIterations { .. }), "{error}");
        // HTA refuses traces without ProfilerStep; here their whole window counts.
        let without_steps = refused.contains("compare_traces.default.CPU.long");
        assert_eq!(without_steps, golden.starts_with("critical_path"), "{golden}");
        if without_steps {
            let df = diff.clone().compare_traces().unwrap();
            assert!(df.height() > 0);
            let without = |warning: &&Warning| matches!(warning, Warning::NoProfilerStep { .. });
            assert_eq!(diff.warnings().iter().filter(without).count(), 2, "{:?}", diff.warnings());
            assert_eq!(diff.ops_diff().unwrap().unchanged.len(), df.height());
        }
    }
}

fn sides(shared: &Path, control: &str, test: &str) -> TraceDiff {
    let control_side = LabeledTrace::new("Control", load(shared, control));
    let test_side = LabeledTrace::new("Test", load(shared, test));
    TraceDiff::new(control_side, test_side)
}

fn with_case(mut diff: TraceDiff, case: &Value) -> TraceDiff {
    for (key, value) in case.as_object().unwrap_or_else(|| panic!("no such case: {case}")) {
        let numbers: Vec<i64> = match value {
            Value::Array(numbers) => numbers.iter().map(|number| number.as_i64().unwrap()).collect(),
            number => vec![number.as_i64().unwrap()],
        };
        diff = match key.as_str() {
            "control_rank" => diff.control_rank(numbers),
            "test_rank" => diff.test_rank(numbers),
            "control_iteration" => diff.control_iteration(numbers),
            "test_iteration" => diff.test_iteration(numbers),
            other => panic!("a case has an unknown argument: {other}"),
        };
    }
    diff
}

/// Why a table is not the golden one.
fn differs(df: &DataFrame, golden: &Path, form: &str) -> Option<String> {
    let (heads, rows) = csv(golden);
    let key = if form == "short" { "short_name" } else { "name" };
    if heads[0] != key || heads != names(df) {
        return Some(format!("columns {:?}, golden {heads:?}", names(df)));
    }
    if rows.len() != df.height() {
        return Some(format!("{} rows, golden {}", df.height(), rows.len()));
    }
    rows.iter().enumerate().find_map(|(row, expected)| {
        let bad = expected.iter().enumerate().find(|(column, value)| !same(df, *column, row, value))?;
        Some(format!("row {row}, {}: golden {expected:?}", heads[bad.0]))
    })
}

/// Whether a value of a frame is what a golden says: numbers as numbers, counts exactly.
fn same(df: &DataFrame, column: usize, row: usize, golden: &str) -> bool {
    let column = &df.columns()[column];
    if column.dtype().is_integer() {
        let ints = column.cast(&DataType::Int64).unwrap();
        let ints = ints.i64().unwrap();
        return ints.get(row).map(|value| value as f64) == golden.parse().ok();
    }
    if let Ok(floats) = column.f64() {
        return close(floats.get(row).unwrap(), golden.parse().unwrap());
    }
    column.get(row).unwrap().get_str() == Some(golden)
}

fn names(df: &DataFrame) -> Vec<String> {
    df.get_column_names().iter().map(|name| name.to_string()).collect()
}
