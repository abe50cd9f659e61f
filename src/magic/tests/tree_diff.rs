//! `%tree_diff` in a notebook.

use super::Notebook;
use crate::display::Output;
use serde_json::Value;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{HTML, TABLE};

/// A step with two operators; the second of `new` has another kernel, and a third operator stands behind it.
fn write(folder: &tempfile::TempDir, label: &str, kernels: &[(&str, &str, i64)]) {
    let mut trace = TraceBuilder::new().step(1, 0..300);
    let mut at = 5;
    for (id, &(operator, kernel, us)) in (1..).zip(kernels) {
        trace = trace
            .operator(operator, at..at + 20)
            .runtime("cudaLaunchKernel", id, at + 5..at + 10)
            .kernel(kernel, Stream(7), at + 12..at + 12 + us)
            .correlation(id);
        at += 70;
    }
    std::fs::write(folder.path().join(format!("{label}.json")), trace.json()).unwrap();
}

fn notebook(folder: &tempfile::TempDir) -> Notebook {
    let mut notebook = Notebook::default();
    write(folder, "old", &[("aten::mm", "gemm", 20), ("aten::gelu", "gelu_kernel", 10)]);
    write(folder, "new", &[("aten::mm", "gemm", 35), ("aten::gelu", "gelu_kernel", 10), ("aten::sort", "sort", 9)]);
    for label in ["old", "new"] {
        let path = folder.path().join(format!("{label}.json"));
        notebook.text(&format!("%trace_load '{}' --as {label} --quiet", path.display()));
    }
    notebook
}

#[test]
fn tree_diff_shows_a_tree_that_is_open_where_something_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let outputs = notebook.outputs("%tree_diff old new").unwrap();
    let tables: Vec<_> = outputs
        .iter()
        .filter_map(|output| match output {
            Output::Display { bundle, .. } if bundle.data.contains_key(TABLE) => Some(bundle),
            _ => None,
        })
        .collect();
    let [bundle] = &tables[..] else { panic!("{} tables", tables.len()) };
    let (table, text) = (&bundle.data[TABLE], bundle.plain());
    assert_eq!(table["tree"]["level"].as_array().unwrap().len(), table["rows"].as_array().unwrap().len());
    assert!(text.contains("aten::mm › gemm") && text.contains("▲ +15 "), "{text}");
    assert!(text.contains("aten::sort › sort") && text.contains("added"), "{text}");
    assert!(text.contains("▾ idle") && text.contains("unattributed"), "{text}");
    assert!(bundle.data[HTML].as_str().unwrap().contains("<details open"));
}

#[test]
fn cuts_shape_table_files_and_variable() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let (json, csv) = (folder.path().join("x.json"), folder.path().join("x.csv"));
    let line = format!(
        "tree = %tree_diff old new --grade added --depth 1 --json '{}' --csv '{}'",
        json.display(),
        csv.display()
    );
    let text = notebook.text(&line);
    assert!(text.contains("tree: DataFrame 2 × 23"), "{text}");
    let document: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let rows = document["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["aten::sort › sort", "4 more"]);
    let delta = |row: &Value| row["delta_ns"].as_f64().unwrap();
    assert_eq!(rows.iter().map(delta).sum::<f64>(), delta(&document["step"]));
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 3);
    let text = notebook.text("%tree_diff old new --min-us 12");
    assert!(text.contains("rows that changed by less than 12 µs are added up"), "{text}");
    assert_eq!(notebook.text("%tree_diff old new --quiet"), "");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let error = notebook.error("%tree_diff old new --modules");
    assert!(error.contains("cannot cut the tree at modules") && error.contains("with_stack=True"), "{error}");
    assert!(notebook.error("%tree_diff old new --grade changed").contains("changed"));
    assert!(notebook.error("%tree_diff old nwe").contains("unknown trace `nwe`"));
    assert!(notebook.error("%tree_diff old new --rank 4").contains("has no rank 4 (has 0)"));
}
