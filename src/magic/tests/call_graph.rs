//! `%call_graph`, `%call_stack` and `%operators`.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::{folder, loaded};
use crate::display::Output;
use serde_json::Value;
use trace_view::TABLE;

/// The table that the extension draws.
fn table(notebook: &mut Notebook, code: &str) -> Value {
    let outputs = notebook.outputs(code).unwrap();
    let mut tables = outputs.iter().filter_map(|output| match output {
        Output::Display { bundle, .. } => bundle.data.get(TABLE).cloned(),
        _ => None,
    });
    tables.next_back().unwrap_or_else(|| panic!("{code}: {outputs:?}"))
}

fn column(table: &Value, name: &str) -> Vec<Value> {
    let at = table["columns"].as_array().unwrap().iter().position(|column| column["name"] == name).unwrap();
    table["rows"].as_array().unwrap().iter().map(|row| row[at].clone()).collect()
}

#[test]
fn call_graph_lists_each_call_before_those_below_it() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let graph = table(&mut notebook, "%call_graph control --include-last-profiler-step");
    let names = ["ProfilerStep#1", "aten::mm", "cudaLaunchKernel", "void gemm<float>(int)", "aten::add", "aten::add"];
    assert_eq!(column(&graph, "name"), names);
    assert_eq!(column(&graph, "depth"), [0, 1, 2, 3, 1, 1]);
    assert_eq!(column(&graph, "num_kernels"), [1, 1, 1, 1, 0, 0]);
    let cell = &graph["events"]["cells"][0];
    assert_eq!((cell["before"].as_str(), &graph["events"]["name"]), (Some("%events control --name "), &"name".into()));
    let found = table(&mut notebook, "%call_graph control --operator '^aten' --depth 1 --rank all");
    assert_eq!(column(&found, "name"), ["aten::mm", "aten::add", "aten::add"]);
    assert_eq!(column(&found, "rank"), [0, 0, 0]);
    notebook.text("x = %call_graph control --compat hta");
    let parents = notebook.frame("x").column("parent").unwrap().i64().unwrap().to_vec();
    assert!(parents.contains(&Some(-1)), "minus the thread: {parents:?}");
    assert!(notebook.text("%call_graph control --operator nothing").starts_with("control has no such call"));
    let error = notebook.error("%call_graph control --depth 0");
    assert!(error.contains("invalid --depth `0`: expected at least 1 level"), "{error}");
}

#[test]
fn call_stack_shows_what_is_above_and_below() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let stack = table(&mut notebook, "%call_stack control 1");
    assert_eq!(column(&stack, "relation"), ["ancestor", "event", "descendant", "kernel"]);
    assert_eq!(column(&stack, "name")[1], "aten::mm");
    let error = notebook.error("%call_stack control 99");
    assert!(error.contains("invalid index `99`: expected the index of an event of rank 0"), "{error}");
    assert!(notebook.error("%call_stack control").contains("missing INDEX"));
}

#[test]
fn operators_are_listed_by_name_and_by_stack() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let operators = table(&mut notebook, "%operators control --no-figure --sort count");
    assert_eq!(column(&operators, "name"), ["aten::add", "aten::mm"]);
    assert_eq!(operators["events"]["cells"][0]["before"], "%events control --name ");
    assert_eq!(table(&mut notebook, "%operators control --by stack --no-figure").get("events"), None);
    assert!(notebook.text("%operators control --by module --no-figure").contains("with_modules=True"));
    assert!(notebook.error("%operators control --by thread").contains("name, module, stack or shape"));
}
