#![allow(clippy::unwrap_used, clippy::print_stdout)]
use super::replay::CHANGES;
use super::*;
use crate::analysis::{CATALOG, Plan};
use crate::filter::Where;
use crate::{CriticalPath, Questions, TraceSet};
use polars::prelude::AnyValue;
use serde_json::Map;
use std::ops::Range;
use trace_testkit::{Stream, TraceBuilder};

const A100: &str = r#"[{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "computeMajor": 8, "computeMinor": 0, "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536, "warpSize": 32, "sharedMemPerMultiprocessor": 167936, "numSms": 108}]"#;

fn a100() -> TraceBuilder {
    TraceBuilder::new().metadata("deviceProperties", A100)
}

/// A kernel of 256 threads with 32 registers.
fn kernel(trace: TraceBuilder, name: &str, blocks: i64, span: Range<i64>) -> TraceBuilder {
    trace
        .kernel(name, Stream(7), span)
        .arg("grid", &format!("[{blocks}, 1, 1]"))
        .arg("block", "[256, 1, 1]")
        .arg("registers per thread", "32")
        .arg("shared memory", "0")
}

fn load(trace: &TraceBuilder) -> TraceSet {
    let options = crate::LoadOptions { parser_config: Some("all".parse().unwrap()), ..crate::LoadOptions::default() };
    TraceSet::from_bytes_with(trace.json(), &options).unwrap()
}

fn ask(trace: &TraceBuilder) -> Answer {
    TraceAnalysis::new(&load(trace)).unwrap().ask(&Kernels::default()).unwrap()
}

fn numbers(df: &DataFrame, column: &str) -> Vec<f64> {
    let column = df.column(column).unwrap();
    (0..df.height()).map(|row| column.get(row).unwrap().try_extract().unwrap_or(f64::NAN)).collect()
}

fn texts(df: &DataFrame, column: &str) -> Vec<String> {
    let column = df.column(column).unwrap();
    let text = |value: AnyValue<'_>| if value.is_null() { "-".to_owned() } else { value.str_value().to_string() };
    (0..df.height()).map(|row| text(column.get(row).unwrap())).collect()
}

fn has_note(answer: &Answer, start: &str) -> bool {
    answer.notes.iter().any(|note| note.starts_with(start))
}

#[test]
fn launches_have_waves_tails_and_limits() {
    let trace = kernel(a100().operator("aten::mm", 0..5), "gemm", 1296, 10..40);
    let trace = kernel(kernel(trace, "gemm", 1296, 50..90), "small", 216, 100..120);
    let answer = ask(&kernel(trace, "matmul_persistent", 216, 130..150));
    let df = &answer.tables[0].frame;
    assert_eq!(texts(df, "name"), ["gemm", "matmul_persistent", "small"]);
    assert_eq!([numbers(df, "count"), numbers(df, "time (us)")], [[2.0, 1.0, 1.0], [70.0, 20.0, 20.0]]);
    assert_eq!(numbers(df, "mean (us)"), [35.0, 20.0, 20.0]);
    // 8 blocks of 8 warps have all 64 warps and all 65,536 registers.
    assert_eq!(numbers(df, "active_blocks"), [8.0; 3]);
    assert_eq!(texts(df, "limited_by"), ["registers, warps"; 3]);
    assert_eq!(numbers(df, "occupancy"), [100.0; 3]);
    // 864 blocks run at once; two of 8 blocks on each multiprocessor are a quarter.
    let waves = numbers(df, "waves");
    assert_eq!((waves[0], waves[2]), (1.5, 0.25));
    assert!(waves[1].is_nan(), "persistent by its name");
    let tails = numbers(df, "tail_efficiency");
    assert_eq!((tails[0], tails[2]), (75.0, 25.0));
    assert_eq!(numbers(df, "achieved"), [100.0, 25.0, 25.0]);
    assert_eq!([numbers(df, "threads"), numbers(df, "blocks")], [[256.0; 3], [1296.0, 216.0, 216.0]]);
    assert_eq!((texts(df, "grid")[0].as_str(), texts(df, "occupancy_by")[0].as_str()), ("1296", "computed"));
    assert_eq!(numbers(df, "share_of_busy")[0], 100.0 * 70.0 / 110.0);
    let notes = &answer.notes;
    assert_eq!(notes[0], "NVIDIA A100-SXM4-80GB, 108 multiprocessors: 4 kernels of 3 launch configurations, 110 µs.");
    assert_eq!(notes[1], "No kernel takes less than 10 µs.");
    assert!(has_note(&answer, "18.2 % of the time of kernels is in launches of less than a wave"), "{notes:?}");
    assert!(has_note(&answer, "Grids of 2 launch configurations are multiples"), "{notes:?}");
}

