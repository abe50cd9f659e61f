//! The analyses of TraceAnalysis on every recorded trace.

use super::goldens::{self, TRACES, close, csv, either, load, say, shared};
use super::ledger::{head, row, section};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use trace::TraceAnalysis;
use trace::analysis::{AnswerTable, CATALOG, Parameter};
use trace::polars::prelude::{AnyValue, DataFrame};

/// The fewest golden tables of each analysis.
const LEAST: &[(&str, usize)] = &[
    ("temporal_breakdown", 9),
    ("comm_comp_overlap", 12),
    ("gpu_kernel_breakdown", 100),
    ("idle_time_breakdown", 45),
    ("memory_bw_time_series", 7),
    ("memory_bw_summary", 5),
    ("queue_length_time_series", 10),
    ("queue_length_summary", 9),
    ("time_blocked_on_full_queue", 24),
    ("cuda_kernel_launch_stats", 30),
    ("frequent_cuda_kernel_sequences", 22),
    ("gpu_user_annotation_breakdown", 14),
    ("gpu_kernels_with_user_annotations", 2),
    ("aten_op_kernels_and_delay", 2),
    ("potential_stragglers", 1),
    ("profiler_steps", 12),
];

/// Analyses whose answer is not a table in HTA, that HTA does not have, or whose goldens are of another form (`rest.rs`).
const NO_TABLE: &[&str] = &[
    "trace_with_counters",
    "compare_ranks",
    "operators",
    "roofline",
    "collectives",
    "cupti_counters",
    "validate",
    "kernels",
];

#[test]
fn every_analysis_equals_htas() {
    let Some(shared) = shared("analyses") else { return };
    // Matched, differs by decision (HTA raised an error), missing.
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    // What HTA raised or did not return, and on which traces.
    let mut decisions: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    let mut not_run = BTreeSet::new();
    let (copies, mut overlays) = (tempfile::tempdir().unwrap(), 0);
    for name in TRACES {
        let folder = shared.join("golden").join(name);
        let (made, raised) = (goldens::json(&folder.join("index.json")), goldens::json(&folder.join("errors.json")));
        let traces = TraceAnalysis::new(&load(&shared, name)).unwrap();
        // Every recorded call of an analysis, so that none is forgotten.
        for (call, recorded) in made.as_object().unwrap() {
            let analysis = call.trim_start_matches("extra/").split('.').next().unwrap();
            let Some(entry) = CATALOG.iter().find(|entry| analysis == entry.name) else {
                // Comparisons and configurations have tests of their own.
                if !call.starts_with("backend ") {
                    not_run.insert(format!("* {analysis}: {name}"));
                }
                continue;
            };
            let counts = counts.entry(entry.name).or_default();
            let params = &recorded["params"];
            let known = |parameter: &&Parameter| params.get(parameter.name).is_some();
            let arguments = entry.parameters.iter().filter(known);
            let arguments = arguments.map(|parameter| (parameter.name.to_owned(), params[parameter.name].clone()));
            let folder_of_copies = entry.parameters.iter().filter(|parameter| parameter.name == "output_dir");
            let folder_of_copies = folder_of_copies.map(|parameter| (parameter.name.to_owned(), json!(copies.path())));
            let arguments = arguments.chain(folder_of_copies).collect();
            let ranks: Option<Vec<i64>> = match &params["rank"] {
                Value::Null => serde_json::from_value(params["ranks"].clone()).unwrap(),
                rank => Some(vec![rank.as_i64().unwrap()]),
            };
            let answer = entry.ask(&traces, arguments, ranks.as_deref()).unwrap();
            if raised.get(call).is_some() {
                // Where HTA raises an error, ours is an answer or explains why it is empty.
                assert!(!answer.notes.is_empty() || answer.tables[0].frame.height() > 0, "{name}: {call}");
                counts[1] += 1;
                let error = &raised[call];
                let message = format!("{}: {}", error["type"].as_str().unwrap(), error["message"].as_str().unwrap());
                decisions.entry((entry.name, message)).or_default().push(name.to_owned());
                continue;
            }
            let files = recorded["files"].as_object().unwrap();
            // Where HTA returns nothing, ours is empty and explains why.
            let nothing = |table: &&AnswerTable| {
                let suffix = table.part();
                let file = [call, &suffix, "csv"].into_iter().filter(|part| !part.is_empty());
                let file = file.map(|part| part.to_owned()).collect::<Vec<_>>().join(".");
                match files.get(&file).or_else(|| files.get(&format!("{file}.gz"))) {
                    Some(rows) => rows.is_null(),
                    None => table.rank.is_some(),
                }
            };
            for table in answer.tables.iter().filter(nothing) {
                assert_eq!(table.frame.height(), 0, "{name}: {call} {:?}", table.rank);
                assert!(!answer.notes.is_empty(), "{name}: {call} {:?}", table.rank);
                counts[1] += 1;
                decisions
                    .entry((entry.name, "returned None, or left the rank out".to_owned()))
                    .or_default()
                    .push(name.to_owned());
            }
            for (file, rows) in files.iter().filter(|(_, rows)| !rows.is_null()) {
                let path = either(folder.join(file.trim_end_matches(".gz")));
                let part = file.trim_start_matches(call.as_str()).split(".csv").next().unwrap().trim_start_matches('.');
                let (empty, differs) = if part == "overlay_stats" {
                    overlays += 1;
                    (false, super::overlays::differs(&answer, &path))
                } else {
                    let table = answer.tables.iter().find(|table| table.part() == part);
                    let frame = &table.unwrap_or_else(|| panic!("{file}")).frame;
                    (*rows == 0 && frame.height() == 0, differs(frame, &path))
                };
                match differs {
                    None => counts[0] += 1,
                    // HTA's empty frames lack the columns that it groups by, or all.
                    Some(_) if empty => {
                        counts[1] += 1;
                        decisions
                            .entry((entry.name, "an empty table that lacks columns".to_owned()))
                            .or_default()
                            .push(name.to_owned());
                    }
                    Some(reason) => {
                        counts[2] += 1;
                        say(&format!("{}: {reason}", path.display()));
                    }
                }
            }
        }
    }
    for (analysis, [matched, decided, missing]) in &counts {
        say(&format!(
            "{analysis}: {matched} tables matched, {decided} on which HTA raised or returned nothing, {missing} missing"
        ));
    }
    page(&counts, &decisions, &not_run, overlays);
    for (analysis, least) in LEAST {
        let [matched, _, missing] = counts[analysis];
        assert!(matched >= *least && missing == 0, "{analysis}: {matched} matched, {missing} missing");
    }
    assert_eq!(LEAST.len() + NO_TABLE.len(), CATALOG.len(), "every analysis has goldens");
}

