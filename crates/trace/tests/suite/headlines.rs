//! Lines of descriptions: the sentences of the analyses that the magics in them ask, on the demo and on all shared traces.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use trace::analysis::{Analysis, Collectives, Kernels, Operators, OperatorsBy, Roofline};
use trace::prelude::*;

/// Returns folders with trace files.
fn folders(root: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    if entries.iter().any(|path| path.to_string_lossy().ends_with(".json.gz")) {
        found.push(root.to_owned());
    }
    entries.iter().filter(|path| path.is_dir()).for_each(|folder| folders(folder, found));
}

/// Returns the sentence of an answer that begins so, without its full stop.
fn sentence<A: Analysis>(analysis: &TraceAnalysis, query: &A, begins: &[&str]) -> Option<String> {
    let notes = analysis.ask(query).unwrap().notes;
    let note = notes.iter().find(|note| begins.iter().any(|begin| note.starts_with(begin)))?;
    Some(note.strip_suffix('.').unwrap().to_owned())
}

/// Compares the lines of a trace with what the magics say; adds the kinds of the lines.
fn compare(traces: &TraceSet, seen: &mut BTreeMap<&'static str, usize>) {
    let page = traces.describe().unwrap();
    let lines = page.headlines.lines("it");
    let analysis = TraceAnalysis::new(traces).unwrap();
    let modules = Operators { by: OperatorsBy::Module, ..Operators::default() };
    let roofline = sentence(&analysis, &Roofline::default(), &["Operators with a model"])
        .filter(|sentence| sentence.contains("of the roofline"));
    let expected = [
        ("roofline it", roofline),
        ("collectives it", sentence(&analysis, &Collectives::default(), &["Collectives take"])),
        ("kernels it", sentence(&analysis, &Kernels::default(), &["Kernels below", "No kernel takes"])),
        ("operators it --by module", sentence(&analysis, &modules, &["Recomputed for"])),
    ];
    for (magic, sentence) in expected {
        let line = lines.iter().find(|line| line.ends_with(&format!(" (%{magic})")));
        assert_eq!(line.cloned(), sentence.map(|sentence| format!("{sentence} (%{magic})")), "{lines:#?}");
        *seen.entry(magic).or_default() += usize::from(line.is_some());
    }
    assert!(!lines.iter().any(|line| line.contains("on demand")), "{lines:#?}");
}

#[test]
fn lines_are_the_sentences_of_the_magics_on_every_trace() {
    let mut found = Vec::new();
    folders(Path::new("../../notebooks/data"), &mut found);
    let shared = std::env::var_os("TRACEBOOK_SHARED").map_or_else(|| PathBuf::from("../../../shared"), PathBuf::from);
    let traces = shared.join("traces");
    if traces.exists() {
        folders(&traces, &mut found);
    }
    let mut seen = BTreeMap::new();
    for folder in &found {
        if let Ok(traces) = TraceSet::load(folder) {
            compare(&traces, &mut seen);
        }
    }
    eprintln!("lines of {} traces: {seen:?}", found.len());
    // The demo's device is simulated: it has no known limits.
    let wanted: &[&str] =
        if traces.exists() { &["roofline it", "collectives it", "kernels it"] } else { &["kernels it"] };
    assert!(wanted.iter().all(|magic| seen[magic] > 1), "{seen:?}");
}
