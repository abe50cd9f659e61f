//! Labels of several runs: loading, listing, comparing and dropping groups.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::at;
use super::timeline::drawn;
use crate::display::Output;
use crate::magic::complete;
use crate::session::Binding;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{FLAME, PLOTLY, TABLE, TIMELINE};

/// Writes `control-1`, `control-2` and `control-10`, folders of one rank whose kernel takes 20, 22 and 24 µs, and `test.json` with 35 µs.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (run, us) in [("control-1/a", 20), ("control-2/a", 22), ("control-10/a", 24), ("test", 35)] {
        let mut trace = TraceBuilder::new();
        for (iteration, at) in [(1, 0), (2, 100)] {
            trace = trace
                .step(iteration, at..at + 100)
                .operator("aten::mm", at + 5..at + 30)
                .runtime("cudaLaunchKernel", iteration, at + 10..at + 20)
                .kernel("gemm", Stream(7), at + 30..at + 30 + us)
                .correlation(iteration);
        }
        let path = folder.path().join(format!("{run}.json"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, trace.json()).unwrap();
    }
    folder
}

/// Returns a notebook with the group `control` and the trace `test`.
fn loaded(folder: &TempDir) -> Notebook {
    let mut notebook = Notebook::default();
    notebook.text(&format!("%trace_load {}\n%trace_load {}", at(folder, "control-*"), at(folder, "test.json")));
    notebook
}

fn bound(notebook: &Notebook, name: &str) -> Option<String> {
    match notebook.cells.bound.get(name) {
        Some(Binding::Trace(trace)) => Some(trace.label().to_owned()),
        _ => None,
    }
}

#[test]
fn pattern_loads_a_group_in_order_of_numbers() {
    let folder = folder();
    let mut notebook = Notebook::default();
    let text = notebook.text(&format!("%trace_load '{}' --as old", at(&folder, "control-*")));
    assert!(text.starts_with("old: 3 runs, old_1, old_2, old_3 · 24 events · loaded in "), "{text}");
    assert!(
        text.lines().next().is_some_and(|line| line.contains(" ms") || line.contains(" µs")),
        "short times have digits: {text}"
    );
    assert!(text.contains("s · in Rust cells old is old_1\n"), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("control-")).collect();
    assert_eq!(rows.len(), 3, "{text}");
    assert!(rows[1].starts_with("old_2") && rows[1].ends_with("control-2"), "{text}");
    assert!(rows[2].starts_with("old_3") && rows[2].ends_with("control-10"), "{text}");
    assert_eq!(notebook.session.traces().keys().collect::<Vec<_>>(), ["old_1", "old_2", "old_3"]);
    assert_eq!(notebook.session.labels(), ["old", "old_1", "old_2", "old_3"]);
    assert_eq!((bound(&notebook, "old"), bound(&notebook, "old_3")), (Some("old_1".into()), Some("old_3".into())));
}

#[test]
fn paths_load_a_group_in_the_order_given() {
    let folder = folder();
    let mut notebook = Notebook::default();
    let (a, b) = (at(&folder, "control-2"), at(&folder, "control-1"));
    let text = notebook.text(&format!("control = %trace_load '{a}' '{b}'"));
    assert!(
        text.starts_with("control: 2 runs, control_1, control_2 · 16 events") && text.lines().count() == 1,
        "{text}"
    );
    assert!(notebook.session.path("control_1").unwrap().ends_with("control-2"));
    // Without a label it is what the names have in common.
    let text = Notebook::default().text(&format!("%trace_load {a} {b}"));
    assert!(text.starts_with("control: 2 runs"), "{text}");
    assert_eq!(Notebook::default().text(&format!("%trace_load {a} {b} --as x --quiet")), "");
    let error = Notebook::default().error(&format!("%trace_load {a} {}", at(&folder, "test.json")));
    assert!(error.contains("missing --as NAME: the names of the runs have nothing in common"), "{error}");
}