/// Writes or checks the sections of docs/parity.md about analyses.
fn page(
    counts: &BTreeMap<&str, [usize; 3]>,
    decisions: &BTreeMap<(&str, String), Vec<String>>,
    not_run: &BTreeSet<String>,
    overlays: usize,
) {
    let mut rows = head("analysis").to_vec();
    rows.extend(counts.iter().map(|(analysis, counts)| row(analysis, *counts)));
    let sum = |column: usize| counts.values().map(|counts| counts[column]).sum();
    rows.push(row("all", [0, 1, 2].map(sum)));
    section("Analyses of one trace", &rows);
    let mut rows = vec!["| analysis | HTA | where |".to_owned(), "| --- | --- | --- |".to_owned()];
    for ((analysis, message), traces) in decisions {
        let mut repeats: BTreeMap<&str, usize> = BTreeMap::new();
        traces.iter().for_each(|name| *repeats.entry(name).or_default() += 1);
        let label =
            |(name, times): (&str, usize)| if times == 1 { name.to_owned() } else { format!("{name} ({times})") };
        let labels: Vec<String> = repeats.into_iter().map(label).collect();
        rows.push(format!("| {analysis} | {} | {} |", message.replace('|', "\\|"), labels.join(", ")));
    }
    section("Decisions", &rows);
    let sentence = format!(
        "{overlays} copies of traces have HTA's name, number of events, and number of events that say their patterns."
    );
    section("Overlaid traces", &[sentence]);
    let none = ["Nothing.".to_owned()];
    let rows: Vec<String> = not_run.iter().cloned().collect();
    section("Not run", if rows.is_empty() { &none } else { &rows });
}

/// Returns why a table differs from the golden one.
fn differs(df: &DataFrame, golden: &Path) -> Option<String> {
    let (heads, golden) = csv(golden);
    let ours: Vec<String> = df.get_column_names().iter().map(|name| name.to_string()).collect();
    if heads != ours {
        return Some(format!("columns {ours:?}, golden {heads:?}"));
    }
    let ours: Vec<Vec<String>> = (0..df.height()).map(|row| texts(df, row)).collect();
    let golden: Vec<Vec<String>> =
        golden.into_iter().filter(|row| !(heads[0] == "kernel_type" && row[1].parse() == Ok(0.0))).collect();
    if ours.len() != golden.len() {
        return Some(format!("{} rows, golden {}: {ours:?} {golden:?}", ours.len(), golden.len()));
    }
    let same = |ours: &str, golden: &str| {
        ours == golden || ours.parse().ok().zip(golden.parse().ok()).is_some_and(|(ours, golden)| close(ours, golden))
    };
    ours.iter().zip(&golden).enumerate().find_map(|(row, (ours, golden))| {
        let all = ours.iter().zip(golden).all(|(ours, golden)| same(ours, golden));
        (!all).then(|| format!("row {row}: {ours:?}, golden {golden:?}"))
    })
}

/// Returns the values of a row as a golden writes them: empty for absence.
fn texts(df: &DataFrame, row: usize) -> Vec<String> {
    let text = |value: AnyValue<'_>| match value {
        AnyValue::Null => String::new(),
        AnyValue::String(_) | AnyValue::StringOwned(_) => value.get_str().unwrap().to_owned(),
        value if value.dtype().is_float() => format!("{:?}", value.try_extract::<f64>().unwrap()),
        value => value.to_string(),
    };
    df.columns().iter().map(|column| text(column.get(row).unwrap())).collect()
}
