//! Collectives of timelines written by hand, and of a recorded job.

#![allow(clippy::unwrap_used)]

use super::Collectives;
use crate::analysis::{Analysis, Answer, Merge, TraceAnalysis};
use crate::{LoadOptions, ParserConfig, TraceSet};
use polars::prelude::{DataFrame, DataType};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use trace_testkit::{Stream, TraceBuilder};

const ALL_REDUCE: &str = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
const SEND_RECV: &str = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";

/// Adds a kernel with the arguments of a collective of ranks 0 and 1: its number, and elements sent and received.
fn collective(
    builder: TraceBuilder,
    (kernel, kind): (&str, &str),
    span: Range<i64>,
    number: i64,
    elements: [i64; 2],
) -> TraceBuilder {
    let name = format!("\"{kind}\"");
    let builder = builder.kernel(kernel, Stream(20), span).arg("Collective name", &name);
    let builder = builder.arg("In msg nelems", &elements[0].to_string());
    let builder = builder.arg("Out msg nelems", &elements[1].to_string());
    let builder = builder.arg("Group size", "2").arg("dtype", "\"BFloat16\"").arg("Seq", &number.to_string());
    let builder = builder.arg("Process Group Name", "\"0\"").arg("Process Group Description", "\"default_pg\"");
    builder.arg("Process Group Ranks", "\"[0, 1]\"")
}

/// ```text
/// rank 0   gemm 0..150   all_reduce 100..200   all_reduce 300..400
/// rank 1                 all_reduce 140..200   all_reduce 300..400
/// ```
fn two_ranks(sizes: [i64; 2]) -> [TraceBuilder; 2] {
    let rank = |rank: i64, first: Range<i64>| {
        let builder = TraceBuilder::new().rank(rank).operator("aten::mm", 0..5);
        let builder = collective(builder, (ALL_REDUCE, "allreduce"), first, 7, [30_000, 30_000]);
        let size = sizes[rank as usize];
        collective(builder, (ALL_REDUCE, "allreduce"), 300..400, 8, [size, size])
    };
    [rank(0, 100..200).kernel("gemm", Stream(7), 0..150), rank(1, 140..200)]
}

fn ask_with(builders: &[TraceBuilder], args: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    for (number, builder) in builders.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{number}.json")), builder.json()).unwrap();
    }
    let parser_config: ParserConfig = args.parse().unwrap();
    let options = LoadOptions { parser_config: Some(parser_config), ..LoadOptions::default() };
    let traces = TraceSet::load_with(folder.path(), &options, &mut |_| ControlFlow::Continue(())).unwrap();
    TraceAnalysis::new(&traces).unwrap().ask(&Collectives::default()).unwrap()
}

fn ask(builders: &[TraceBuilder]) -> Answer {
    ask_with(builders, "default")
}

fn numbers(df: &DataFrame, name: &str) -> Vec<f64> {
    let column = df.column(name).unwrap().cast(&DataType::Float64).unwrap();
    column.f64().unwrap().iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}

fn texts(df: &DataFrame, name: &str) -> Vec<String> {
    df.column(name).unwrap().str().unwrap().iter().map(|text| text.unwrap_or("-").to_owned()).collect()
}

fn has_note(answer: &Answer, start: &str) -> bool {
    answer.notes.iter().any(|note| note.starts_with(start))
}

#[test]
fn bandwidth_is_that_of_the_last_rank_to_arrive() {
    let answer = ask(&two_ranks([30_000; 2]));
    let df = &answer.tables[0].frame;
    assert_eq!(texts(df, "process_group"), ["default_pg (0)"]);
    assert_eq!(texts(df, "group_ranks"), ["[0, 1]"], "read from the file, since a load leaves it out");
    assert_eq!((texts(df, "collective"), texts(df, "dtype")), (vec!["all_reduce".into()], vec!["BFloat16".into()]));
    // Durations of 100 and 60, 100 and 100 µs.
    assert_eq!([numbers(df, "size"), numbers(df, "count"), numbers(df, "time (us)")], [[60_000.0], [4.0], [360.0]]);
    assert_eq!([numbers(df, "waiting (us)"), numbers(df, "transfer (us)")], [[40.0], [2.0 * 60.0 + 2.0 * 100.0]]);
    // Of rank 0, 50 of 200 µs are hidden by gemm.
    assert_eq!(numbers(df, "exposed_share"), [100.0 * 310.0 / 360.0]);
    // Two transfers of 60,000 B in 60 and 100 µs: 0.75 GB/s; of two ranks 2 (n - 1) / n is 1.
    assert_eq!([numbers(df, "algbw"), numbers(df, "busbw")], [[0.75], [0.75]]);
    assert_eq!(texts(df, "bandwidth_by"), ["shortest of ranks"]);
    let ranks = &answer.tables[1].frame;
    assert_eq!([numbers(ranks, "waited (us)"), numbers(ranks, "waited_for (us)")], [[40.0, 0.0], [0.0, 40.0]]);
    assert_eq!([numbers(ranks, "last_in"), numbers(ranks, "skew (us)")], [[0.0, 1.0], [0.0, 20.0]]);
    assert!(!answer.tables[2].shown && answer.tables[2].frame.height() == 0);
    let figure = &answer.figures[0];
    assert_eq!((figure.series[0].name.as_str(), figure.series[0].y.as_slice()), ("all_reduce, 2 ranks", &[0.75][..]));
    assert!(figure.x.log);
}