#[test]
fn recorded_occupancy_wins_over_the_computed_one() {
    let object = r#"{"activeBlocksPerMultiprocessor": 2, "limitingFactors": "sharedMemory", "blockLimitSharedMem": 2, "blockLimitWarps": 8}"#;
    let trace = kernel(a100().operator("aten::mm", 0..5), "gemm", 432, 10..40).arg("occupancy", object);
    let answer = ask(&trace);
    let df = &answer.tables[0].frame;
    assert_eq!([numbers(df, "active_blocks"), numbers(df, "occupancy"), numbers(df, "waves")], [[2.0], [25.0], [2.0]]);
    assert_eq!(
        (texts(df, "limited_by"), texts(df, "occupancy_by")),
        (vec!["shared memory".into()], vec!["recorded".into()])
    );
    let note = "Occupancy is below 50 % for 100.0 % of the time of kernels, limited by shared memory (100.0 %).";
    assert!(has_note(&answer, note), "{:?}", answer.notes);
    // Without the device the limit is known, not the share.
    let trace = kernel(TraceBuilder::new().operator("aten::mm", 0..5), "gemm", 432, 10..40).arg("occupancy", object);
    let answer = ask(&trace);
    let df = &answer.tables[0].frame;
    assert_eq!((numbers(df, "active_blocks"), texts(df, "limited_by")), (vec![2.0], vec!["shared memory".into()]));
    assert!(numbers(df, "occupancy")[0].is_nan());
    let note = "No occupancy for 100.0 % of the time of kernels: the trace has no deviceProperties";
    assert!(has_note(&answer, note), "{:?}", answer.notes);
}

#[test]
fn overlapping_kernels_of_a_stream_count_once() {
    let trace = kernel(kernel(a100().operator("aten::mm", 0..5), "one", 108, 10..30), "other", 108, 20..40);
    let trace = kernel(trace, "inside", 108, 32..38).kernel("elsewhere", Stream(20), 15..35);
    let answer = ask(&trace);
    let df = &answer.tables[0].frame;
    assert_eq!(texts(df, "name"), ["elsewhere", "one", "other", "inside"]);
    assert_eq!(numbers(df, "time (us)"), [20.0, 20.0, 10.0, 0.0]);
    assert_eq!(numbers(df, "mean (us)"), [20.0, 20.0, 20.0, 6.0]);
    // One stream is busy from 10 to 40, one from 15 to 35.
    assert_eq!(numbers(df, "share_of_busy")[1], 100.0 * 20.0 / 50.0);
    let notes = &answer.notes;
    assert!(has_note(&answer, "Kernels overlap on their streams by 16.0 µs"), "{notes:?}");
    assert!(
        has_note(&answer, "Kernels below 10 µs: 1 (25.0 %), 6.00 µs, 20.0 % of the time in which the GPU is busy"),
        "{notes:?}"
    );
    assert!(has_note(&answer, "No occupancy for 40.0 % of the time of kernels: grid and block were not"), "{notes:?}");
    let figure = &answer.figures[0];
    assert_eq!((figure.title.as_str(), figure.series.len()), ("Kernels by duration", 2));
    assert_eq!(figure.series[0].y, [25.0, 0.0, 75.0]);
    let trace_view::Points::Names(names) = &figure.series[0].x else { panic!("{figure:?}") };
    assert_eq!(names, &["5 µs to 10 µs", "10 µs to 20 µs", "20 µs to 50 µs"]);
}