#[test]
fn one_match_is_a_trace_and_none_is_an_error() {
    let folder = folder();
    let mut notebook = Notebook::default();
    let text = notebook.text(&format!("%trace_load {}", at(&folder, "te*")));
    assert!(text.starts_with("te: TraceSet, 1 rank"), "{text}");
    let error = notebook.error(&format!("%trace_load {} --as x", at(&folder, "run-*")));
    assert!(error.starts_with("TraceError: ") && error.contains("run-*: no such file or folder"), "{error}");
    assert!(error.contains("control-10") && error.contains("test.json"), "what there is: {error}");
    let twice = notebook.error(&format!("%trace_load {0} {0} --as x", at(&folder, "test.json")));
    assert!(twice.contains("test.json is named twice, and a run counts once"), "{twice}");
}

#[test]
fn magics_of_one_run_say_which() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let note = "control is 3 runs: control_1 is shown; name control_2 to see another\n";
    for line in ["%describe control", "%events control", "%temporal_breakdown control", "%trace_info control"] {
        assert!(notebook.text(line).contains(note), "{line}");
        assert!(!notebook.text(&line.replace("control", "control_2")).contains(" is shown"), "{line}");
    }
    let text = notebook.text("%compare_traces control test --device-type gpu");
    assert!(text.starts_with(note) && text.contains("control_1 → test · GPU"), "{text}");
    assert!(notebook.text("%ops_diff control test").contains("control_1 → test"));
    assert!(notebook.text("%visualize control test").contains("control_1 → test"));
    let shown = note.trim_end();
    for (line, mime) in [("%timeline control", TIMELINE), ("%flame control test --by cpu", FLAME)] {
        let summary = drawn(&mut notebook, line, mime)["summary"].as_str().unwrap().to_owned();
        assert!(summary.ends_with(&format!(" · {shown}")), "{summary}");
        let other = drawn(&mut notebook, &line.replace("control", "control_2"), mime);
        assert!(!other["summary"].as_str().unwrap().contains("is shown"), "{line}");
    }
    assert_eq!(notebook.text("%compare_traces control test --quiet"), "");
    assert!(notebook.text("%trace_info control").contains("runs of control"));
}

#[test]
fn comparisons_of_runs_take_a_group_as_a_side() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let text = notebook.text("%explain control test");
    assert!(text.contains("(3 + 1 runs of 6 + 2 iterations)"), "{text}");
    assert!(text.contains("control → test"), "{text}");
    // The same answer about runs by name; only the names of the side differ.
    let by_name = notebook.text("%explain control_1,control_2,control_3 test");
    assert!(by_name.contains("control_1 … control_3 → test"), "{by_name}");
    let sentences = |text: &str| text.split("Where the step").next().map(str::to_owned);
    let of_group = |text: &str| text.replace("control_1 … control_3", "control");
    assert_eq!(sentences(&text), sentences(&by_name).map(|text| of_group(&text)));
    assert!(notebook.text("%explain control test --quiet").is_empty());
    assert!(notebook.text("%tree_diff control test").contains("aten::mm"));
    assert!(!notebook.text("%waterfall control_2,control_1 test").is_empty());
    let twice = notebook.error("%explain control,control_2 test");
    assert!(twice.contains("cannot take control_2 twice: a run counts once"), "{twice}");
}

#[test]
fn lists_and_errors_name_groups() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let list = notebook.text("%trace_list");
    assert!(list.contains("control is 3 runs: control_1, control_2, control_3"), "{list}");
    let error = notebook.error("%describe contrl");
    assert!(
        error.contains("unknown trace `contrl`: expected control, control_1, control_2, control_3 or test")
            && error.contains("did you mean control?"),
        "{error}"
    );
    let error = notebook.error("%describe control_1,control_2");
    assert!(error.contains("this takes one run: name one of them"), "{error}");
    assert!(notebook.error("control = %events test").contains("a loaded trace has this name"));
    assert!(notebook.error("%show control").contains("a data frame, not a loaded trace"));
}

#[test]
fn dropped_group_takes_its_runs_along() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    assert!(notebook.text("%trace_drop control_1").starts_with("dropped control_1: "));
    assert_eq!(bound(&notebook, "control").as_deref(), Some("control_2"), "the first that is left");
    assert!(notebook.text("%describe control").contains("control is 2 runs: control_2 is shown; name control_3"));
    let dropped = notebook.text("%trace_drop control");
    assert!(dropped.starts_with("dropped control: 2 runs, "), "{dropped}");
    assert_eq!(notebook.session.labels(), ["test"]);
    assert_eq!(notebook.cells.bound.keys().collect::<Vec<_>>(), ["test"]);
    assert!(notebook.error("%trace_drop control").contains("unknown trace `control`: expected test"));
}

