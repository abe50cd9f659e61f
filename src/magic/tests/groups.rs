//! `--by`: a row per operator and rank, or per operator and iteration; `%compare_ranks`.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::at;
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};

/// Returns a notebook with `a`, ranks 0 to 4 with kernels of 40 µs, and `b`, in which that of rank 3 takes 90 µs.
fn notebook() -> (TempDir, Notebook) {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = Notebook::default();
    for (label, slow) in [("a", 40), ("b", 90)] {
        std::fs::create_dir(at(&folder, label)).unwrap();
        for rank in 0..5 {
            let kernel = if rank == 3 { slow } else { 40 };
            let trace = TraceBuilder::new()
                .rank(rank)
                .step(1, 0..100)
                .operator("aten::mm", 1..2)
                .runtime("cudaLaunchKernel", 1, 3..4)
                .kernel("gemm", Stream(7), 5..5 + kernel)
                .correlation(1);
            std::fs::write(at(&folder, &format!("{label}/{rank}.json")), trace.json()).unwrap();
        }
        notebook.text(&format!("%trace_load '{}' --as {label}", at(&folder, label)));
    }
    (folder, notebook)
}

#[test]
fn operators_are_compared_rank_by_rank() {
    let (folder, mut notebook) = notebook();
    let path = at(&folder, "out.csv");
    let text = notebook.text(&format!("%compare_traces a b --by rank --device-type gpu --top 1 --csv '{path}'"));
    assert!(text.contains("a → b · GPU · ranks 0–4 → 0–4 · iteration 1 → 1 · by rank"), "{text}");
    assert!(text.contains("Time of GPU work in 5 ranks: 200 µs → 250 µs (+25.0 %)"), "{text}");
    // The largest change is the one row shown; the file has them all.
    let row = text.lines().find(|line| line.contains("gemm")).unwrap();
    assert!(row.trim_start().starts_with('3'), "{text}");
    let csv = std::fs::read_to_string(path).unwrap();
    assert_eq!(csv.lines().count(), 1 + 5, "{csv}");
    assert!(csv.contains("\n3,gemm,1,40.0,1,90.0,0,50.0,=\n"), "{csv}");
    let text = notebook.text("%compare_traces a b --by iteration --device-type gpu");
    assert!(text.contains("iteration") && text.contains("Time of GPU work in 1 iteration"), "{text}");
    let figure = notebook.text("df = %compare_traces a b --by rank --device-type gpu --quiet\n%visualize df");
    assert!(figure.contains("rank 3 · gemm"), "{figure}");
    assert!(notebook.text("%ops_diff a b --control-rank all --test-rank all").contains("unchanged"));
}

#[test]
fn rank_that_differs_is_named_by_the_magic() {
    let (_folder, mut notebook) = notebook();
    let text = notebook.text("%compare_ranks b");
    assert!(text.contains("Rank 3 is slower: gemm 50.0 µs longer (90.0 µs, median 40.0 µs)"), "{text}");
    let same = notebook.text("%compare_ranks a --threshold 2");
    assert!(same.contains("No rank differs from the others: nothing deviates by a robust z-score of 2"), "{same}");
    let few = notebook.text("%compare_ranks b --rank 1-3 --no-figure");
    assert!(few.contains("3 ranks are too few to tell an outlier"), "{few}");
    let wrong = notebook.error("%compare_ranks b --min-share=-1");
    assert!(wrong.contains("invalid min_share `-1`: expected 0 or more"), "{wrong}");
}