#[test]
fn compiled_kernels_have_operators_and_source() {
    let trace = a100()
        .operator("triton_poi_fused_add_relu_3", 0..20)
        .arg("kernel_file", "\"/tmp/inductor/ab/cab.py\"")
        .arg("kernel_backend", "\"triton\"")
        .arg("kernel_kwargs", "\"XBLOCK=128\"")
        .arg("num_warps", "4")
        .arg("num_stages", "1")
        .runtime("cuLaunchKernel", 1, 5..10);
    let trace = kernel(trace, "triton_poi_fused_add_relu_3", 10, 30..34).correlation(1);
    let trace = kernel(trace.operator("aten::mm", 40..50), "gemm", 10, 60..63);
    let answer = ask(&trace);
    let df = &answer.tables[0].frame;
    assert_eq!(texts(df, "fused"), ["add, relu", "-"]);
    assert_eq!(texts(df, "source"), ["/tmp/inductor/ab/cab.py", "-"]);
    assert_eq!(texts(df, "compiled"), ["triton, XBLOCK=128, 4 warps, 1 stage", "-"]);
}

#[test]
fn launch_configurations_are_loaded_with_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.json");
    let trace = a100().operator("triton_add", 0..20).arg("kernel_file", "\"/tmp/cab.py\"").arg("num_warps", "4");
    let trace = kernel(trace.runtime("cuLaunchKernel", 1, 5..10), "triton_add", 10, 30..34).correlation(1);
    std::fs::write(&path, trace.json()).unwrap();
    let traces = TraceSet::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let answer = TraceAnalysis::new(&traces).unwrap().ask(&Kernels::default()).unwrap();
    let df = &answer.tables[0].frame;
    assert_eq!([numbers(df, "blocks"), numbers(df, "registers")], [[10.0], [32.0]]);
    assert_eq!((texts(df, "compiled"), texts(df, "source")), (vec!["4 warps".into()], vec!["/tmp/cab.py".into()]));
}