#[test]
fn used_labels_are_replaced_after_the_load() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let error = notebook.error(&format!("%trace_load {} /no/such.json --as control", at(&folder, "control-1")));
    assert!(error.contains("/no/such.json"), "{error}");
    assert_eq!(notebook.session.labels().len(), 5, "a failed load changes nothing");
    notebook.sink.interrupted.store(true, Ordering::Relaxed);
    notebook.error(&format!("%trace_load {} --as control", at(&folder, "control-*")));
    notebook.sink.interrupted.store(false, Ordering::Relaxed);
    assert_eq!(notebook.session.labels().len(), 5);
    let first = Arc::clone(notebook.session.trace("control_1").unwrap());
    // A run of a group may be replaced alone.
    notebook.text(&format!("%trace_load {} --as control_1", at(&folder, "control-10")));
    assert!(!Arc::ptr_eq(&first, &notebook.session.runs("control")[0]));
    assert!(matches!(&notebook.cells.bound["control"], Binding::Trace(trace) if !Arc::ptr_eq(trace, &first)));
    // A smaller group, then a trace in place of the group.
    let text = notebook.text(&format!("%trace_load {} --as control", at(&folder, "control-[12]")));
    assert!(text.contains("control: 2 runs") && text.contains(" · replaces 3 runs"), "{text}");
    assert_eq!(notebook.session.labels(), ["control", "control_1", "control_2", "test"]);
    let text = notebook.text(&format!("%trace_load {} --as control", at(&folder, "test.json")));
    assert!(text.contains(" · replaces 2 runs"), "{text}");
    assert_eq!(notebook.session.labels(), ["control", "test"]);
    let text = notebook.text(&format!("%trace_load {} --as control", at(&folder, "control-*")));
    assert!(text.contains(" · replaces ") && text.contains("test.json"), "{text}");
    assert_eq!(
        notebook.cells.bound.keys().collect::<Vec<_>>(),
        ["control", "control_1", "control_2", "control_3", "test"]
    );
}

#[test]
fn ranks_loaded_as_runs_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..3 {
        let trace = TraceBuilder::new().rank(rank).step(1, 0..100).operator("aten::mm", 10..40);
        std::fs::write(at(&folder, &format!("{rank}.json")), trace.json()).unwrap();
    }
    let text = Notebook::default().text(&format!("%trace_load {} --as job", at(&folder, "*.json")));
    assert!(text.contains("Warning: Each run is another rank (0–2). If they are the ranks of one run, load"), "{text}");
    let runs = self::folder();
    let text = Notebook::default().text(&format!("%trace_load {}", at(&runs, "control-*")));
    assert!(!text.contains("Warning"), "{text}");
}

#[test]
fn completion_offers_groups_and_their_runs() {
    let folder = folder();
    let notebook = loaded(&folder);
    let view = notebook.session.view(&notebook.cells);
    let texts = |code: &str| -> Vec<String> {
        let completion = complete(code, code.len(), &view).unwrap();
        completion.items.into_iter().map(|item| item.text).collect()
    };
    assert_eq!(texts("%describe con"), ["control", "control_1", "control_2", "control_3"]);
    assert_eq!(texts("%explain control_1,con"), ["control", "control_2", "control_3"]);
    assert_eq!(texts("%explain control test --test-iteration "), ["1", "2", "all"]);
    assert_eq!(texts("%explain control_2,control_1 test --control-iteration "), ["1", "2", "all"]);
    assert_eq!(texts("%compare_traces control test --sort control_1_c"), ["control_1_counts"]);
    assert!(texts(&format!("%trace_load a.json {}", at(&folder, "te"))).contains(&at(&folder, "test.json")));
    assert!(view.events.contains_key("control"));
}

#[test]
fn default_comparison_says_what_it_leaves_unused() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let text = notebook.text("%compare_traces control_2 test");
    assert!(text.contains("2 iterations of 4 are left unused; --stats compares all of them."), "{text}");
    assert!(!notebook.text("%compare_traces control_2 test --control-iteration all").contains("unused"));
    assert!(!notebook.text("%compare_traces control_2 test --by iteration").contains("unused"));
    assert_eq!(notebook.text("df = %compare_traces control_2 test").lines().count(), 1);
}

