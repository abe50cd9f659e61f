//! `%describe`: the page as a notebook shows it.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::display::Output;
use serde_json::{Value, json};
use trace_testkit::{Stream, TraceBuilder};
use trace_view::TABLE;

/// A notebook on which `job` is loaded: one of eight ranks, `gemm` busy for 40 of 50 µs.
fn notebook(folder: &tempfile::TempDir) -> Notebook {
    let builder = TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::mm", 10..40)
        .runtime("cudaLaunchKernel", 1, 20..25)
        .kernel("gemm", Stream(7), 50..80)
        .correlation(1)
        .runtime("cudaLaunchKernel", 2, 30..32)
        .kernel("gemm", Stream(7), 90..100)
        .correlation(2);
    let path = folder.path().join("job.json");
    std::fs::write(&path, builder.json()).unwrap();
    let mut notebook = Notebook::default();
    notebook.text(&format!("%trace_load '{}' --as job --quiet", path.display()));
    notebook
}

#[test]
fn the_page_says_what_is_there_and_what_is_odd() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook(&folder);
    let text = notebook.text("%describe job");
    assert!(
        text.starts_with("job: rank 0 · iteration 1 · 6 events · 100 µs · NVIDIA GPU\ndevice: 80.0 % busy\n1 warning"),
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
fn the_file_holds_the_page_and_the_words_of_its_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job_page.json");
    assert_eq!(notebook(&folder).text(&format!("%describe job --json '{}' --quiet", path.display())), "");
    let page: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(page["version"], 1);
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
fn a_name_that_is_not_loaded_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let error = notebook(&folder).error("%describe jbo");
    assert_eq!(error, "UsageError: %describe: no trace named \"jbo\". Loaded: job. Did you mean job?");
}