#[test]
fn grids_of_rocm_may_count_threads() {
    let device = r#"[{"id": 0, "name": "AMD Instinct MI300X", "computeMajor": 9, "computeMinor": 4, "maxThreadsPerMultiprocessor": 2048,
        "warpSize": 64, "numSms": 304}]"#;
    let mut trace = TraceBuilder::new().metadata("deviceProperties", device).operator("aten::mm", 0..5);
    for number in 1..=8 {
        trace = kernel(trace, "gemm", number * 256, 100 * number..100 * number + 20 - number);
    }
    let answer = ask(&trace);
    let df = &answer.tables[0].frame;
    assert_eq!(numbers(df, "blocks"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert!(
        has_note(&answer, "No occupancy for 100.0 % of the time of kernels: no limits are known"),
        "{:?}",
        answer.notes
    );
    // One that counts blocks says that the others do, too, but for a call that always counts threads.
    let trace = kernel(trace, "reduce", 3, 1000..1010);
    let trace = trace.runtime("hipExtModuleLaunchKernel", 1, 1090..1095);
    let answer = ask(&kernel(trace, "Cijk", 512, 1100..1105).correlation(1));
    assert_eq!(numbers(&answer.tables[0].frame, "blocks")[7..], [2048.0, 3.0, 2.0]);
}

/// A step whose three operators launch a kernel of 4 µs each; the host is what takes the time.
fn short_run(trace: TraceBuilder) -> TraceBuilder {
    let mut trace = trace.nanos().step(1, 0..200_000).step(2, 200_001..300_001);
    for number in 0..3 {
        let at = 200_101 + 20_000 * number;
        trace = trace
            .operator("aten::add", at..at + 15_000)
            .runtime("cudaLaunchKernel", number + 1, at + 5_000..at + 7_000)
            .kernel("add", Stream(7), at + 10_000..at + 14_000)
            .correlation(number + 1);
    }
    trace
}

#[test]
fn one_launch_for_a_run_saves_what_what_if_says() {
    let traces = load(&short_run(a100()));
    let answer = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap().ask(&Kernels::default()).unwrap();
    let savings = &answer.tables[1].frame;
    // The launch calls of the second and the third; then all of the second operator, too. The GPU is never waited for.
    assert_eq!(numbers(savings, "saved (us)"), [4.0, 17.0, 17.0], "{savings}");
    assert_eq!(numbers(savings, "before (us)"), [100.0; 3]);
    assert_eq!(texts(savings, "step"), ["ProfilerStep#2"; 3]);
    let changes = CHANGES.iter().map(|change| change.text.parse().unwrap()).collect();
    let asked = traces.critical_path(&CriticalPath { changes, ..CriticalPath::default() }).unwrap();
    let expected: Vec<f64> = asked.what_if_rows()[..3].iter().map(|row| row.saved_ns() as f64 / 1e3).collect();
    assert_eq!(numbers(savings, "saved (us)"), expected);
    let note = "In the whole recording, 3 kernels are in 1 run of short kernels. By replay of ProfilerStep#2 (100 µs), one launch for each run would save 4.00 µs \
                (4.0 %), graphs 17.0 µs (17.0 %), fused kernels 17.0 µs (17.0 %) (%what_if NAME graphs x 0).";
    assert!(has_note(&answer, note), "{:?}", answer.notes);
}

#[test]
fn fusion_saves_the_gaps_of_a_busy_stream() {
    // The stream is behind the host, which waits for it at the end: 4 kernels of 5 µs, 2 µs apart.
    let mut trace = a100().nanos().step(1, 1..50_001);
    for number in 0..4 {
        let (at, start) = (1_001 + 1_000 * number, 10_001 + 7_000 * number);
        trace = trace
            .runtime("cudaLaunchKernel", number + 1, at..at + 900)
            .kernel("add", Stream(7), start..start + 5_000)
            .correlation(number + 1);
    }
    let trace = trace.runtime("cudaStreamSynchronize", 9, 6_001..37_001);
    let answer = ask(&trace);
    let savings = &answer.tables[1].frame;
    let saved = numbers(savings, "saved (us)");
    assert_eq!(saved[2] - saved[1], 6.0, "three gaps: {savings}");
}

#[test]
fn runs_end_at_waits_and_other_launches() {
    let runs = |between: &dyn Fn(TraceBuilder) -> TraceBuilder| {
        let mut trace = a100().step(1, 0..300).runtime("cudaLaunchKernel", 1, 10..12);
        trace = between(trace.kernel("add", Stream(7), 20..24).correlation(1));
        trace = trace.runtime("cudaLaunchKernel", 2, 60..62).kernel("add", Stream(7), 70..74).correlation(2);
        ask(&trace).tables[1].frame.height()
    };
    assert_eq!(runs(&|trace| trace), 3);
    assert_eq!(runs(&|trace| trace.runtime("cudaStreamIsCapturing", 7, 30..32)), 3);
    assert_eq!(runs(&|trace| trace.runtime("cudaStreamSynchronize", 7, 30..32)), 0);
    let other = |trace: TraceBuilder, stream: i64, end: i64| {
        trace.runtime("cudaLaunchKernel", 7, 30..32).kernel("gemm", Stream(stream), 40..end).correlation(7)
    };
    assert_eq!(runs(&|trace| other(trace, 20, 65)), 0, "a long kernel on another stream");
    assert_eq!(runs(&|trace| other(trace, 7, 65)), 0, "a long kernel in between");
    assert_eq!(runs(&|trace| other(trace, 7, 45)), 3, "three in a run");
}

#[test]
fn filtered_views_are_not_replayed() {
    let traces = load(&short_run(a100()));
    let analysis = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
    let analysis = analysis.filter("dur < 100us".parse::<Where>().unwrap()).unwrap();
    let answer = analysis.ask(&Kernels::default()).unwrap();
    assert_eq!(answer.tables[1].frame.height(), 0);
    assert!(
        has_note(&answer, "What graphs and fusion would save is told of whole recordings only"),
        "{:?}",
        answer.notes
    );
}

#[test]
fn a_trace_without_gpu_says_so() {
    let answer = ask(&TraceBuilder::new().operator("aten::mm", 0..5));
    assert_eq!(answer.notes, ["No GPU activity on rank 0: nothing to report."]);
    assert!(answer.figures.is_empty() && !answer.tables[1].shown);
}

#[test]
fn partial_results_of_two_ranks_finish_to_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..2 {
        let trace = short_run(a100()).rank(rank);
        let trace = trace.runtime("cudaLaunchKernel", 10, 280_000..281_000);
        let trace = kernel(trace, "gemm", 216 + 864 * rank, 300_100..330_100 + rank).correlation(10);
        let trace = trace.runtime("cudaLaunchKernel", 11, 282_000..283_000);
        let trace = kernel(trace, "one", 108, 340_000..341_000).correlation(11);
        std::fs::write(folder.path().join(format!("{rank}.json")), trace.json()).unwrap();
    }
    let traces = TraceSet::load(folder.path()).unwrap();
    let analysis = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
    let entry = CATALOG.iter().find(|entry| entry.name == Kernels::NAME).unwrap();
    let whole = |answer: Answer| {
        let tables: Vec<String> = answer.tables.iter().map(|table| format!("{:?}", table.frame)).collect();
        format!("{tables:?} {:?} {:?}", answer.notes, answer.figures)
    };
    let expected = entry.ask(&analysis, Map::new(), None).unwrap();
    assert_eq!(texts(&expected.tables[0].frame, "name"), ["gemm", "gemm", "add", "one"]);
    assert_eq!(numbers(&expected.tables[0].frame, "count"), [1.0, 1.0, 6.0, 2.0]);
    assert_eq!(numbers(&expected.tables[1].frame, "saved (us)"), [4.0, 17.0, 17.0]);
    let plan: Plan = serde_json::from_str(&serde_json::to_string(analysis.plan()).unwrap()).unwrap();
    let state = |rank: i64| entry.map(&plan.view(&traces.rank(rank).unwrap()).unwrap(), Map::new()).unwrap();
    let merged = [state(1), state(0)];
    let merged = entry.merge(Map::new(), &merged).unwrap();
    assert_eq!(whole(entry.finish(&plan, Map::new(), None, &merged).unwrap()), whole(expected));
    let apart = entry.merge(Map::new(), &[state(0)]).unwrap();
    let one = entry.finish(&plan, Map::new(), Some(&[0]), &apart).unwrap();
    assert_eq!(numbers(&one.tables[0].frame, "count"), [1.0, 3.0, 1.0]);
}

