//! `%describe` in a notebook.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::notebook_with;
use crate::display::Output;
use serde_json::{Value, json};
use trace_testkit::{Stream, TraceBuilder};
use trace_view::TABLE;

/// Returns a notebook with `job`: one of eight ranks, `gemm` busy for 40 of 50 µs.
fn notebook() -> Notebook {
    let builder = TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::mm", 10..40)
        .runtime("cudaLaunchKernel", 1, 20..25)
        .kernel("gemm", Stream(7), 50..80)
        .correlation(1)
        .runtime("cudaLaunchKernel", 2, 30..32)
        .kernel("gemm", Stream(7), 90..100)
        .correlation(2);
    notebook_with(&[("job", builder)]).1
}

#[test]
fn page_shows_contents_and_anomalies() {
    let mut notebook = notebook();
    let text = notebook.text("%describe job");
    assert!(
        text.starts_with(
            "job: rank 0 · iteration 1 · 6 events · 100 µs · NVIDIA GPU\ndevice: 80.0 % busy\n\
             No kernel takes less than 10 µs (%kernels job)\n1 warning"
        ),
        "{text}"
    );
    assert!(text.contains("Warning: 7 of the job's 8 ranks are not loaded: ranks 1–7. "), "{text}");
    assert!(text.contains("Load the folder with the files of all ranks"), "{text}");
    for caption in ["ranks of job", "iterations of job", "top operators of job", "top kernels of job"] {
        assert!(text.contains(caption), "{caption}: {text}");
    }
    let outputs = notebook.outputs("%describe job --top 0").unwrap();
    let tables = outputs
        .iter()
        .filter(|output| matches!(output, Output::Display { bundle, .. } if bundle.data.contains_key(TABLE)));
    assert_eq!(tables.count(), 2);
}

#[test]
fn json_has_the_page_and_the_texts_of_its_findings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job_page.json");
    let shown = notebook().text(&format!("%describe job --json '{}' --quiet", path.display()));
    assert!(
        shown.starts_with("Warning: 7 of the job's 8 ranks are not loaded") && shown.lines().count() == 1,
        "{shown}"
    );
    let page: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(page["version"], 2);
    let page = &page["description"];
    assert_eq!(page["span_ns"], 100_000);
    assert_eq!(page["ranks"][0]["device"]["busy_ns"], 40_000);
    assert_eq!(
        page["kernels"],
        json!([{
            "name": "gemm", "kernel_type": "COMPUTATION", "count": 2, "total_ns": 40_000, "longest_ns": 30_000, "percent": 100.0
        }])
    );
    let finding = &page["findings"][0];
    assert_eq!((&finding["kind"], &finding["world_size"]), (&json!("missing_ranks"), &json!(8)));
    assert!(finding["what"].is_string() && finding["meaning"].is_string() && finding["remedy"].is_string());
}

#[test]
fn unknown_trace_is_named_with_a_hint() {
    let error = notebook().error("%describe jbo");
    assert_eq!(error, "UsageError: %describe: unknown trace `jbo`: expected job; did you mean job?");
}
