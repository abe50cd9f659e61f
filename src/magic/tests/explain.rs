//! `%explain` and `%waterfall` in a notebook.

use super::Notebook;
use crate::display::Output;
use serde_json::Value;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{PLOTLY, TABLE};

/// Two iterations of 100 µs: an operator whose kernel takes `us`.
fn write(folder: &tempfile::TempDir, label: &str, us: i64) {
    let mut trace = TraceBuilder::new();
    for (iteration, at) in [(1, 0), (2, 100)] {
        trace = trace
            .step(iteration, at..at + 100)
            .operator("aten::mm", at + 5..at + 30)
            .runtime("cudaLaunchKernel", iteration, at + 10..at + 20)
            .kernel("gemm", Stream(7), at + 30..at + 30 + us)
            .correlation(iteration);
    }
    std::fs::write(folder.path().join(format!("{label}.json")), trace.json()).unwrap_or_else(|error| panic!("{error}"));
}

fn notebook(folder: &tempfile::TempDir) -> Notebook {
    let mut notebook = Notebook::default();
    for (label, us) in [("old", 20), ("older", 22), ("new", 35)] {
        write(folder, label, us);
        notebook.text(&format!(
            "%trace_load '{}' --as {label} --quiet",
            folder.path().join(format!("{label}.json")).display()
        ));
    }
    notebook
}

#[test]
fn explain_shows_a_summary_a_waterfall_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let outputs = notebook.outputs("%explain old new").unwrap();
    let count = |mime: &str| {
        outputs
            .iter()
            .filter(|output| matches!(output, Output::Display { bundle, .. } if bundle.data.contains_key(mime)))
            .count()
    };
    // The last table says what bounds a step.
    assert_eq!((count(PLOTLY), count(TABLE)), (1, 4));
    let text = notebook.text("%explain old new");
    assert!(text.starts_with("new is as fast as old a step, 100 µs → 100 µs."), "{text}");
    assert!(text.contains("By class: compute +15.0 µs, idle −15.0 µs."), "{text}");
    assert!(text.contains("1 region: 1 exact."), "{text}");
    assert!(text.contains("What bounds a step of the first rank. host-bound, as before: old is host-bound"), "{text}");
    assert!(notebook.text("%explain old,older new").contains("(2 + 1 runs of 4 + 2 iterations)"));
}

#[test]
fn a_phase_is_compared_and_another_one_is_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = Notebook::default();
    for (label, prefill) in [("old", 400), ("new", 500)] {
        let (mut trace, mut at) = (TraceBuilder::new(), 0);
        for (iteration, kernel) in (1..).zip(["decode", "decode", "flash_fwd", "decode", "decode"]) {
            let us = if kernel == "decode" { 40 } else { prefill };
            trace = trace
                .step(iteration, at..at + us + 60)
                .operator("aten::sdpa", at + 5..at + 30)
                .runtime("cudaLaunchKernel", iteration, at + 10..at + 20)
                .kernel(kernel, Stream(7), at + 30..at + 30 + us)
                .correlation(iteration);
            at += us + 60;
        }
        let path = folder.path().join(format!("{label}.json"));
        std::fs::write(&path, trace.json()).unwrap();
        notebook.text(&format!("%trace_load '{}' --as {label} --quiet", path.display()));
    }
    let text = notebook.text("%explain old new");
    let phases = "A (decode): 4 + 4, 100 µs → 100 µs a step; B (flash_fwd): 1 + 1, 460 µs → 560 µs a step.";
    assert!(
        text.starts_with("Iterations are of 2 phases, of which A is compared; --phase B compares another."),
        "{text}"
    );
    assert!(text.contains(phases) && text.contains("new is as fast as old a step, 100 µs → 100 µs"), "{text}");
    // One sentence instead of a mean over both.
    assert!(text.contains("What bounds a step differs between phases: `%critical_path old --instance 1`"), "{text}");
    for magic in ["explain", "tree_diff", "waterfall"] {
        let text = notebook.text(&format!("%{magic} old new --phase flash_fwd"));
        assert!(text.contains("phase B"), "{magic}: {text}");
    }
    assert!(notebook.text("%explain old new --phase B").contains("new is 100 µs slower (21.7 %) a step"));
    assert_eq!(
        notebook.error("%explain old new --phase X"),
        "SelectionError: unknown phase `X`: expected all, A (decode), B (flash_fwd)"
    );
}

