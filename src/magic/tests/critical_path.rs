//! `%critical_path` and `%what_if` in a notebook.

use super::Notebook;
use super::fixtures::{at, notebook_with};
use crate::display::Output;
use serde_json::Value;
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{PLOTLY, PNG, TABLE};

/// Three steps of 200 µs; in each the CPU waits for a kernel of 100 µs. The name of the kernel is text of the trace.
fn notebook() -> (TempDir, Notebook) {
    let mut trace = TraceBuilder::new();
    for (number, start) in [(3, 0), (4, 200), (5, 400)] {
        let id = 10 * number;
        trace = trace
            .step(number, start..start + 200)
            .operator("aten::mm", start..start + 60)
            .runtime("cudaLaunchKernel", id, start + 40..start + 50)
            .kernel("gemm<b>", Stream(7), start + 50..start + 150)
            .correlation(id)
            .runtime("cudaDeviceSynchronize", id + 1, start + 60..start + 160);
    }
    notebook_with(&[("job", trace)])
}

#[test]
fn critical_path_shows_sentences_lanes_and_tables() {
    let (_folder, mut notebook) = notebook();
    let outputs = notebook.outputs("%critical_path job").unwrap();
    let bundles: Vec<_> = outputs
        .iter()
        .filter_map(|output| if let Output::Display { bundle, .. } = output { Some(bundle) } else { None })
        .collect();
    assert!(
        bundles[0].plain().starts_with("Rank 0 of job, ProfilerStep#4 (instance 1, of 3 from 0), 200 µs, is GPU-bound")
    );
    let figure = bundles.iter().find(|bundle| bundle.data.contains_key(PLOTLY)).unwrap();
    assert!(figure.data.contains_key(PNG));
    assert_eq!(figure.data[PLOTLY]["layout"]["yaxis"]["ticktext"], serde_json::json!(["stream 7", "thread 1"]));
    assert_eq!(bundles.iter().filter(|bundle| bundle.data.contains_key(TABLE)).count(), 3);
    for bundle in &bundles {
        let html = bundle.data.get("text/html").and_then(Value::as_str).unwrap_or_default();
        assert!(!html.contains("gemm<b>"), "text of the trace is escaped: {html}");
    }
}

#[test]
fn one_table_takes_the_place_of_the_page() {
    let (folder, mut notebook) = notebook();
    let csv = at(&folder, "one.csv");
    let text = notebook.text(&format!(
        "%critical_path job --table path --where 'duration > 0' --group-by bound_by --sort duration --as x --csv '{csv}'"
    ));
    assert!(text.starts_with("path · job") && !text.contains("GPU-bound"), "{text}");
    let frame = notebook.frame("x");
    let sum: f64 = frame.column("duration").unwrap().f64().unwrap().iter().flatten().sum();
    assert!((sum - 200.0).abs() < 1e-9, "the step: {sum}");
    let columns: Vec<String> = frame.get_column_names().iter().map(|name| name.to_string()).collect();
    assert_eq!(columns, ["bound_by", "rows", "start", "duration"], "ids do not add up");
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), frame.height() + 1);
    // Without a name it is the table that x = %critical_path binds.
    assert!(notebook.text("%critical_path job --sort duration").starts_with("summary · job"));
    let error = notebook.error("%critical_path job --table edges");
    assert!(error.contains("it has summary, path or by_name; --edges makes it"), "{error}");
    assert!(notebook.text("%critical_path job job --table regions").starts_with("regions · job → job"));
}

#[test]
fn critical_path_binds_tables_and_writes_files() {
    let (folder, mut notebook) = notebook();
    let (json, csv, html) = (at(&folder, "x.json"), at(&folder, "x.csv"), at(&folder, "x.html"));
    let output = notebook.text(&format!(
        "x = %critical_path job --rank all --instance all --edges --what-if 'name ~ gemm x 0.5' --json '{json}' --csv '{csv}' --html '{html}'"
    ));
    for table in ["x", "x_path", "x_by_name", "x_what_if", "x_edges"] {
        assert!(output.contains(&format!("{table}: DataFrame")), "{output}");
        assert!(notebook.frame(table).height() > 0, "{table}");
    }
    let columns =
        |table: &str| notebook.frame(table).get_column_names().iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(columns("x"), ["rank", "annotation", "instance", "bound_by", "duration", "percent"]);
    assert_eq!(columns("x_what_if"), ["change", "step_before", "step_after", "saved", "percent", "bound_by"]);
    let document: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(document["windows"].as_array().unwrap().len(), 3);
    assert_eq!(document["what_if"][0]["saved_ns"], 50_000);
    for file in ["x.csv", "x.path.csv", "x.by_name.csv", "x.what_if.csv", "x.edges.csv", "x.html"] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
    assert_eq!(notebook.text("%critical_path job --quiet"), "");
}