#[test]
fn different_sizes_of_one_number_are_named() {
    let answer = ask(&two_ranks([30_000, 15_000]));
    let sentence = "Ranks recorded different sizes of all_reduce number 8 of process group default_pg (0): rank 1 29.3 KiB; rank 0 58.6 KiB.";
    assert!(has_note(&answer, sentence), "{:?}", answer.notes);
    assert_eq!(numbers(&answer.tables[0].frame, "size"), [60_000.0, 30_000.0]);
    assert!(!has_note(&ask(&two_ranks([30_000; 2])), "Ranks recorded different"));
}

#[test]
fn one_rank_has_a_lower_bound_of_the_bandwidth() {
    let answer = ask(&two_ranks([30_000; 2])[..1]);
    let df = &answer.tables[0].frame;
    // 2 * 60,000 B in 200 µs.
    assert_eq!((numbers(df, "busbw"), texts(df, "bandwidth_by")), (vec![0.6], vec!["own duration".into()]));
    assert!(numbers(df, "waiting (us)")[0].is_nan());
    assert!(has_note(&answer, "Only rank 0 was analysed: durations include waiting"), "{:?}", answer.notes);
}

#[test]
fn clocks_apart_leave_bandwidth_but_no_waiting() {
    let rank = |rank: i64, at: i64, dur: i64| {
        let builder = TraceBuilder::new().rank(rank).operator("aten::mm", 0..5);
        collective(builder, (ALL_REDUCE, "allreduce"), at..at + dur, 7, [30_000, 30_000])
    };
    let answer = ask(&[rank(0, 100, 60), rank(1, 10_000, 100)]);
    let df = &answer.tables[0].frame;
    assert_eq!(numbers(df, "busbw"), [1.0]);
    assert!(numbers(df, "waiting (us)")[0].is_nan() && answer.tables[1].frame.height() == 0);
    assert!(has_note(&answer, "The clocks of the ranks are not synchronised"), "{:?}", answer.notes);
}

#[test]
fn shares_of_uneven_all_to_alls_are_bytes_by_peer() {
    let rank = |rank: i64, sent: &str, received: &str, elements: [i64; 2]| {
        let builder = TraceBuilder::new().rank(rank).operator("aten::mm", 0..5);
        let builder = collective(builder, (SEND_RECV, "all_to_allv"), 100..200, 9, elements);
        builder.arg("In split size", &format!("\"{sent}\"")).arg("Out split size", &format!("\"{received}\""))
    };
    // Rows of 10 elements of 2 bytes.
    let answer = ask(&[rank(0, "[1, 3]", "[1, 5]", [40, 60]), rank(1, "[5, 1]", "[3, 1]", [60, 40])]);
    let peers = &answer.tables[2].frame;
    assert_eq!([numbers(peers, "rank"), numbers(peers, "peer")], [[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]]);
    assert_eq!(numbers(peers, "sent"), [20.0, 60.0, 100.0, 20.0]);
    assert_eq!(numbers(peers, "received"), [20.0, 100.0, 60.0, 20.0]);
    assert_eq!(numbers(peers, "imbalance")[..2], [0.5, 1.5]);
    assert!(answer.tables[2].shown && !has_note(&answer, "Ranks recorded different"));
    let uneven = "Shares of all-to-alls are uneven: rank 1 sends 100 B to rank 0, 1.67 times the mean over its peers.";
    assert!(has_note(&answer, uneven), "{:?}", answer.notes);
    // Both ranks: the larger of input and result, 120 B, in 100 µs; half of it stays on the rank.
    assert_eq!(numbers(&answer.tables[0].frame, "busbw"), [120.0 / 100_000.0 / 2.0]);
}

