//! Loading, listing, comparing, drawing and dropping two small traces.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::{at, folder, loaded};
use super::notebook::plain;
use crate::display::Output;
use crate::session::Binding;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use trace::{SelectEvents, TraceDiff};
use trace_testkit::TraceBuilder;
use trace_view::{PLOTLY, PNG};

#[test]
fn empty_comparison_is_reported() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let text = notebook.text("%compare_traces control test --where 'dur > 1s'");
    assert!(text.starts_with("nothing to compare: neither trace has such events"), "{text}");
    assert!(!notebook.text("%compare_traces control test").contains("nothing to compare"));
}

/// Returns the first line that contains `word`.
fn line<'a>(text: &'a str, word: &str) -> &'a str {
    text.lines().find(|line| line.contains(word)).unwrap_or_else(|| panic!("no {word} in:\n{text}"))
}

#[test]
fn load_binds_a_variable_and_prints_a_summary() {
    let folder = folder();
    let mut notebook = Notebook::default();
    let text = notebook.text(&format!("%trace_load '{}' --as monday", at(&folder, "control.json")));
    assert!(text.starts_with("monday: TraceSet, 1 rank · 6 events · loaded in "), "{text}");
    assert!(
        text.lines().next().is_some_and(|line| line.contains(" ms") || line.contains(" µs")),
        "short times have digits: {text}"
    );
    assert!(matches!(notebook.cells.bound.get("monday"), Some(Binding::Trace(trace)) if trace.label() == "monday"));
    assert_eq!(notebook.session.trace("monday").unwrap().iterations(), [1]);
}

#[test]
fn label_defaults_to_the_file_stem() {
    let folder = folder();
    let mut notebook = Notebook::default();
    let text = notebook.text(&format!("%trace_load '{}'", at(&folder, "test.json.gz")));
    assert!(text.starts_with("test: TraceSet"), "{text}");
    let quiet = notebook.text(&format!("other = %trace_load '{}'", at(&folder, "test.json.gz")));
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
    assert_eq!(notebook.text(&format!("%trace_load '{}' --as third --quiet", at(&folder, "test.json.gz"))), "");
    assert_eq!(notebook.session.traces().keys().collect::<Vec<_>>(), ["other", "test", "third"]);
}

#[test]
fn failed_load_keeps_the_older_trace() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let before = Arc::clone(notebook.session.trace("control").unwrap());
    let error = notebook.error("%trace_load /no/such/trace.json --as control");
    assert!(error.starts_with("TraceError: /no/such/trace.json: "), "{error}");
    assert!(Arc::ptr_eq(&before, notebook.session.trace("control").unwrap()));
    notebook.text(&format!("%trace_load '{}' --as control", at(&folder, "test.json.gz")));
    assert!(!Arc::ptr_eq(&before, notebook.session.trace("control").unwrap()));
}

#[test]
fn load_under_a_used_label_reports_the_replacement() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let control = at(&folder, "control.json");
    let again = notebook.text(&format!("%trace_load '{control}'"));
    assert!(!again.contains("replaces"), "the same file again: {again}");
    let other = notebook.text(&format!("%trace_load '{}' --as control", at(&folder, "test.json.gz")));
    assert!(line(&other, "control: TraceSet").ends_with(&format!(" · replaces {control}")), "{other}");
}

#[test]
fn interrupted_load_keeps_the_older_trace() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let before = Arc::clone(notebook.session.trace("control").unwrap());
    notebook.sink.interrupted.store(true, Ordering::Relaxed);
    let error = notebook.error(&format!("%trace_load '{}' --as control", at(&folder, "test.json.gz")));
    assert_eq!(error, "KeyboardInterrupt: interrupted");
    assert!(Arc::ptr_eq(&before, notebook.session.trace("control").unwrap()));
}

