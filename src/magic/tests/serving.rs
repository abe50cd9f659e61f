//! `%serving` in a notebook: its page, files and variables, of one trace and of two, and of any other trace.

use super::Notebook;
use super::fixtures::{at, notebook_with};
use crate::display::Output;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{PLOTLY, PNG, TABLE};

/// A prefill of 100 µs and three decodes of `decode` µs each; the names of kernels are text of the trace.
fn server(decode: i64) -> TraceBuilder {
    let mut trace = TraceBuilder::new().without_rank().metadata("distributedInfo", r#"{"rank": 0, "world_size": 1}"#);
    let mut at = 0;
    for (launch, name, us) in [
        (1, "prefill[bs=2 tok=600 ctx=[300, 300]]", 100),
        (2, "decode[bs=7/8 tok=7 d=7]", decode),
        (3, "decode[bs=7/8 tok=7 d=7]", decode),
        (4, "decode[bs=7/8 tok=7 d=7 <b>]", decode),
    ] {
        trace = trace
            .annotation(name, at..at + us)
            .runtime("hipGraphLaunch", launch, at + 1..at + 3)
            .kernel("gemm<b>", Stream(7), at + 3..at + us)
            .correlation(launch);
        at += us;
    }
    trace
}

fn notebook() -> (TempDir, Notebook) {
    notebook_with(&[("old", server(20)), ("new", server(10))])
}

#[test]
fn serving_shows_sentences_tables_and_figures() {
    let (_folder, mut notebook) = notebook();
    let outputs = notebook.outputs("%serving old").unwrap();
    let bundles: Vec<_> = outputs
        .iter()
        .filter_map(|output| if let Output::Display { bundle, .. } = output { Some(bundle) } else { None })
        .collect();
    let text = bundles[0].plain();
    assert!(text.starts_with("ATOM: 4 steps in 160 µs, 1 prefill, 3 decode."), "{text}");
    assert!(text.contains("decode: 7 requests a step, time per output token 20.0 µs (median; p10 20.0 µs"), "{text}");
    assert!(text.contains("350,000 output tokens/s"), "{text}");
    assert!(text.contains("run 21 of the 24 for which they were captured, in 3 steps: 12.5 % is padding"), "{text}");
    assert!(text.contains("ATOM_ENABLE_DETAILED_ANNOTATION=1"), "{text}");
    assert_eq!(bundles.iter().filter(|bundle| bundle.data.contains_key(TABLE)).count(), 3);
    let figures: Vec<_> = bundles.iter().filter(|bundle| bundle.data.contains_key(PLOTLY)).collect();
    assert_eq!(figures.len(), 2);
    for figure in figures {
        assert!(figure.data.contains_key(PNG));
        let layout = &figure.data[PLOTLY]["layout"];
        assert!(layout["xaxis"]["title"]["text"].as_str().unwrap().starts_with("time since the first step"));
    }
    for bundle in &bundles {
        let html = bundle.data.get("text/html").and_then(Value::as_str).unwrap_or_default();
        assert!(!html.contains("<b>]"), "text of the trace is escaped: {html}");
    }
}

#[test]
fn serving_binds_and_writes_all_tables() {
    let (folder, mut notebook) = notebook();
    let (csv, json, html) = (at(&folder, "s.csv"), at(&folder, "s.json"), at(&folder, "s.html"));
    notebook.text(&format!("x = %serving old --csv '{csv}' --json '{json}' --html '{html}' --quiet"));
    assert_eq!([notebook.frame("x").height(), notebook.frame("x_time").height()], [2, 2]);
    assert_eq!(notebook.frame("x_steps").height(), 4);
    let document: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(document["phases"][1]["padding"]["percent"], 12.5);
    assert!(std::fs::read_to_string(at(&folder, "s.steps.csv")).unwrap().lines().count() == 5);
    assert!(std::fs::read_to_string(&html).unwrap().contains("What the server did in its steps"));
    let text = notebook.text("%serving old --table steps --where 'phase == decode' --sort time --top 2");
    assert!(text.starts_with("steps · old") && text.contains("2 of 3 rows"), "{text}");
    let error = notebook.error("%serving old new --table steps");
    assert!(error.contains("this answer has none"), "{error}");
}

#[test]
fn serving_of_two_traces_compares_phase_with_phase() {
    let (_folder, mut notebook) = notebook();
    let text = notebook.text("%serving old new");
    notebook.text("both = %serving old new");
    assert!(text.contains("decode: time per output token, median 20.0 µs → 10.0 µs (−50.0 %)"), "{text}");
    assert!(text.contains("prefill: step, median 100 µs → 100 µs (0.0 %)"), "{text}");
    let columns: Vec<String> = notebook.frame("both").get_column_names().iter().map(|name| name.to_string()).collect();
    assert_eq!(columns, ["phase", "quantity", "unit", "control", "test", "change", "change_percent"]);
}

#[test]
fn captures_of_a_companion_say_which_graph_a_step_runs() {
    let replay = TraceBuilder::new()
        .annotation("step[DECODE bs=7]", 0..20)
        .runtime("cudaGraphLaunch", 1, 1..3)
        .kernel("k", Stream(7), 4..19)
        .correlation(1);
    let capture = TraceBuilder::new().annotation("capture_8_DECODE", 0..5).annotation("capture_4_DECODE", 6..9);
    let (_folder, mut notebook) = notebook_with(&[("replay", replay), ("capture", capture)]);
    assert!(!notebook.text("%serving replay").contains("padding"));
    let text = notebook.text("%serving replay --companion capture");
    assert!(text.contains("run 7 of the 8 for which they were captured"), "{text}");
    assert!(notebook.text("%serving capture").contains("batches of 4, 8 (DECODE)"));
}

fn folders(of: &Path, found: &mut Vec<PathBuf>) {
    let files: Vec<PathBuf> = std::fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path()).collect();
    if files.iter().any(|file| file.is_file() && trace::read::is_trace_name(&file.display().to_string())) {
        found.push(of.to_owned());
    }
    files.iter().filter(|file| file.is_dir()).for_each(|folder| folders(folder, found));
}

#[test]
fn every_shared_trace_has_steps_or_is_told_what_to_record() {
    let Some(shared) = std::env::var_os("TRACEBOOK_SHARED").map(PathBuf::from).filter(|folder| folder.is_dir()) else {
        eprintln!("skipped: TRACEBOOK_SHARED names no folder of traces");
        return;
    };
    let mut found = Vec::new();
    folders(&shared.join("traces"), &mut found);
    assert!(found.len() > 10);
    let mut notebook = Notebook::default();
    for folder in found {
        if notebook.outputs(&format!("%trace_load '{}' --as one --no-cache --quiet", folder.display())).is_err() {
            continue;
        }
        let text = notebook.text("%serving one");
        let has_servers = text.contains("SGLang: ") || text.contains("vLLM: ");
        let says_what = text.contains("No server annotates") && text.contains("detailed_trace_annotation True");
        assert!(has_servers || says_what, "{}: {text}", folder.display());
    }
}
