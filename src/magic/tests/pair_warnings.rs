//! Warnings about the recordings of a pair: one line, shown by one magic line.

use super::Notebook;
use super::fixtures::at;
use trace_testkit::{Stream, TraceBuilder};

/// Writes two runs of jobs of different sizes.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    for (label, ranks) in [("control", 2), ("test", 4)] {
        let trace = TraceBuilder::new()
            .metadata("distributedInfo", &format!("{{\"backend\": \"nccl\", \"rank\": 0, \"world_size\": {ranks}}}"))
            .step(1, 0..100)
            .operator("aten::mm", 5..30)
            .kernel("gemm", Stream(7), 30..50);
        std::fs::write(folder.path().join(format!("{label}.json")), trace.json())
            .unwrap_or_else(|error| panic!("{error}"));
    }
    folder
}

#[test]
fn conditions_of_a_pair_are_said_by_one_line() {
    let folder = folder();
    let mut notebook = Notebook::default();
    let load = |notebook: &mut Notebook| {
        for label in ["control", "test"] {
            notebook.text(&format!("%trace_load {} --as {label} --quiet", at(&folder, &format!("{label}.json"))));
        }
    };
    load(&mut notebook);
    let line = "Warning: \"control\" and \"test\" were recorded under different conditions: number of ranks";
    let mut warns = |code: &str| {
        let text = notebook.text(code);
        assert_eq!(text.contains(line), text.contains("the jobs differ in size"), "the line unfolds: {text}");
        text.contains(line)
    };
    assert!(warns("%compare_traces control test"));
    assert!(!warns("%explain control test") && !warns("%ops_diff control test --top 1"), "it was said");
    assert!(warns("%compare_traces control test"), "its cell runs again");
    load(&mut notebook);
    assert!(notebook.text("%explain control test").contains(line), "the traces were loaded again");
}
