//! Annotations of graphs, and what they lend.

use super::{BorrowedCalls, Partner};
use crate::frame::READ_COLUMNS;
use crate::{Compat, Trace, TraceSet};
use polars::prelude::PlSmallStr;
use trace_data::dataset::GraphAnnotations;
use trace_testkit::{Stream, TraceBuilder, gzip};

/// A replay of a graph of three kernels, whose nodes are 1 to 3 of graph 5; the first has this text in its arguments.
fn replay(rank: i64, inline: Option<&str>) -> TraceBuilder {
    let mut trace = TraceBuilder::new().rank(rank).runtime("cudaGraphLaunch", 1, 0..10);
    for node in 1..=3 {
        trace = trace.kernel("gemm", Stream(7), 10 * node..10 * node + 8).correlation(1);
        trace = trace.arg("graph node id", &((5_i64 << 32) + node).to_string());
        if let Some(name) = inline.filter(|_| node == 1) {
            trace = trace.arg("name", &format!("{name:?}"));
        }
    }
    trace
}

/// Writes a file, and returns its folder with one for traces in it.
fn job(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("step_10")).unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The names above each kernel of a rank, the innermost first, as its annotations lend them.
fn names(trace: &Trace, companion: TraceSet) -> Vec<Vec<String>> {
    let events = trace.frame_of(&READ_COLUMNS.map(PlSmallStr::from_static)).unwrap();
    let rows = trace.rank_events(&events, Compat::Exact).unwrap();
    let calls = BorrowedCalls::of(trace, Compat::Exact, &[companion]).unwrap();
    let above = |&(_, partner): &(u32, Partner)| match partner {
        Partner::Call(call) => calls.around(call).map(|(_, call)| rows.text(call.name).to_owned()).collect(),
        _ => Vec::new(),
    };
    calls.kernels().iter().map(above).collect()
}

const STEP: &[u8] = br#"{"21474836481": [{"name": "layers.0"}, {"name": "wq", "stream": 70}], "21474836482": {"Collective name": "all_reduce"}}"#;

#[test]
fn files_beside_a_trace_name_its_nodes() {
    let folder = job(&[
        ("kernel_annotations_rank0_step.json", STEP),
        ("kernel_annotations_rank1_step.json.gz", &gzip(br#"{"21474836483": "loss"}"#)),
        ("kernel_annotations_rank10_step.json", b"not of rank 1"),
        ("step_10/rank0.json", replay(0, None).json().as_bytes()),
        ("step_10/rank1.json", replay(1, None).json().as_bytes()),
    ]);
    let traces = TraceSet::load(folder.path().join("step_10")).unwrap().with_label("run");
    let found = GraphAnnotations::of(&traces).unwrap();
    assert_eq!((found.files.len(), found.nodes, found.problems), (2, 3, Vec::<String>::new()));
    let companion = found.companion.unwrap();
    assert_eq!(companion.label(), "run_annotations");
    assert!(GraphAnnotations::are(&companion) && !GraphAnnotations::are(&traces));
    let [first, second] = traces.traces() else { panic!("{traces:?}") };
    assert_eq!(names(first, companion.clone()), [vec!["wq", "layers.0"], vec!["all_reduce"], vec![]]);
    assert_eq!(names(second, companion.clone()), [vec![], vec![], vec!["loss"]]);
    // They are of this trace: the graphs of another one have the same numbers, and kernels that borrow nothing.
    std::fs::create_dir(folder.path().join("step_20")).unwrap();
    std::fs::copy(folder.path().join("step_10/rank0.json"), folder.path().join("step_20/rank0.json")).unwrap();
    let other = TraceSet::load(folder.path().join("step_20")).unwrap();
    assert_eq!(names(&other.traces()[0], companion), [vec![""; 0], vec![], vec![]]);
}

#[test]
fn annotations_in_the_trace_need_no_file() {
    let traces = TraceSet::from_bytes(replay(0, Some("layers.0.wq")).json()).unwrap();
    let found = GraphAnnotations::of(&traces).unwrap();
    assert_eq!((found.files.len(), found.nodes), (0, 1));
    assert_eq!(names(&traces.traces()[0], found.companion.unwrap()), [vec!["layers.0.wq"], vec![], vec![]]);
    let numbered = TraceBuilder::new().kernel("gemm", Stream(7), 0..5).arg("graph node id", "3").arg("name", "4");
    for bare in [replay(0, None), numbered] {
        let bare = TraceSet::from_bytes(bare.json()).unwrap();
        assert!(GraphAnnotations::of(&bare).unwrap().companion.is_none());
    }
}

#[test]
fn unreadable_files_are_named() {
    let folder = job(&[
        ("kernel_annotations_rank0_a.json", b"{\"21474836481\": [{\"name\": 5}], \"first\": []}"),
        ("kernel_annotations_rank0_b.json", b"[1]"),
        ("kernel_annotations_rank0_c.pkl", b"\x80\x04"),
        ("step_10/rank0.json", replay(0, None).json().as_bytes()),
    ]);
    let traces = TraceSet::load(folder.path().join("step_10")).unwrap();
    let found = GraphAnnotations::of(&traces).unwrap();
    assert!(found.companion.is_none());
    let expected = ["\"first\" is not the number of a node", "expected a map", "to open a pickle runs code"];
    assert_eq!(found.problems.len(), expected.len(), "{:?}", found.problems);
    for text in expected {
        assert!(found.problems.iter().any(|problem| problem.contains(text)), "{text}: {:?}", found.problems);
    }
}

#[test]
fn files_of_annotations_are_no_ranks() {
    let folder = job(&[]);
    std::fs::write(folder.path().join("step_10/rank0.json"), replay(0, None).json()).unwrap();
    std::fs::write(folder.path().join("step_10/kernel_annotations_rank0_step.json"), STEP).unwrap();
    let traces = TraceSet::load(folder.path().join("step_10")).unwrap();
    assert_eq!((traces.ranks(), GraphAnnotations::of(&traces).unwrap().nodes), (vec![0], 2));
}
