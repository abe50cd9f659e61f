//! Traces and notebooks that several tests share.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};

/// Writes `control.json` and `test.json.gz`, one iteration each:
///
/// ```text
/// control  mm 10..40  add 40..50  add 50..60           gemm on stream 7: 50..90
/// test     mm 10..45  mm 45..80   relu 80..90          gemm on stream 7: 50..70
/// ```
pub(super) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let control = TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::mm", 10..40)
        .operator("aten::add", 40..50)
        .operator("aten::add", 50..60)
        .runtime("cudaLaunchKernel", 17, 20..25)
        .kernel("void gemm<float>(int)", Stream(7), 50..90)
        .correlation(17);
    let test = TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::mm", 10..45)
        .operator("aten::mm", 45..80)
        .operator("aten::relu", 80..90)
        .runtime("cudaLaunchKernel", 17, 20..25)
        .kernel("void gemm<float>(int)", Stream(7), 50..70)
        .correlation(17);
    std::fs::write(folder.path().join("control.json"), control.json()).unwrap();
    std::fs::write(folder.path().join("test.json.gz"), test.gzip()).unwrap();
    folder
}

/// Returns the path of a file in `folder`.
pub(super) fn at(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// Returns a notebook with the traces `control` and `test` of [`folder`].
pub(super) fn loaded(folder: &TempDir) -> Notebook {
    let mut notebook = Notebook::default();
    let (control, test) = (at(folder, "control.json"), at(folder, "test.json.gz"));
    notebook.text(&format!("%trace_load '{control}'\n%trace_load '{test}'"));
    notebook
}

/// Returns a notebook with these traces, each written to `LABEL.json`.
pub(super) fn notebook_with(traces: &[(&str, TraceBuilder)]) -> (TempDir, Notebook) {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = Notebook::default();
    for (label, trace) in traces {
        let path = at(&folder, &format!("{label}.json"));
        std::fs::write(&path, trace.json()).unwrap();
        notebook.text(&format!("%trace_load '{path}' --as {label}"));
    }
    (folder, notebook)
}