#[test]
fn repairs_are_warnings_even_with_quiet() {
    let folder = folder();
    let whole = std::fs::read_to_string(at(&folder, "control.json")).unwrap();
    std::fs::write(at(&folder, "cut.json"), &whole[..whole.len() - 60]).unwrap();
    let text = Notebook::default().text(&format!("%trace_load '{}' --quiet", at(&folder, "cut.json")));
    assert!(text.starts_with("Warning: ") && text.contains("cut.json is incomplete"), "{text}");
    let shown = Notebook::default().text(&format!("%trace_load '{}'", at(&folder, "cut.json")));
    assert_eq!(shown.matches("is incomplete").count(), 1, "{shown}");
}

#[test]
fn strict_rejects_invalid_json_with_its_position() {
    let folder = folder();
    let whole = std::fs::read_to_string(at(&folder, "control.json")).unwrap();
    let broken = whole.replacen("\"name\"", "\n\"name\": NaN, \"name\"", 1);
    assert_ne!(whole, broken);
    std::fs::write(at(&folder, "broken.json"), &broken).unwrap();
    let mut notebook = loaded(&folder);
    let before = Arc::clone(notebook.session.trace("control").unwrap());
    let error = notebook.error(&format!("%trace_load '{}' --as control --strict", at(&folder, "broken.json")));
    let byte = broken.find("NaN").unwrap();
    assert!(
        error.starts_with("TraceError: ") && error.contains("broken.json is not valid JSON: expected value"),
        "{error}"
    );
    assert!(error.contains(&format!("column 9 (byte {byte})")), "{error}");
    assert!(Arc::ptr_eq(&before, notebook.session.trace("control").unwrap()));
    let text = notebook.text(&format!("%trace_load '{}' --as control --strict", at(&folder, "test.json.gz")));
    assert!(text.starts_with("control: TraceSet"), "{text}");
}

#[test]
fn compat_is_chosen_when_loading() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    notebook.text(&format!("%trace_load '{}' --as hta --compat hta", at(&folder, "test.json.gz")));
    assert_eq!(notebook.session.trace("hta").unwrap().compat(), trace::Compat::Hta);
    let text = notebook.text("%compare_traces control hta");
    assert!(text.contains("Warning: "), "{text}");
}

#[test]
fn traces_are_listed_described_and_dropped() {
    let folder = folder();
    let mut notebook = Notebook::default();
    assert_eq!(notebook.text("%trace_list"), "No trace is loaded; %trace_load PATH --as NAME loads one.\n");
    notebook = loaded(&folder);
    let list = notebook.text("%trace_list");
    assert!(line(&list, "control.json").contains("exact") && line(&list, "test.json.gz").contains("  1  "), "{list}");
    assert!(notebook.text("%trace_info control").contains("control"));
    let dropped = notebook.text("%trace_drop control");
    assert!(dropped.starts_with("dropped control: "), "{dropped}");
    assert!(notebook.session.trace("control").is_none() && !notebook.cells.bound.contains_key("control"));
    assert_eq!(
        notebook.error("%trace_info control"),
        "UsageError: %trace_info: unknown trace `control`: expected test"
    );
}

#[test]
fn unknown_trace_lists_loaded_traces() {
    let folder = folder();
    assert_eq!(
        loaded(&folder).error("%compare_traces contrl test"),
        "UsageError: %compare_traces: unknown trace `contrl`: expected control or test; did you mean control?"
    );
}

#[test]
fn comparison_is_a_table_with_caption_and_footer() {
    let folder = folder();
    let text = loaded(&folder).text("%compare_traces control test");
    assert!(text.starts_with("compare_traces · control → test · CPU + GPU · rank 0 → 0 · iteration 1 → 1\n"), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("aten::") || line.contains("gemm")).collect();
    // |diff_duration|: mm +40, add −20, gemm −20, relu +10.
    assert!(rows[0].contains("aten::mm") && rows[3].contains("aten::relu"), "{text}");
    assert!(text.trim_end().ends_with("6 rows × 9 columns · sorted by |diff_duration| ↓"), "{text}");
    let gpu = loaded(&folder).text("%compare_traces control test --device-type GPU --use-short-name");
    assert!(
        gpu.starts_with("compare_traces · control → test · GPU · rank 0 → 0 · iteration 1 → 1 · short names\n"),
        "{gpu}"
    );
    assert!(line(&gpu, "gemm").trim_start().starts_with("gemm"), "{gpu}");
}

