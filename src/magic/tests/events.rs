//! `%events`, and the drill-down of tables to the events of a row.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::notebook_with;
use crate::display::Output;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::TABLE;

/// Returns a notebook with traces `a` (two iterations) and `b`: `aten::mm` runs less often in `b`, `aten::relu` only there.
fn notebook() -> Notebook {
    let a = TraceBuilder::new()
        .rank(3)
        .step(1, 0..100)
        .operator("aten::mm", 10..20)
        .operator("aten::mm", 30..45)
        .operator("it's {x} $x", 50..51)
        .runtime("cudaLaunchKernel", 1, 12..14)
        .kernel("void at::native::(anonymous namespace)::k<float>(int)", Stream(7), 20..60)
        .correlation(1)
        .step(2, 100..200)
        .operator("aten::mm", 110..115);
    let b = TraceBuilder::new().rank(1).step(1, 0..100).operator("aten::mm", 10..45).operator("aten::relu", 50..51);
    notebook_with(&[("a", a), ("b", b)]).1
}

/// The table that the extension draws.
fn table(notebook: &mut Notebook, code: &str) -> Value {
    let outputs = notebook.outputs(code).unwrap();
    let mut tables = outputs.iter().filter_map(|output| match output {
        Output::Display { bundle, .. } => bundle.data.get(TABLE).cloned(),
        _ => None,
    });
    tables.next_back().unwrap_or_else(|| panic!("{code}: {outputs:?}"))
}

fn kinds(table: &Value) -> BTreeMap<String, String> {
    let rows = table["rows"].as_array().unwrap().iter().zip(table["changes"]["rows"].as_array().unwrap());
    rows.map(|(row, kind)| {
        let word = &table["changes"]["kinds"][kind.as_u64().unwrap() as usize];
        (row[0].as_str().unwrap().to_owned(), word.as_str().unwrap().to_owned())
    })
    .collect()
}

#[test]
fn changes_equal_ops_diff_for_any_labels() {
    let mut notebook = notebook();
    let expected = [("ProfilerStep#1", "unchanged"), ("aten::mm", "decreased"), ("aten::relu", "added")];
    let expected: BTreeMap<String, String> = expected
        .into_iter()
        .chain([("cudaLaunchKernel", "deleted"), ("it's {x} $x", "deleted")])
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        .collect();
    for magic in ["%compare_traces a b --device-type cpu", "%ops_diff a b --device-type cpu"] {
        assert_eq!(kinds(&table(&mut notebook, magic)), expected, "{magic}");
    }
    notebook.text("x = %compare_traces a b --device-type cpu");
    assert_eq!(kinds(&table(&mut notebook, "%show x")), expected);
    let added = table(&mut notebook, "%show x --category added --columns name,b_counts");
    assert_eq!((&added["rows"], &added["changes"]["rows"]), (&json!([["aten::relu", 1]]), &json!([0])));
    assert!(notebook.text("%ops_diff a b --device-type gpu --use-short-name").contains("deleted 1"));
}

#[test]
fn rows_offer_cells_that_list_their_events() {
    let mut notebook = notebook();
    let events = table(&mut notebook, "%compare_traces a b --device-type cpu --where 'dur > 500ns'")["events"].clone();
    assert_eq!((&events["name"], &events["rank"]), (&json!("name"), &Value::Null));
    let cell = |at: usize, key: &str| events["cells"][at][key].as_str().unwrap().to_owned();
    assert_eq!([cell(0, "title"), cell(1, "title")], ["events in a", "events in b"]);
    assert_eq!([cell(0, "counts"), cell(1, "counts")], ["a_counts", "b_counts"]);
    let code = format!("{}'aten::mm'{}", cell(0, "before"), cell(0, "after"));
    assert_eq!(code, "%events a --name 'aten::mm' --rank 3 --iteration 1 --device-type cpu --where 'dur > 500ns'");
    let listed = table(&mut notebook, &code);
    assert_eq!(listed["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed["caption"], "events · a · aten::mm · CPU · rank 3 · iteration 1 · where dur > 500ns");

    let short = table(&mut notebook, "%compare_traces a b --device-type gpu --use-short-name");
    assert_eq!(short["rows"][0][0], "at::native::k");
    let cells = &short["events"]["cells"][0];
    let code = format!("{}'at::native::k'{}", cells["before"].as_str().unwrap(), cells["after"].as_str().unwrap());
    assert_eq!(table(&mut notebook, &code)["rows"].as_array().map(Vec::len), Some(1), "{code}");

    let kernels = table(&mut notebook, "%gpu_kernel_breakdown a --no-figure");
    assert_eq!(kernels["events"]["rank"], "rank");
    assert_eq!(kernels["events"]["cells"][0]["before"], "%events a --name ");
    assert_eq!(table(&mut notebook, "%temporal_breakdown a --no-figure").get("events"), None);
}

#[test]
fn events_are_shown_longest_first_and_bound_in_order() {
    let mut notebook = notebook();
    let listed = table(&mut notebook, "%events a --name aten::mm");
    let at = |name: &str| {
        let columns = listed["columns"].as_array().unwrap();
        columns.iter().position(|column| column["name"] == name).unwrap()
    };
    let durations: Vec<f64> =
        listed["rows"].as_array().unwrap().iter().map(|row| row[at("dur")].as_f64().unwrap()).collect();
    assert_eq!(durations, [15.0, 10.0, 5.0]);
    // The unit fits the durations, not the timestamps.
    assert_eq!(listed["columns"][at("dur")]["unit"], "µs");
    assert!(listed["columns"].as_array().unwrap().iter().all(|column| column["name"] != "stream"), "only nulls");
    notebook.text("x = %events a --name aten::mm");
    let dur = notebook.frame("x").column("dur").unwrap().i64().unwrap().to_vec();
    assert_eq!(dur, [10_000, 15_000, 5_000].map(Some));
    assert_eq!(notebook.text("y = %events a --iteration 2 --device-type cpu").lines().count(), 1);
    assert_eq!(notebook.frame("y").height(), 2);
    assert_eq!(table(&mut notebook, "%events a --name \"it's \\{x} \\$x\"")["rows"].as_array().map(Vec::len), Some(1));
}

#[test]
fn empty_selection_is_reported_and_unknown_ids_are_errors() {
    let mut notebook = notebook();
    let text = notebook.text("%events a --name others");
    assert!(text.starts_with("a has no such event; `%describe a` shows what it contains (the row `others`"), "{text}");
    assert_eq!(notebook.error("%events a --rank 0"), "SelectionError: trace \"a\" has no rank 0 (has 3)");
    assert_eq!(notebook.error("%events a --iteration 9"), "SelectionError: trace \"a\" has no iteration 9 (has 1, 2)");
}
