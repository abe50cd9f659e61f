//! The events that HTA's TraceAnalysis sees: aligned, without the last profiler step.

use super::goldens::{TRACES, csv, files, json, load, parts, say, shared};
use super::ledger::counted;
use trace::TraceAnalysis;
use trace::polars::prelude::DataType;

#[test]
fn rows_that_analyses_see_equal_htas() {
    let Some(shared) = shared("loaded events") else { return };
    let (mut tables, mut total) = (0, 0);
    for name in TRACES {
        let analysis = TraceAnalysis::new(&load(&shared, name)).unwrap();
        let paths = files(&shared.join("golden").join(name), "loaded_events.rank");
        assert_eq!(paths.len(), analysis.ranks().len(), "{name}");
        for path in paths {
            let rank: i64 = parts(&path)[0].trim_start_matches("rank").parse().unwrap();
            let view = analysis.views().map(Result::unwrap).find(|view| view.rank() == rank).unwrap();
            let events = view.events().unwrap();
            let ints = |name: &str| -> Vec<i64> {
                events.column(name).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().iter().flatten().collect()
            };
            let ours: Vec<(i64, f64)> =
                ints("index").into_iter().zip(ints("ts").into_iter().map(|ts| ts as f64 / 1e3)).collect();
            let (heads, rows) = csv(&path);
            assert_eq!(heads, ["index", "ts"]);
            let golden: Vec<(i64, f64)> =
                rows.iter().map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap())).collect();
            assert_eq!(ours.len(), golden.len(), "{}", path.display());
            assert_eq!(ours, golden, "{}", path.display());
            (tables, total) = (tables + 1, total + rows.len());
        }
    }
    say(&format!("loaded events: {total} rows in {tables} tables, in HTA's order"));
    counted("events that analyses see, in order", [total, 0, 0]);
    assert!(tables >= 15, "only {tables} goldens found");
}

#[test]
fn number_of_rows_with_the_last_step_equals_htas() {
    let Some(shared) = shared("include_last_profiler_step") else { return };
    let mut ranks = 0;
    for name in TRACES {
        let summary = json(&shared.join("golden").join(name).join("summary.json"));
        let analysis = TraceAnalysis::with_last_profiler_step(&load(&shared, name), true).unwrap();
        for view in analysis.views().map(Result::unwrap) {
            let golden = &summary["loaded_include_last_profiler_step"][view.rank().to_string()]["events"];
            let ours = view.events().unwrap().height();
            assert_eq!(Some(ours as u64), golden.as_u64(), "{name} rank {}", view.rank());
            ranks += 1;
        }
    }
    say(&format!("include_last_profiler_step: {ranks}/{ranks} ranks"));
    counted("ranks with the last profiler step", [ranks, 0, 0]);
    assert!(ranks >= 15);
}
