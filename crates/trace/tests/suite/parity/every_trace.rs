//! Every analysis of every trace, whatever it lacks: an answer, or a note.

use super::goldens::{say, shared};
use serde_json::{Map, Value};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use trace::Questions;
use trace::analysis::CATALOG;
use trace::{Compat, LoadOptions, TraceAnalysis, TraceSet};

#[test]
fn every_analysis_of_every_trace_answers_or_explains() {
    let Some(shared) = shared("every analysis of every trace") else { return };
    let mut folders = Vec::new();
    collect(&shared.join("traces"), &mut folders);
    let (mut asked, mut empty) = (0, 0);
    for folder in &folders {
        for compat in [Compat::Exact, Compat::Hta] {
            let options = LoadOptions { compat, ..LoadOptions::default() };
            let traces = TraceSet::load_with(folder, &options, &mut |_| ControlFlow::Continue(())).unwrap();
            let analysis = TraceAnalysis::new(&traces).unwrap();
            for entry in CATALOG {
                let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
                let arguments: Map<String, Value> =
                    positional.map(|parameter| (parameter.name.to_owned(), Value::from("aten::"))).collect();
                let case = format!("{} of {} {compat}", entry.name, folder.display());
                let answer = entry
                    .ask(&analysis, arguments, Some(&traces.ranks()))
                    .unwrap_or_else(|error| panic!("{case}: {error}"));
                asked += 1;
                for table in &answer.tables {
                    let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
                    let names: Vec<&str> = table.frame.get_column_names().iter().map(|name| name.as_str()).collect();
                    // Counters follow the declared columns, by their names.
                    let declared = if entry.name == "cupti_counters" { &names[..columns.len()] } else { &names[..] };
                    assert_eq!(declared, columns, "{case}");
                }
                if answer.tables.iter().all(|table| table.frame.height() == 0) {
                    assert!(!answer.notes.is_empty(), "{case}: empty without a word");
                    empty += 1;
                }
            }
        }
    }
    say(&format!(
        "every analysis of every trace: {asked} answers of {} folders, {empty} empty ones say why",
        folders.len()
    ));
    assert!(folders.len() >= 12, "only {} folders found", folders.len());
}

#[test]
fn steps_are_operators_of_no_trace() {
    let Some(shared) = shared("steps of every trace") else { return };
    let mut folders = Vec::new();
    collect(&shared.join("traces"), &mut folders);
    let mut named = 0;
    for folder in &folders {
        let description = TraceSet::load(folder).unwrap().describe().unwrap();
        let is_step = |name: &str| name.starts_with("ProfilerStep");
        let operators: Vec<&str> = description.operators.iter().map(|operator| operator.name.as_str()).collect();
        assert!(!operators.iter().any(|name| is_step(name)), "{}: {operators:?}", folder.display());
        named += operators.len();
    }
    say(&format!("steps of every trace: {named} operators of {} folders", folders.len()));
}

/// Collects the folders that contain traces.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut has_trace = false;
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            has_trace |= path.extension().is_some_and(|ending| ending == "gz" || ending == "json");
        }
    }
    if has_trace {
        found.push(folder.to_owned());
    }
    found.sort();
}