#[test]
fn critical_paths_of_two_traces_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let text = notebook.text("%critical_path old new");
    assert!(text.starts_with("host-bound, as before: old is host-bound (100 µs, "), "{text}");
    assert!(text.contains("what bounds a step · old → new"), "{text}");
    let bound = notebook.text("x = %critical_path old new");
    assert!(bound.contains("x: DataFrame") && bound.contains("x_regions: DataFrame"), "{bound}");
    let error = notebook.error("%critical_path old new --edges");
    assert!(error.contains("cannot use --edges with two traces: it is about one recording"), "{error}");
}

#[test]
fn regions_of_two_critical_paths_name_borrowed_operators() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook_of_graphs(&folder);
    let sentence = "Kernels of graphs with operators from new_companion: 2 of 2 in old, 2 of 2 in new.";
    let text = notebook.text("%critical_path old new");
    assert!(text.contains(sentence) && text.contains("hipGraphLaunch › aten::mm"), "{text}");
    let bare = notebook.text("%critical_path old new --companion none");
    assert!(!bare.contains("aten::mm") && !bare.contains("Kernels of graphs"), "{bare}");
    // What bounds a step is the same.
    assert_eq!(text.lines().next(), bare.lines().next());
}

#[test]
fn files_and_variables_contain_all_regions() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let (json, csv) = (folder.path().join("x.json"), folder.path().join("x.csv"));
    let line = format!("regions = %explain old new --json '{}' --csv '{}' --top 0", json.display(), csv.display());
    let text = notebook.text(&line);
    assert!(text.contains("regions: DataFrame 1 × 18"), "{text}");
    let document: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!((&document["version"], &document["regions"][0]["delta_ns"]), (&3.into(), &15_000.0.into()));
    let rows = std::fs::read_to_string(csv).unwrap();
    assert!(rows.starts_with("region,path,name,grade,why,control_count") && rows.lines().count() == 2, "{rows}");
    assert_eq!(notebook.text("%explain old new --quiet"), "");
    let error = notebook.error("%explain old new --relevant 0");
    assert!(
        error.contains("invalid --relevant `0`: expected a percentage above 0 and below 100, such as 1%"),
        "{error}"
    );
    assert!(notebook.text("%explain old new --relevant 2.5%").starts_with("new is as fast as old"));
}

#[test]
fn selections_are_those_of_the_flags() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let every = notebook.text("%explain old new --rank all --iteration all");
    assert_eq!(every, notebook.text("%explain old new"));
    assert_eq!(every, notebook.text("%explain old new --ranks slowest"));
    let chosen = notebook.text("%explain old new --where 'name == \"gemm\"'");
    assert!(chosen.contains("Chosen, where name == \"gemm\": 1 of 1 region with +15.0 µs"));
    assert!(notebook.text("%waterfall old,older new --where 'dur > 1us' --quiet").is_empty());
    let events = folder.path().join("events.csv");
    notebook.text(&format!(
        "%explain old,older new --events '{}' --html '{}' --quiet",
        events.display(),
        folder.path().join("x.html").display()
    ));
    let rows = std::fs::read_to_string(&events).unwrap();
    assert_eq!(rows.lines().count(), 1 + 6);
    assert_eq!(rows.lines().filter(|row| row.starts_with("control,1,0,")).count(), 2);
    assert!(std::fs::read_to_string(folder.path().join("x.html")).unwrap().contains("Why the step changed"));
}

#[test]
fn markers_select_iterations_of_every_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let flags = "--marker '^aten::mm$' --control-iteration all --test-iteration 1 --device-type gpu";
    let text =
        notebook.text(&format!("%compare_traces old new {flags} --csv '{}'", folder.path().join("x.csv").display()));
    assert!(text.contains("iterations 0, 1 → 1 · iterations are ^aten::mm$"), "{text}");
    let rows = std::fs::read_to_string(folder.path().join("x.csv")).unwrap();
    assert_eq!(rows.lines().nth(1), Some("gemm,2,40.0,1,35.0,-1,-5.0,-"));
    assert!(notebook.text(&format!("%ops_diff old new {flags}")).contains("decreased 1"));
    assert_eq!(notebook.text(&format!("%visualize old new {flags} --quiet")), "");
    assert!(notebook.error("%compare_traces old new --marker decode").contains("matches the marker `decode`"));
    let error = notebook.error("%compare_traces old new --marker aten --control-iteration 5");
    assert!(error.contains("trace \"old\" has no iteration 5 (has 0, 1)"), "{error}");
}

#[test]
fn waterfall_has_the_level_of_the_flag() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let mut names = |level: &str| -> Vec<String> {
        let outputs = notebook.outputs(&format!("%waterfall old new --level {level}")).unwrap();
        let figure = outputs.iter().find_map(|output| match output {
            Output::Display { bundle, .. } => bundle.data.get(PLOTLY).cloned(),
            _ => None,
        });
        let figure = figure.unwrap();
        figure["data"][0]["x"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("class")[0], "step of old");
    assert!(names("class").contains(&"compute".to_owned()));
    assert!(names("op").contains(&"aten::mm".to_owned()));
    assert!(names("module").contains(&"outside of modules".to_owned()));
}

