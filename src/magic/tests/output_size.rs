//! Bounds on the size of outputs: large figures are thinned, large tables cut, with a note; and labels of figures, which differ.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::display::Output;
use serde_json::Value;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use trace::analysis::CATALOG;
use trace_view::{HTML, PLOTLY, TABLE};

/// Upper bound for one figure, table or HTML page.
const MAX_BYTES: usize = 2_000_000;

/// Adds the size, MIME type and call of each output; nothing for a call that fails.
fn weigh(notebook: &mut Notebook, call: &str, heaviest: &mut Vec<(usize, String, String)>) {
    let Ok(outputs) = notebook.outputs(call) else { return };
    for output in &outputs {
        let Output::Display { bundle, .. } = output else { continue };
        for mime in [TABLE, PLOTLY, HTML] {
            if let Some(content) = bundle.data.get(mime) {
                let bytes = content.to_string().len();
                assert!(bytes <= MAX_BYTES, "{call}: {mime} takes {bytes} bytes");
                assert_eq!(repeated_label(content), None, "{call}: two bars have one label");
                heaviest.push((bytes, mime.to_owned(), call.to_owned()));
            }
        }
    }
}

/// Returns a label at the first axis of a figure that two places have.
fn repeated_label(figure: &Value) -> Option<String> {
    let labels = figure["layout"]["xaxis"]["ticktext"].as_array()?.iter().filter_map(Value::as_str);
    let mut seen = HashSet::new();
    labels.filter(|label| !label.is_empty()).find(|label| !seen.insert(*label)).map(str::to_owned)
}

/// Runs every analysis of a trace.
fn analyse(path: &Path, heaviest: &mut Vec<(usize, String, String)>) {
    let mut notebook = Notebook::default();
    if notebook.outputs(&format!("%trace_load '{}' --as job", path.display())).is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for entry in CATALOG {
        let positional: String =
            entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some()).map(|_| " aten").collect();
        let writes = entry.parameters.iter().any(|parameter| parameter.name == "output");
        let output = if writes { format!(" --output '{}'", folder.path().display()) } else { String::new() };
        weigh(&mut notebook, &format!("%{} job{positional}{output}", entry.name), heaviest);
    }
    weigh(&mut notebook, "%trace_info job", heaviest);
}

/// Runs every comparison of two traces.
fn compare(control: &Path, test: &Path, heaviest: &mut Vec<(usize, String, String)>) {
    let mut notebook = Notebook::default();
    for (label, path) in [("control", control), ("test", test)] {
        notebook.outputs(&format!("%trace_load '{}' --as {label}", path.display())).unwrap();
    }
    for magic in ["compare_traces", "ops_diff", "visualize"] {
        for top in ["", " --top 0"] {
            weigh(&mut notebook, &format!("%{magic} control test{top}"), heaviest);
        }
    }
    for level in ["class", "op", "region", "module"] {
        weigh(&mut notebook, &format!("%waterfall control test --level {level}"), heaviest);
    }
}

#[test]
fn outputs_of_demo_traces_stay_below_two_megabytes() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("notebooks/data");
    let mut heaviest = Vec::new();
    analyse(&data.join("job"), &mut heaviest);
    compare(&data.join("control"), &data.join("test"), &mut heaviest);
    heaviest.sort();
    let figures = heaviest.iter().filter(|(_, mime, _)| mime == PLOTLY).count();
    let tables = heaviest.iter().filter(|(_, mime, _)| mime == TABLE).count();
    assert!(figures >= 15 && tables >= 15, "{figures} figures, {tables} tables");
    println!("heaviest: {:?}", heaviest.last());
}

/// Recorded traces are not part of the project; `TRACEBOOK_SHARED` names their folder.
#[test]
fn outputs_of_recorded_traces_stay_below_two_megabytes() {
    let shared = std::env::var_os("TRACEBOOK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let traces = shared.join("traces");
    let Ok(folders) = std::fs::read_dir(&traces) else {
        println!("skipped: no recorded traces (TRACEBOOK_SHARED)");
        return;
    };
    let mut heaviest = Vec::new();
    for folder in folders.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        analyse(&folder, &mut heaviest);
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            analyse(&path, &mut heaviest);
        }
    }
    for (folder, control, test) in [("trace_diff", "control", "test"), ("trace_compare", "base", "test")] {
        let folder = traces.join(folder);
        if folder.is_dir() {
            compare(&folder.join(control), &folder.join(test), &mut heaviest);
        }
    }
    heaviest.sort();
    assert!(heaviest.len() > 50, "{}", heaviest.len());
    println!("heaviest: {:?}", heaviest.last());
}