#[test]
fn bound_comparison_has_all_rows_in_htas_order() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    assert_eq!(notebook.text("df = %compare_traces control test --top 1"), "df: DataFrame 6 × 8\n");
    let control = notebook.session.trace("control").unwrap();
    let test = notebook.session.trace("test").unwrap();
    let expected = TraceDiff::new(&**control, &**test).compare_traces().unwrap();
    assert!(notebook.frame("df").equals(&expected));
}

#[test]
fn trace_can_be_compared_with_itself() {
    let folder = folder();
    let text = loaded(&folder).text("%ops_diff control control");
    assert!(text.starts_with("added 0 · deleted 0 · increased 0 · decreased 0 · unchanged 5\n"), "{text}");
}

#[test]
fn unknown_rank_or_iteration_is_an_error() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    assert_eq!(
        notebook.error("%compare_traces control test --test-iteration 7"),
        "SelectionError: trace \"test\" has no iteration 7 (has 1)"
    );
    assert_eq!(
        notebook.error("%compare_traces control test --control-rank 3"),
        "SelectionError: trace \"control\" has no rank 3 (has 0)"
    );
}

#[test]
fn frame_cannot_take_the_name_of_a_trace() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    for magic in ["%compare_traces", "%ops_diff"] {
        let error = notebook.error(&format!("control = {magic} control test"));
        assert!(
            error.ends_with(
                ": cannot bind control: a loaded trace has this name; choose another name, or %trace_drop control first"
            ),
            "{error}"
        );
    }
    assert!(matches!(notebook.cells.bound.get("control"), Some(Binding::Trace(_))));
}

#[test]
fn groups_are_counted_shown_written_and_bound() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let json = at(&folder, "ops.json");
    let text = notebook.text(&format!("%ops_diff control test --device-type cpu --json '{json}' --as ops"));
    let summary = "added 1 · deleted 1 · increased 1 · decreased 0 · unchanged 2";
    assert!(text.starts_with(&format!("{summary}\n")), "{text}");
    for (name, group) in [
        ("aten::relu", "added"),
        ("aten::add", "deleted"),
        ("aten::mm", "increased"),
        ("cudaLaunchKernel", "unchanged"),
    ] {
        assert!(line(&text, name).contains(group), "{text}");
    }
    assert!(text.ends_with(&format!("wrote {json}: {summary}\nops: OpsDiff {summary}\n")), "{text}");
    let Some(Binding::OpsDiff(ops)) = notebook.cells.bound.get("ops") else { panic!("not bound") };
    let control = notebook.session.trace("control").unwrap();
    let test = notebook.session.trace("test").unwrap();
    let expected = TraceDiff::new(&**control, &**test).device_type(trace::DeviceType::CPU).ops_diff().unwrap();
    assert_eq!(ops, &expected);
    let written = std::fs::read_to_string(&json).unwrap();
    assert_eq!(serde_json::from_str::<trace::OpsDiff>(&written).unwrap(), expected);
    let keys: Vec<usize> = ["added", "deleted", "increased", "decreased", "unchanged"]
        .iter()
        .map(|key| written.find(&format!("\"{key}\"")).unwrap())
        .collect();
    assert!(keys.is_sorted());
}

#[test]
fn category_selects_a_group() {
    let folder = folder();
    let text = loaded(&folder).text("%ops_diff control test --category added");
    assert!(text.contains("aten::relu") && !text.contains("aten::mm") && text.contains("1 of 6 rows match"), "{text}");
}