#[test]
fn unknown_names_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    assert!(notebook.error("%explain old nwe").contains("unknown trace `nwe`: expected new, old or older"));
    assert!(notebook.error("%explain old,oldr new").contains("unknown trace `oldr`"));
    assert!(notebook.error("%explain old new --rank 4").contains("trace \"old\" has no rank 4 (has 0)"));
    assert!(
        notebook
            .error("%explain old new --warmup 2")
            .contains("no iteration of trace \"old\" is left without the first 2")
    );
    assert!(notebook.error("%explain old new --marker decode").contains("matches the marker `decode`"));
    assert!(notebook.error("%explain old new --where 'speed > 1'").contains("speed"));
    assert!(notebook.error("%explain old new --rank fastest").contains("such as 0,2,4-7, all or slowest"));
    assert!(notebook.error("%explain old new --marker 'a('").contains("regular expression"));
}

/// Two steps as replays of a graph of two kernels, the second of which is slower, and its capture.
fn graphs(folder: &tempfile::TempDir) -> [String; 3] {
    let replay = |us: i64| {
        let trace = TraceBuilder::new().step(1, 0..100).runtime("hipGraphLaunch", 1, 10..15);
        let trace = trace.kernel("gemm", Stream(7), 20..30).correlation(1);
        trace.kernel("gelu", Stream(7), 30..30 + us).correlation(1)
    };
    let mut capture = TraceBuilder::new().runtime("hipStreamBeginCapture", 8, 1..2);
    for (at, operator, kernel) in [(10, "aten::mm", "gemm"), (20, "aten::gelu", "gelu")] {
        capture = capture
            .runtime("hipLaunchKernel", at, at + 2..at + 3)
            .arg("kernel", &format!("\"{kernel}\""))
            .operator(operator, at..at + 8);
    }
    capture = capture.runtime("hipStreamEndCapture", 9, 40..41);
    [("replay", replay(10)), ("slower", replay(30)), ("capture", capture)].map(|(name, trace)| {
        let path = folder.path().join(format!("{name}.json"));
        std::fs::write(&path, trace.json()).unwrap_or_else(|error| panic!("{error}"));
        path.display().to_string()
    })
}

/// A notebook with both replays, of which the second was loaded with the capture.
pub(super) fn notebook_of_graphs(folder: &tempfile::TempDir) -> Notebook {
    let [replay, slower, capture] = graphs(folder);
    let mut notebook = Notebook::default();
    notebook.text(&format!("%trace_load '{replay}' --as old --quiet"));
    notebook.text(&format!("%trace_load '{slower}' --as new --companion '{capture}' --quiet"));
    notebook
}

/// Annotations of graphs that lie beside a trace name its kernels without a flag, in the answers that name operators.
#[test]
fn annotations_beside_a_trace_name_its_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let mut trace = TraceBuilder::new().step(1, 0..100).runtime("cudaGraphLaunch", 1, 10..15);
    for node in 1..=2 {
        trace = trace.kernel("gemm", Stream(7), 10 + 10 * node..20 + 10 * node).correlation(1);
        trace = trace.arg("graph node id", &node.to_string());
    }
    std::fs::write(folder.path().join("run.json"), trace.json()).unwrap();
    let annotations = r#"{"1": [{"name": "layers.0.wq"}], "2": [{"name": "layers.0.<b>"}]}"#;
    std::fs::write(folder.path().join("kernel_annotations_rank0_step.json"), annotations).unwrap();
    let mut notebook = Notebook::default();
    let line = notebook.text(&format!("%trace_load '{}' --as run", folder.path().join("run.json").display()));
    let expected = "2 nodes of graphs have names (run_annotations, from kernel_annotations_rank0_step.json)";
    assert!(line.contains(expected), "{line}");
    let sentence = "Kernels of graphs with operators from run_annotations: 2 of 2";
    for magic in ["%operators run", "%flame run", "%explain run run", "%critical_path run"] {
        assert!(notebook.text(magic).contains(sentence), "{magic}: {}", notebook.text(magic));
    }
    for magic in [
        "%operators run",
        "%events run --columns name,operator,operator_source",
        "%trace_sql SELECT operator FROM kernels",
    ] {
        let text = notebook.text(magic);
        assert!(text.contains("layers.0.wq") && text.contains("layers.0.<b>"), "{magic}: {text}");
    }
    assert!(!notebook.text("%operators run --companion none").contains("layers.0"));
    // A second load replaces them; a trace of the user with this name stays.
    notebook.text(&format!("%trace_load '{}' --as run --quiet", folder.path().join("run.json").display()));
    assert!(!notebook.text("%trace_list").contains("run_annotations_2"));
    notebook
        .text(&format!("%trace_load '{}' --as other_annotations --quiet", folder.path().join("run.json").display()));
    let line = notebook.text(&format!("%trace_load '{}' --as other", folder.path().join("run.json").display()));
    assert!(line.contains("(other_annotations_2, from"), "{line}");
}