#[test]
fn recorded_traces_answer_or_say_what_is_missing() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    for (folder, note) in [
        ("trace_diff/control", "NVIDIA A100-PG509-200, 108 multiprocessors"),
        ("tracelens_h100_mi300/bert_small/control.json.gz", "NVIDIA H100 80GB HBM3, 132 multiprocessors"),
        ("tracelens_h100_mi300/bert_small/test.json.gz", "No occupancy for 100.0 %"),
        ("trace_filter", "No occupancy for 100.0 % of the time of kernels: the trace has no deviceProperties"),
        ("triton_example", "No short kernels follow each other directly"),
        ("cpu_only", "No GPU activity on rank 34"),
    ] {
        let traces = TraceSet::load(format!("{shared}/traces/{folder}")).unwrap();
        let analysis = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
        let answer = analysis.ask(&Kernels::default()).unwrap();
        answer.notes.iter().for_each(|note| println!("{folder}: {note}"));
        for table in answer.tables.iter().filter(|table| table.shown) {
            println!("{}", table.table(&table.frame, table.name, 12).text_within(320));
        }
        assert!(has_note(&answer, note), "{folder}: {:?}", answer.notes);
        let df = &answer.tables[0].frame;
        let times: f64 = numbers(df, "time (us)").iter().sum();
        assert!(times >= 0.0 && numbers(df, "tail_efficiency").iter().all(|tail| tail.is_nan() || *tail <= 100.0));
    }
}