#[test]
fn statistics_compare_all_iterations_of_all_runs() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let csv = at(&folder, "x.csv");
    let text =
        notebook.text(&format!("%compare_traces control test --stats --warmup 0 --device-type gpu --csv '{csv}'"));
    assert!(text.contains("Between these recordings (3 + 1 runs of 6 + 2 iterations"), "{text}");
    assert!(
        text.contains("too few iterations: 2 on one side, 4 a side needed") && text.contains("4 + 4 fresh processes"),
        "{text}"
    );
    let gemm = text.lines().find(|line| line.trim_start().starts_with("gemm")).unwrap();
    assert!(gemm.contains("too few, 4 needed") && gemm.contains("22.0") && gemm.contains("35.0"), "{text}");
    let rows = std::fs::read_to_string(&csv).unwrap();
    let head = "name,control_counts,control_mean_duration,test_counts,test_mean_duration,diff_counts,diff_duration,interval_low";
    assert!(rows.starts_with(head) && rows.contains("\ngemm,1.0,22.0,1.0,35.0,0.0,13.0,"), "{rows}");
    let copies = notebook.error("%compare_traces control control_1,control_2 --stats");
    assert!(copies.contains("are one recording, and test has no other run"), "{copies}");
    let several = notebook.text("%compare_traces control_1,control_2 control_3,test --stats");
    assert!(several.contains("Between the programs (2 + 2 runs of "), "{several}");
    assert!(several.contains("too few runs: 2 on one side, 4 a side needed"), "{several}");
    let text = notebook.text("df = %compare_traces control test --stats --use-short-name\n%visualize df");
    assert!(text.contains("df: DataFrame 4 × 17"), "{text}");
    assert_eq!(notebook.text("%compare_traces control test --stats --quiet"), "");
}

#[test]
fn flags_that_do_not_go_with_statistics_are_named() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let error = notebook.error("%compare_traces control test --stats --by rank");
    assert!(error.contains("cannot use --by and --stats: with --stats ranks are averaged"), "{error}");
    let error = notebook.error("%compare_traces control test --warmup 1");
    assert!(error.contains("cannot use --warmup: only --stats compares all iterations; add --stats"), "{error}");
    let error = notebook.error("%compare_traces control_1,control_2 test");
    assert!(error.contains("this takes one run: name one of them"), "{error}");
    let error = notebook.error("%compare_traces control test --stats --warmup 2");
    assert!(error.contains("no iteration of trace \"control_1\" is left without the first 2"), "{error}");
    assert!(
        notebook.error("%compare_traces control test --stats --marker decode").contains("matches the marker `decode`")
    );
    assert!(notebook.error("%compare_traces control test --stats --control-rank 3").contains("has no rank 3"));
    assert!(notebook.error("%compare_traces control test --stats --where 'speed > 1'").contains("speed"));
}

#[test]
fn noise_is_a_sentence_a_figure_and_a_table() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let outputs = notebook.outputs("%noise control --warmup 0").unwrap();
    let has = |mime: &str| {
        let mut bundles = outputs.iter().filter_map(|output| match output {
            Output::Display { bundle, .. } => Some(bundle),
            _ => None,
        });
        bundles.any(|bundle| bundle.data.contains_key(mime))
    };
    assert!(has(PLOTLY) && has(TABLE));
    let text = notebook.text("%noise control --warmup 0");
    assert!(text.contains("Between 3 runs, the mean of a step varies by 0.00 %"), "{text}");
    assert!(text.contains("3 runs are too few for a verdict, 4 a side are needed"), "{text}");
    let gemm = text.lines().find(|line| line.trim_start().starts_with("gemm")).unwrap();
    // 20, 22 and 24 µs: a standard deviation of 2 µs.
    assert!(gemm.contains("9.09"), "{text}");
    let one = notebook.text("noise = %noise control_1\n%noise control_1 --device-type gpu --top 1");
    assert!(one.contains("noise: DataFrame 4 × 9"), "{one}");
    assert!(one.contains("Between runs: unknown, this is one run."), "{one}");
    assert_eq!(notebook.text("%noise test --quiet"), "");
    assert!(notebook.error("%noise contrl").contains("did you mean control?"));
}