/// The analyses of a replay find the operators of its companion, of one trace and of two.
#[test]
fn companion_of_a_load_lends_to_operators_and_roofline() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook_of_graphs(&folder);
    let sentence = "Kernels of graphs with operators from new_companion: 2 of 2.";
    for magic in
        ["%operators new", "%operators new --by stack", "%roofline new", "%operators old --companion new_companion"]
    {
        assert!(notebook.text(magic).contains(sentence), "{magic}: {}", notebook.text(magic));
    }
    let table = notebook.text("%operators new --sort kernel_self --columns name,kernel_self,borrowed");
    let row = table.lines().find(|line| line.starts_with("aten::gelu")).unwrap_or_default();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["aten::gelu", "30", "30"], "{table}");
    let bare = notebook.text("%operators new --companion none");
    assert!(!bare.contains("aten::gelu") && !bare.contains("borrowed"), "{bare}");
    assert!(!notebook.text("%operators old").contains("borrowed"));
    let both = notebook.text("%operators old new");
    assert!(both.contains(&format!("old: {sentence}")) && both.contains(&format!("new: {sentence}")), "{both}");
    let error = notebook.error("%operators new --companion captur");
    assert!(error.contains("unknown trace `captur`"), "{error}");
}

#[test]
fn companion_of_a_load_lends_wherever_its_trace_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let [replay, slower, capture] = graphs(&folder);
    let mut notebook = Notebook::default();
    notebook.text(&format!("%trace_load '{replay}' --as old --quiet"));
    let line = notebook.text(&format!("%trace_load '{slower}' --as new --companion '{capture}'"));
    assert!(line.contains("companion new_companion"), "{line}");
    assert!(notebook.text("%trace_list").contains("new_companion"));
    let sentence = "Kernels of graphs with operators from new_companion: 2 of 2 in old, 2 of 2 in new.";
    assert!(notebook.text("%explain old new").contains(sentence), "{}", notebook.text("%explain old new"));
    assert!(notebook.text("%tree_diff old new").contains("aten::gelu"));
    assert!(!notebook.text("%explain old new --companion none").contains("operators from"));
    let both = notebook.text("%explain old new --companion new_companion,old");
    assert!(both.contains("operators from new_companion, old: 2 of 2 in old"), "{both}");
    let error = notebook.error(&format!("%trace_load '{slower}' --as new --companion '{capture}' --engine processes"));
    assert!(error.contains("cannot load a companion by an engine"), "{error}");
    let line = notebook.text(&format!("%trace_load '{slower}' --as new --companion '{replay}'"));
    assert!(line.contains(&format!("companion new_companion · replaces {capture}")), "{line}");
    // A trace that replaces it has none.
    notebook.text(&format!("%trace_load '{slower}' --as new --quiet"));
    assert!(!notebook.text("%explain old new").contains("operators from"));
}

#[test]
fn calls_that_repeat_are_iterations_unless_none_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = Notebook::default();
    for (label, us) in [("old", 20), ("new", 35)] {
        let mut trace = TraceBuilder::new();
        for step in 1..=6 {
            let at = 100 * step;
            trace = trace
                .annotation(&format!("decode[bs={step}]"), at..at + 50)
                .runtime("cudaLaunchKernel", step, at + 10..at + 20)
                .kernel("gemm", Stream(7), at + 30..at + 30 + us)
                .correlation(step);
        }
        let path = folder.path().join(format!("{label}.json"));
        std::fs::write(&path, trace.json()).unwrap_or_else(|error| panic!("{error}"));
        notebook.text(&format!("%trace_load '{}' --as {label} --quiet", path.display()));
    }
    let found = "the 6 calls of decode… count as iterations";
    for line in ["%explain old new", "%compare_traces old new --stats", "%noise old", "%tree_diff old new"] {
        let text = notebook.text(line);
        assert!(text.contains(found), "{line}: {text}");
        let whole = notebook.text(&format!("{line} --marker none"));
        assert!(!whole.contains(found), "{line}: {whole}");
    }
}