#[test]
fn figure_is_one_output_and_two_files() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let (html, png) = (at(&folder, "a.html"), at(&folder, "a.png"));
    let outputs = notebook.outputs(&format!("%visualize control test --top 2 --html '{html}' --png '{png}'")).unwrap();
    let Some(Output::Display { bundle, id: None }) = outputs.first() else { panic!("{outputs:?}") };
    assert!(bundle.data.contains_key(PLOTLY) && bundle.data.contains_key(PNG));
    let text = bundle.plain();
    assert!(
        text.contains(
            "control → test · CPU + GPU · rank 0 → 0 · iteration 1 → 1 · 2 of 6 operators · sorted by |diff_duration| ↓"
        ),
        "{text}"
    );
    assert!(text.contains("aten::mm") && !text.contains("aten::relu"), "{text}");
    let written: Vec<&str> = outputs[1..]
        .iter()
        .map(|output| match output {
            Output::Stdout(text) => text.trim_end(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(written, [format!("wrote {html}"), format!("wrote {png}")]);
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("Plotly.newPlot") && page.contains("aten::mm") && !page.contains("<float>"));
}

#[test]
fn kind_log_and_height_apply_to_the_figure() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let json = |outputs: Vec<Output>| match outputs.first() {
        Some(Output::Display { bundle, .. }) => bundle.data.get(PLOTLY).unwrap().to_string(),
        other => panic!("{other:?}"),
    };
    let counts = json(notebook.outputs("%visualize control test --kind counts --log --height 333").unwrap());
    assert!(counts.contains("Count") && counts.contains("\"type\":\"log\"") && counts.contains("333"), "{counts}");
    let duration = json(notebook.outputs("%visualize control test").unwrap());
    assert!(duration.contains("Duration") && !duration.contains("\"type\":\"log\""), "{duration}");
}

#[test]
fn variable_is_drawn_in_its_own_order() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    notebook.text("df = %compare_traces control test --sort diff_counts:asc");
    let names = |notebook: &mut Notebook, code: &str| -> Vec<&'static str> {
        let text = notebook.outputs(code).unwrap().iter().map(plain).collect::<String>();
        let known = ["aten::mm", "aten::add", "aten::relu", "gemm"];
        text.lines().filter_map(|line| known.into_iter().find(|name| line.contains(name))).collect()
    };
    assert_eq!(names(&mut notebook, "%visualize df --kind counts --top 1"), ["aten::add"]);
    // A comparison in HTA's order: --top keeps the largest changes.
    notebook.text("raw = %compare_traces control test");
    assert_eq!(names(&mut notebook, "%visualize raw --top 1"), ["aten::mm"]);
    assert_eq!(names(&mut notebook, "%visualize raw").first(), Some(&"aten::add"));
}

#[test]
fn visualize_rejects_flags_that_do_not_apply() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    notebook.text("df = %compare_traces control test");
    assert_eq!(
        notebook.error("%visualize df --control-rank 0"),
        "UsageError: %visualize: cannot use --control-rank: df is a variable, and the flag selects events of two traces"
    );
    assert!(
        notebook
            .error("%visualize control")
            .starts_with("UsageError: %visualize: missing TEST: control is a trace, and two are compared; usage: ")
    );
    assert_eq!(
        notebook.error("%show control"),
        "UsageError: %show: invalid variable `control`: expected a data frame, not a loaded trace; 'control.events()' is a data frame"
    );
}

#[test]
fn rank_selects_the_ranks_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..3 {
        let json = TraceBuilder::new().rank(rank).step(1, 0..9).operator("aten::mm", 1..2).json();
        std::fs::write(folder.path().join(format!("rank{rank}.json")), json).unwrap();
    }
    let mut notebook = Notebook::default();
    notebook.text(&format!("%trace_load '{}' --as run --ranks 0,2", folder.path().display()));
    assert_eq!(notebook.session.trace("run").unwrap().ranks(), [0, 2]);
    let whole = notebook.text("%trace_info run");
    assert!(whole.contains("rank0.json") && whole.contains("rank2.json"), "{whole}");
    let one = notebook.text("%trace_info run --rank 2");
    assert!(!one.contains("rank0.json") && one.contains("rank2.json") && one.contains("1 of 2 rows"), "{one}");
    assert_eq!(notebook.error("%trace_info run --rank 1"), "SelectionError: trace \"run\" has no rank 1 (has 0, 2)");
    assert!(Path::new(notebook.session.path("run").unwrap()).is_dir());
}
