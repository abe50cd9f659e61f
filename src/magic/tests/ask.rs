//! Magics made of the catalog of questions.

#![allow(clippy::unwrap_used)]
use super::Stage;
use super::stage::plain;
use crate::magic::find;
use tempfile::TempDir;
use trace::analysis::CATALOG;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::PLOTLY;

/// ```text
/// stream 7    |-- gemm 0..10 --|         |- relu 30..40 -|
/// stream 20        |----- nccl 5..20 -----|
/// ```
fn gpu(rank: i64) -> TraceBuilder {
    TraceBuilder::new()
        .rank(rank)
        .kernel("gemm", Stream(7), 0..10)
        .kernel("ncclDevKernel_AllReduce", Stream(20), 5..20)
        .kernel("relu", Stream(7), 30..40)
}

fn staged(builders: &[TraceBuilder]) -> (TempDir, Stage) {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("job");
    std::fs::create_dir(&job).unwrap();
    for (place, builder) in builders.iter().enumerate() {
        std::fs::write(job.join(format!("{place}.json")), builder.json()).unwrap();
    }
    let mut stage = Stage::default();
    stage.text(&format!("%trace_load '{}' --as job", job.display()));
    (folder, stage)
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn an_answer_is_a_table_and_a_figure() {
    let (_folder, mut stage) = staged(&[gpu(0), gpu(1)]);
    let outputs = stage.outputs("%temporal_breakdown job").unwrap();
    let [table, figure] = &outputs[..] else { panic!("{outputs:?}") };
    let text = plain(table);
    assert!(text.contains("temporal_breakdown · job · ranks 0, 1") && text.contains("50         25"), "{text}");
    let crate::display::Output::Display { bundle, .. } = figure else { panic!("{figure:?}") };
    assert!(bundle.data.contains_key(PLOTLY));
    assert_eq!(stage.outputs("%temporal_breakdown job --no-figure").unwrap().len(), 1);
    let one = stage.text("%temporal_breakdown job --rank 1 --no-figure");
    assert!(one.contains("· rank 1") && !one.contains("ranks"), "{one}");
}

#[test]
fn every_table_is_written_shown_or_not_with_htas_header() {
    let (folder, mut stage) = staged(&[gpu(0)]);
    let out = folder.path().join("out.csv");
    let said = stage.text(&format!("%gpu_kernel_breakdown job --csv '{}' --top 1 --filter relu", out.display()));
    assert!(said.contains("out.kernel_types.csv: 3 × 3") && said.contains("out.kernels.csv: 3 × 8"), "{said}");
    assert!(!out.exists());
    assert_eq!(
        read(&folder, "out.kernel_types.csv"),
        "kernel_type,sum,percentage\nCOMPUTATION,15.0,50.0\nCOMMUNICATION,10.0,33.3\n\
         COMPUTATION overlapping COMMUNICATION,5.0,16.7\n"
    );
    let kernels = read(&folder, "out.kernels.csv");
    assert!(kernels.starts_with("name,sum (us),max (us),min (us),stddev,mean (us),kernel_type,rank\n"), "{kernels}");
    stage.text(&format!("%idle_time_breakdown job --csv '{}' --quiet", out.display()));
    assert!(
        read(&folder, "out.csv").starts_with("rank,stream,idle_category,idle_time,idle_time_ratio\n0,7,kernel_wait,")
    );
    let gaps = read(&folder, "out.intervals.csv");
    assert!(
        gaps.starts_with("idle_category,rank,stream,count,mean,std,min,25%,50%,75%,max\nkernel_wait,0,7,1.0,20.0,,")
    );
}

#[test]
fn parameters_are_flags_with_htas_names() {
    let (_folder, mut stage) = staged(&[gpu(0)]);
    let wait = |stage: &mut Stage, flags: &str| stage.text(&format!("%idle_time_breakdown job --no-figure {flags}"));
    assert!(wait(&mut stage, "").contains("kernel_wait"));
    assert!(!wait(&mut stage, "--consecutive_kernel_delay 5").contains("kernel_wait"));
    assert!(!wait(&mut stage, "--streams 20").contains("kernel_wait"));
    assert!(wait(&mut stage, "--show-idle-interval-stats").contains("75%"));
    let folded = stage.text("%gpu_kernel_breakdown job --num-kernels 1 --no-figure");
    assert!(folded.contains("others"), "{folded}");
    let error = stage.error("%gpu_kernel_breakdown job --duration-ratio 80");
    assert_eq!(error, "TraceError: gpu_kernel_breakdown: duration_ratio is a share from 0 to 1, not 80");
    let page = stage.text("%idle_time_breakdown --help");
    assert!(page.contains("--consecutive-kernel-delay X") && page.contains("(default: 30)"), "{page}");
    assert!(page.contains("out.csv and out.intervals.csv"), "{page}");
}

#[test]
fn an_answer_can_be_bound() {
    let (_folder, mut stage) = staged(&[gpu(0)]);
    let said = stage.text("kinds = %gpu_kernel_breakdown job");
    assert_eq!(said, "kinds: DataFrame 3 × 3\nkinds_kernels: DataFrame 3 × 8\n");
    assert_eq!(stage.frame("kinds_kernels").height(), 3);
}

#[test]
fn without_gpu_rows_every_question_says_why_and_still_writes_its_files() {
    let (folder, mut stage) = staged(&[TraceBuilder::new().rank(34).operator("aten::mm", 0..5)]);
    for entry in CATALOG {
        assert!(find(entry.name).is_some());
        let out = folder.path().join(format!("{}.csv", entry.name));
        let said = stage.text(&format!("%{} job --csv '{}'", entry.name, out.display()));
        assert!(said.contains("rank 34"), "%{}: {said}", entry.name);
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
        let written = files.filter(|file| file.to_string_lossy().starts_with(entry.name)).count();
        assert_eq!(written, entry.tables.len(), "%{}", entry.name);
    }
}

#[test]
fn flags_that_fit_no_table_are_refused() {
    let (_folder, mut stage) = staged(&[gpu(0)]);
    assert!(stage.error("%temporal_breakdown job --sort nonsense").contains("no column \"nonsense\""));
    assert!(stage.error("%temporal_breakdown job --rank 7").contains("has no rank 7 (has 0)"));
    let sorted = stage.text("%gpu_kernel_breakdown job --sort 'mean (us)' --no-figure");
    assert!(sorted.contains("sorted by mean (us)"), "{sorted}");
}