#[test]
fn custom_kernels_have_time_without_bandwidth() {
    let builder = TraceBuilder::new()
        .operator("aten::mm", 0..5)
        .complete("user_annotation", "gloo:all_reduce", 100, 1, 10..20)
        .kernel("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", Stream(7), 10..30)
        .kernel("ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)", Stream(20), 50..60);
    let answer = ask(&[builder]);
    let df = &answer.tables[0].frame;
    assert_eq!(
        (texts(df, "collective"), numbers(df, "time (us)")),
        (vec!["-".into(), "broadcast".into()], vec![20.0, 10.0])
    );
    assert!(numbers(df, "size").iter().chain(&numbers(df, "busbw")).all(|value| value.is_nan()));
    assert!(has_note(&answer, "No size is recorded for 1 of 2 kernels"), "{:?}", answer.notes);
    assert!(has_note(&answer, "No kind and size is known of 1 kernel"), "{:?}", answer.notes);
    assert!(has_note(&answer, "1 collective on the CPU"), "{:?}", answer.notes);
    assert!(answer.figures.is_empty());
    let without = ask(&[TraceBuilder::new().operator("aten::mm", 0..5)]);
    assert_eq!(without.notes, ["No collective runs on the GPU on rank 0."]);
}

#[test]
fn arguments_left_out_by_a_load_are_read_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("0.json"), two_ranks([30_000; 2])[0].json()).unwrap();
    let parser_config: ParserConfig = "minimum".parse().unwrap();
    let options = LoadOptions { parser_config: Some(parser_config), ..LoadOptions::default() };
    let traces = TraceSet::load_with(folder.path(), &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let ask = || TraceAnalysis::new(&traces).unwrap().collectives(&Collectives::default()).unwrap();
    assert_eq!(numbers(&ask(), "busbw"), [0.6]);
    // Read once.
    std::fs::remove_file(folder.path().join("0.json")).unwrap();
    assert_eq!(numbers(&ask(), "busbw"), [0.6]);
}

#[test]
fn answer_does_not_depend_on_the_order_of_merging() {
    let folder = tempfile::tempdir().unwrap();
    for (number, builder) in two_ranks([30_000, 15_000]).iter().enumerate() {
        std::fs::write(folder.path().join(format!("{number}.json")), builder.json()).unwrap();
    }
    let traces = TraceSet::load(folder.path()).unwrap();
    let analysis = TraceAnalysis::new(&traces).unwrap();
    let query = Collectives::default();
    let answer = |backwards: bool| {
        let states = analysis.views().map(|view| query.map(&view.unwrap()).unwrap());
        let mut states: Vec<_> =
            states.map(|state| serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap()).collect();
        if backwards {
            states.reverse();
        }
        let mut merged = super::State::default();
        states.into_iter().for_each(|state| merged.merge(state));
        let answer = query.finish(merged).unwrap();
        format!(
            "{:?} {:?}",
            answer.tables.iter().map(|table| table.frame.to_string()).collect::<Vec<_>>(),
            answer.notes
        )
    };
    assert_eq!(answer(false), answer(true));
}

/// Recorded traces are not part of the project.
fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("TRACEBOOK_SHARED").map(|shared| Path::new(&shared).join("traces").join(name));
    let found = folder.filter(|folder| folder.is_dir());
    if found.is_none() {
        println!("skipped: TRACEBOOK_SHARED names no folder with traces/{name}");
    }
    found
}

/// Shows an answer to people who run a test with `--nocapture`.
fn print(answer: &Answer) {
    answer.notes.iter().for_each(|note| println!("{note}"));
    for table in answer.tables.iter().filter(|table| table.shown) {
        println!("{}", table.table(&table.frame, table.name, 50).text_within(260));
    }
}

#[test]
fn eight_recorded_ranks_without_sizes_have_waiting() {
    let Some(folder) = shared("dlrm_nccl") else { return };
    let traces = TraceSet::load(folder).unwrap();
    let answer = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap().ask(&Collectives::default()).unwrap();
    print(&answer);
    let df = &answer.tables[0].frame;
    assert_eq!(texts(df, "collective"), ["all_to_all", "all_reduce"]);
    assert_eq!(numbers(df, "count"), [40.0, 24.0]);
    assert_eq!(answer.tables[1].frame.height(), 8);
    assert!(has_note(&answer, "No size is recorded for 64 of 64 kernels"), "{:?}", answer.notes);
}

#[test]
fn recorded_sizes_of_one_rank_give_bandwidth() {
    let Some(folder) = shared("nccl_parser_config") else { return };
    let traces = TraceSet::load(folder).unwrap();
    let answer = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap().ask(&Collectives::default()).unwrap();
    print(&answer);
    let df = &answer.tables[0].frame;
    assert_eq!(numbers(df, "count").iter().sum::<f64>(), 21.0);
    // 6,637,568 elements of 4 bytes; of two ranks bus and algorithm bandwidth of all-reduces are equal.
    let row = numbers(df, "size").iter().position(|&size| size == 26_550_272.0).unwrap();
    let (mean, bus) = (numbers(df, "mean (us)")[row], numbers(df, "busbw")[row]);
    assert!((bus - 26_550_272.0 / (1e3 * mean)).abs() < 1e-9, "{bus} {mean}");
}