#[test]
fn what_if_answers_changes_and_proposes_some() {
    let (_folder, mut notebook) = notebook();
    let output = notebook.text("%what_if job 'name ~ \"gemm\" x 0.5' 'bound_by = \"python\" x 0' --sweep");
    // The window first: savings are those of one step of one rank.
    assert!(output.starts_with("Rank 0 of job, ") && output.contains("(instance "), "{output}");
    assert!(
        output.contains("\nWhat if name ~ \"gemm\" x 0.5: the step is 50.0 µs shorter (25.0 %), 200 µs → 150 µs"),
        "{output}"
    );
    assert!(output.contains("all together") && output.contains("The step over the factor"), "{output}");
    let proposed = notebook.text("%what_if job --top 2");
    assert!(
        proposed.contains("Of single changes that make something twice as fast, ") && proposed.contains("2 rows"),
        "{proposed}"
    );
    notebook.text("saved = %what_if job 'cat = kernel x 0'");
    let saved = notebook.frame("saved").column("saved").unwrap().f64().unwrap().get(0).unwrap();
    // The call that waits then takes what such a call takes at least.
    assert!((90.0..=100.0).contains(&saved), "{saved}");
}

#[test]
fn changes_need_no_quotes_and_have_short_forms() {
    let (_folder, mut notebook) = notebook();
    let mut saved = |line: &str| {
        notebook.text(&format!("saved = {line} --quiet"));
        let saved = notebook.frame("saved").column("saved").unwrap().f64().unwrap();
        saved.iter().map(Option::unwrap).collect::<Vec<f64>>()
    };
    let quoted = saved("%what_if job 'name ~ \"gemm\" x 0.5' 'bound_by = \"python\" x 0'");
    assert_eq!(quoted.len(), 3);
    assert_eq!(saved("%what_if job gemm x 0.5 python x 0"), quoted);
    assert_eq!(saved("%what_if job name ~ gemm x50% 'python x 0'"), quoted);
    assert_eq!(saved("%what_if job compute x 0"), saved("%what_if job 'bound_by = gpu_compute_bound x 0'"));
    let of_path = |line: &str| {
        notebook.text(&format!("%critical_path job {line} --top 0")).contains("What if bound_by = \"python\" x 0")
    };
    let mut of_path = of_path;
    assert!(of_path("--what-if python x 0") && of_path("--what-if 'python x 0' --what-if gemm x 2"));
}

#[test]
fn mistakes_name_the_fix_and_mark_the_place() {
    let (_folder, mut notebook) = notebook();
    let message = notebook.error("%what_if job 'name ~ \"gemm\"'");
    assert!(
        message.contains("expected a factor; end with `x` and a factor, as in `name ~ \"gemm\" x 0.5`\n  name"),
        "{message}"
    );
    let message = notebook.error("%what_if job gemm x 0.5 more");
    assert!(message.contains("invalid CHANGE") && message.contains("\n  more"), "{message}");
    let message = notebook.error("%what_if job gemm");
    assert!(message.contains("`gemm x 0.5` is twice as fast"), "{message}");
    let message = notebook.error("%what_if job 'nme ~ gemm x 0.5'");
    assert!(message.contains("did you mean `name`?") || message.contains("unknown column `nme`"), "{message}");
    let message = notebook.error("%critical_path job --instance second");
    assert!(
        message.contains("invalid --instance `second`: expected a number from 0 on, a range such as 1-3, or all"),
        "{message}"
    );
    let message = notebook.error("%critical_path job --annotation forward");
    assert!(message.contains("no annotation whose name contains `forward` (it has ProfilerStep#3"), "{message}");
    let message = notebook.error("%what_if job --sweep");
    assert!(message.contains("there is no change"), "{message}");
    assert!(notebook.text("%critical_path job --annotation ''").contains("the whole recording"));
}

#[test]
fn htas_path_has_its_tables_and_refuses_other_flags() {
    let (_folder, mut notebook) = notebook();
    notebook.text("x = %critical_path job --compat hta --instance 0-1 --edges");
    for table in ["x", "x_path", "x_by_name", "x_edges"] {
        assert!(notebook.frame(table).height() > 0, "{table}");
    }
    let words =
        notebook.frame("x").column("bound_by").unwrap().str().unwrap().iter().flatten().collect::<Vec<_>>().join(" ");
    assert!(words.contains("cpu_bound"), "{words}");
    for (line, message) in [
        ("%critical_path job --compat hta --instance all", "invalid --instance `all`"),
        ("%critical_path job --compat hta --instance 9", "numbered from 0 in HTA's order"),
        ("%critical_path job --compat hta --what-if 'name ~ a x 0'", "cannot use --what-if with --compat hta"),
    ] {
        let error = notebook.error(line);
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn overlays_are_written_only_into_the_folder_that_is_named() {
    let (folder, mut notebook) = notebook();
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    for (compat, name) in [("", "ours"), ("--compat hta", "hta")] {
        let out = at(&folder, name);
        let output = notebook.text(&format!("%critical_path job {compat} --overlay '{out}'"));
        assert!(output.contains("overlaid_critical_path_") && output.contains(" arrow"), "{output}");
        let files: Vec<_> = std::fs::read_dir(&out).unwrap().collect();
        assert_eq!(files.len(), 1);
        let path = files[0].as_ref().unwrap().path();
        notebook.text(&format!("%trace_load '{}' --as {name}", path.display()));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before + 2);
}
