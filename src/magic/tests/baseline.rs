//! `%baseline` and `%history` in a notebook.
#![allow(clippy::unwrap_used)]

use super::Notebook;
use super::fixtures::at;
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};

/// A run of two iterations: an operator whose kernel takes `us`, and one whose kernel takes 400.
fn write(folder: &TempDir, file: &str, us: i64) {
    let mut trace = TraceBuilder::new();
    for (iteration, at) in [(1, 0), (2, 2_000)] {
        trace = trace
            .operator("aten::mm", at + 5..at + 30)
            .runtime("cudaLaunchKernel", iteration, at + 10..at + 20)
            .kernel("gemm", Stream(7), at + 30..at + 30 + us)
            .correlation(iteration)
            .operator("aten::add", at + 31..at + 40)
            .runtime("cudaLaunchKernel", 10 + iteration, at + 32..at + 36)
            .kernel("elementwise", Stream(7), at + 30 + us..at + 430 + us)
            .correlation(10 + iteration)
            .step(iteration, at..at + 450 + us);
    }
    std::fs::write(folder.path().join(file), trace.json()).unwrap();
}

/// A notebook with the runs `r1` to `r5`, `same` and `slow`, and a file for baselines.
fn notebook() -> (TempDir, Notebook, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = Notebook::default();
    let runs =
        [("r1", 1_000), ("r2", 1_010), ("r3", 995), ("r4", 1_005), ("r5", 990), ("same", 1_002), ("slow", 1_400)];
    for (label, us) in runs {
        write(&folder, &format!("{label}.json"), us);
        notebook.text(&format!("%trace_load '{}' --as {label} --quiet", at(&folder, &format!("{label}.json"))));
    }
    let file = format!("--file '{}'", at(&folder, "kept/baselines.json"));
    (folder, notebook, file)
}

#[test]
fn baselines_are_added_listed_shown_and_removed() {
    let (folder, mut notebook, file) = notebook();
    assert!(notebook.text(&format!("%baseline list {file}")).contains("no baseline is kept"));
    let added = notebook.text(&format!("%baseline add main r1 r2 r3 {file}"));
    assert!(added.contains("added 3 runs to main in ") && added.contains(": 3 in all"), "{added}");
    assert!(notebook.text(&format!("%baseline add main r4 r5 {file}")).contains("5 in all"));
    let again = notebook.error(&format!("%baseline add main r2 {file}"));
    assert!(again.contains("cannot add r2 to main: it is in the baseline"), "{again}");
    let list = notebook.text(&format!("%baseline list {file}"));
    assert!(list.contains("main") && list.contains("spread [%]"), "{list}");
    let shown = notebook.text(&format!("%baseline show main {file}"));
    assert!(shown.contains("main: 5 runs (r1, r2, r3, r4, r5)") && shown.contains("aten::mm · gemm"), "{shown}");
    let unknown = notebook.error(&format!("%baseline show mian {file}"));
    assert!(unknown.contains("unknown baseline `mian`: expected main"), "{unknown}");
    assert!(notebook.text(&format!("%baseline remove main {file}")).contains("removed main"));
    assert!(notebook.error(&format!("%baseline remove main {file}")).contains("unknown baseline `main`"));
    std::fs::write(folder.path().join("kept/baselines.json"), "{\"version\": 1, \"baselines\": [").unwrap();
    let damaged = notebook.error(&format!("%baseline add main r1 {file}"));
    assert!(damaged.contains("cannot use the baselines of") && damaged.contains("damaged"), "{damaged}");
}

#[test]
fn a_run_is_judged_by_a_baseline() {
    let (_folder, mut notebook, file) = notebook();
    notebook.text(&format!("%baseline add main r1 r2 r3 r4 r5 {file}"));
    let same = notebook.text(&format!("%baseline check main same {file} --limit 5%"));
    assert!(
        same.starts_with("No regression: step grew by ") && same.contains("1 run against a baseline of 5 runs"),
        "{same}"
    );
    let slow = notebook.text(&format!("%baseline check main slow {file} --limit 5% --limit aten::mm=10%"));
    assert!(slow.starts_with("Regression: step grew by ") && slow.contains("aten::mm · gemm"), "{slow}");
    let two = notebook.error(&format!("%baseline check main same slow {file}"));
    assert!(two.contains("it judges one run"), "{two}");
    let limit = notebook.error(&format!("%baseline check main same {file} --limit much"));
    assert!(limit.contains("invalid --limit `much`: expected a percentage such as 3%"), "{limit}");
    let unknown = notebook.error(&format!("%baseline check main same {file} --limit aten::mmm=3%"));
    assert!(unknown.contains("no call or kernel is named `aten::mmm`"), "{unknown}");
}

#[test]
fn history_takes_labels_or_a_folder_by_date() {
    let (folder, mut notebook, _) = notebook();
    let text = notebook.text("%history r1 r2 slow");
    assert!(text.contains("Too few runs to find changes: 3, needed are 8.") && text.contains("slow"), "{text}");
    let nightly = folder.path().join("nightly");
    std::fs::create_dir(&nightly).unwrap();
    for run in 0..12_u64 {
        // Names in another order than dates.
        let name = format!("nightly/run-{}.json", 20 - run);
        write(&folder, &name, if run < 7 { 1_000 } else { 1_300 } + (5 * run % 12).cast_signed() - 5);
        let file = std::fs::File::options().append(true).open(folder.path().join(name)).unwrap();
        let date = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + 86_400 * run);
        file.set_modified(date).unwrap();
    }
    let text = notebook.text(&format!("%history '{}'", nightly.display()));
    assert!(text.contains("step: 1.45 ms → 1.75 ms") && text.contains("from run-13.json on"), "{text}");
    let unknown = notebook.error("%history nothing");
    assert!(unknown.contains("unknown trace `nothing`"), "{unknown}");
    let csv = at(&folder, "history.csv");
    notebook.text(&format!("%history '{}' --csv '{csv}' --quiet", nightly.display()));
    let rows = std::fs::read_to_string(csv).unwrap();
    assert!(rows.starts_with("run,step_us,aten::mm · gemm,aten::add · elementwise,changed\nrun-20.json,"), "{rows}");
    assert_eq!(rows.lines().count(), 13);
}
