//! Event arguments as columns: `--args` and `%parser_args`.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::magic::complete;
use crate::session::View;
use trace_testkit::{Stream, TraceBuilder};

fn loaded(args: &str) -> (Notebook, String) {
    let folder = tempfile::tempdir().unwrap();
    let trace = TraceBuilder::new()
        .operator("aten::mm", 10..40)
        .arg("Input Dims", "[[2, 3]]")
        .arg("Sequence number", "7")
        .arg("My own", "1.5")
        .kernel("gemm", Stream(7), 50..90)
        .correlation(17)
        .arg("est. achieved occupancy %", "40");
    let path = folder.path().join("t.json");
    std::fs::write(&path, trace.json()).unwrap();
    let mut notebook = Notebook::default();
    let text = notebook.text(&format!("%trace_load '{}' {args}", path.display()));
    (notebook, text)
}

fn columns(notebook: &Notebook) -> Vec<String> {
    let events = notebook.session.trace("t").unwrap().rank(0).unwrap().events();
    events.get_column_names().iter().skip(12).map(|name| name.to_string()).collect()
}

#[test]
fn args_select_the_columns() {
    for (args, expected) in [
        ("", vec!["input_dims"]),
        ("--args minimum", vec![]),
        ("--args input_shape,cpu_op::sequence_number,sm::occupancy", vec!["input_dims", "sequence", "est_occupancy"]),
        ("--args 'default, sm::occupancy'", vec!["input_dims", "est_occupancy"]),
        ("--args all", vec!["est_occupancy", "input_dims", "my_own", "sequence"]),
    ] {
        // The kernel has an occupancy, which is a part of its launch configuration.
        let expected: Vec<&str> = expected.into_iter().chain(["launch_configuration"]).collect();
        let (notebook, _) = loaded(args);
        let (mut columns, mut expected) = (columns(&notebook), expected);
        if args.ends_with("all") {
            columns.sort_unstable();
            expected.sort_unstable();
        }
        assert_eq!(columns, expected, "{args}");
    }
}

#[test]
fn unknown_event_argument_is_named_with_a_hint() {
    let mut notebook = Notebook::default();
    assert_eq!(
        notebook.error("%trace_load x --args default,sm::ocupancy"),
        "UsageError: %trace_load: invalid --args `sm::ocupancy`: expected event arguments or groups of them; did you mean \
         sm::occupancy? (%parser_args lists all)"
    );
}

#[test]
fn tab_offers_groups_and_keys_not_given_yet() {
    let offered = |line: &str| -> Vec<String> {
        let items = complete(line, line.len(), &View::default()).unwrap().items;
        items.into_iter().map(|item| item.text).collect()
    };
    assert_eq!(
        offered("%trace_load x --args in"),
        [
            "input_shape",
            "index",
            "info",
            "index::ev_idx",
            "index::external_id",
            "index::python_id",
            "index::python_parent_id",
            "info::finished",
            "info::labels",
            "info::name",
            "info::op_count",
            "info::sort_index",
            "inference::batch_size",
            "inference::batch_id",
            "inference::pre_grad_nodes"
        ]
    );
    assert_eq!(offered("%trace_load x --args=sm::warps,sm::"), ["sm::blocks", "sm::occupancy", "sm::occupancy_limits"]);
    assert_eq!(offered("%trace_load x --args a"), ["all"]);
}

#[test]
fn parser_args_lists_all_arguments() {
    let mut notebook = Notebook::default();
    let text = notebook.text("%parser_args");
    for word in ["cpu_op::input_dims", "Input Dims", "shapes of the inputs", "triton_kernels", "minimum", "1.2.0"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let some = notebook.text("%parser_args sm::warps");
    assert!(some.contains("warps_per_sm") && !some.contains("input_dims"), "{some}");
}

#[test]
fn memory_is_shown_by_column() {
    let (mut notebook, _) = loaded("--args all");
    let text = notebook.text("%trace_info t --memory");
    for word in ["my_own", "f64", "category", "est_occupancy", "start, on the trace's clock"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let only = notebook.text("%trace_info t --memory --rank 0");
    assert!(only.contains("memory of trace t · rank 0"), "{only}");
    assert!(notebook.error("%trace_info t --memory --rank 4").contains("has no rank 4"));
}
