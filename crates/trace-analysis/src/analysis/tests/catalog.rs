//! Invariants of every row of the catalog.

use super::ranks;
use crate::analysis::{CATALOG, Entry};
use crate::{Error, TraceAnalysis};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;
use trace_testkit::TraceBuilder;

/// Files of the folder that hold no analysis.
const NOT_ANALYSES: [&str; 25] = [
    "call_inputs",
    "call_trees",
    "two_sides",
    "answer",
    "api",
    "catalog",
    "elsewhere",
    "headlines",
    "hta_api",
    "listed",
    "many_ranks",
    "merge",
    "mod",
    "narrowing",
    "notes",
    "operator_suggestions",
    "over_time",
    "plan",
    "rank_view",
    "retained_rows",
    "schema",
    "shallowest_operators",
    "summary",
    "summary_table",
    "trace_analysis",
];

#[test]
fn every_file_is_a_row_and_every_row_a_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/analysis");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().unwrap().strip_suffix(".rs").map(str::to_owned))
        .filter(|name| !NOT_ANALYSES.contains(&name.as_str()))
        .collect();
    let rows: BTreeSet<String> = CATALOG.iter().map(|entry| entry.name.to_owned()).collect();
    assert_eq!(rows, files);
    assert_eq!(rows.len(), CATALOG.len(), "two analyses of one name");
}

/// A text for each required parameter.
pub(super) fn required(entry: &Entry) -> Map<String, Value> {
    let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
    positional.map(|parameter| (parameter.name.to_owned(), Value::from("aten::mm"))).collect()
}

#[test]
fn every_parameter_is_documented_and_a_field() {
    for entry in CATALOG {
        assert!(entry.summary.ends_with('.') && entry.summary.len() <= 90, "{}", entry.name);
        let defaults = entry.defaults();
        let fields: BTreeSet<&str> =
            defaults.as_object().unwrap().keys().map(String::as_str).filter(|name| *name != "ranks").collect();
        let parameters: BTreeSet<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
        assert_eq!(parameters, fields, "{}", entry.name);
        assert!(entry.parameters.iter().all(|parameter| !parameter.meaning.is_empty()));
    }
}

#[test]
fn tables_have_the_columns_they_document() {
    let analysis = TraceAnalysis::new(&ranks(&[TraceBuilder::new().operator("aten::mm", 0..5)])).unwrap();
    for entry in CATALOG {
        let answer = entry.ask(&analysis, required(entry), None).unwrap();
        let names: Vec<(&str, bool)> = answer.tables.iter().map(|table| (table.name, table.rank.is_some())).collect();
        let documented: Vec<(&str, bool)> = entry.tables.iter().map(|table| (table.name, table.per_rank)).collect();
        assert_eq!(names, documented, "{}", entry.name);
        for table in &answer.tables {
            let named: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            let columns: Vec<&str> = table.frame.get_column_names().iter().map(|name| name.as_str()).collect();
            assert_eq!(named, columns, "{}", entry.name);
        }
    }
}

#[test]
fn notes_explain_answers_without_gpu_events() {
    let analysis = TraceAnalysis::new(&ranks(&[TraceBuilder::new().rank(34).operator("aten::mm", 0..5)])).unwrap();
    for entry in CATALOG {
        let answer = entry.ask(&analysis, required(entry), None).unwrap();
        assert!(answer.notes.iter().any(|note| note.contains("rank 34")), "{}: {:?}", entry.name, answer.notes);
        assert!(answer.figures.is_empty(), "{}", entry.name);
    }
}

#[test]
fn unknown_parameters_and_ranks_are_named() {
    let analysis = TraceAnalysis::new(&ranks(&[TraceBuilder::new().rank(34).operator("aten::mm", 0..5)])).unwrap();
    let error = |ranks: &[i64]| CATALOG[0].ask(&analysis, Default::default(), Some(ranks)).unwrap_err();
    assert_eq!(error(&[0]).to_string(), "trace \"t\" has no rank 0 (has 34)");
    assert!(matches!(error(&[]), Error::NoRankSelected { .. }));
    let arguments = serde_json::from_str(r#"{"nonsense": 1}"#).unwrap();
    let error = CATALOG[0].ask(&analysis, arguments, None).unwrap_err();
    assert_eq!(error.to_string(), "temporal_breakdown: unknown parameter `nonsense`");
}
