//! Queues of streams, and how long they were full.

use super::{column, loaded, main_table, ranks};
use crate::Questions;
use crate::analysis::{QueueLengthSummary, QueueLengthTimeSeries, TimeBlockedOnFullQueue};
use crate::{Compat, TraceAnalysis};
use polars::prelude::DataFrame;
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// launches      a 1      b 3   c 5       d 5 (another stream)
/// stream 7         |a 2..10|        |b 10..20||c 20..30|
/// length        1  0     1     2     1         0
/// stream 9                              d 5 launched, |d 8..9|
/// length                                1              0
/// ```
fn timeline() -> TraceBuilder {
    TraceBuilder::new()
        .operator("aten::mm", 0..40)
        .runtime("cudaLaunchKernel", 1, 1..2)
        .runtime("cuLaunchKernelEx", 2, 3..4)
        .runtime("cudaMemcpyAsync", 3, 5..6)
        .runtime("cudaMemsetAsync", 4, 5..6)
        .runtime("cudaStreamSynchronize", 6, 5..6)
        .kernel("a", Stream(7), 2..10)
        .correlation(1)
        .kernel("b", Stream(7), 10..20)
        .correlation(2)
        .memcpy("Memcpy DtoH", Stream(7), 8, 20..30)
        .correlation(3)
        .memcpy("Memset (Device)", Stream(9), 8, 8..9)
        .correlation(4)
        .kernel("of nothing", Stream(7), 31..32)
        .kernel("of a synchronisation", Stream(7), 33..34)
        .correlation(6)
        .operator("aten::add", 50..60)
}

#[test]
fn queue_grows_at_launch_and_shrinks_at_start() {
    let analysis = TraceAnalysis::new(&ranks(&[timeline()])).unwrap();
    let by_rank = analysis.get_queue_length_time_series(&QueueLengthTimeSeries::default()).unwrap();
    let df = &by_rank[&0];
    assert_eq!(column(df, "stream"), [7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 9.0, 9.0]);
    assert_eq!(column(df, "ts"), [1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 5.0, 8.0]);
    assert_eq!(column(df, "queue_length"), [1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(column(df, "index"), [1.0, 6.0, 2.0, 3.0, 7.0, 8.0, 4.0, 9.0]);
    assert_eq!(column(df, "tid"), column(df, "stream"), "the thread of a launch is that of its kernel");
    let summary = analysis.get_queue_length_summary(&QueueLengthSummary::default()).unwrap();
    assert_eq!(column(&summary, "stream"), [7.0, 9.0]);
    assert_eq!(column(&summary, "queue_length.count"), [6.0, 2.0]);
    // 1, 0, 1, 2, 1, 0
    assert_eq!(column(&summary, "queue_length.mean")[0], 5.0 / 6.0);
    assert_eq!((column(&summary, "queue_length.75%")[0], column(&summary, "queue_length.max")[0]), (1.0, 2.0));
}

#[test]
fn launches_come_first_and_skewed_clocks_make_negative_lengths() {
    let trace = TraceBuilder::new()
        .kernel("late launch", Stream(7), 1..2)
        .correlation(2)
        .kernel("at once", Stream(7), 5..6)
        .correlation(1)
        .runtime("cudaLaunchKernel", 1, 5..6)
        .runtime("cudaLaunchKernel", 2, 3..4);
    let answer = ranks(&[trace]).ask(&QueueLengthTimeSeries::default()).unwrap();
    assert_eq!(column(main_table(&answer), "queue_length"), [-1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn launch_of_a_graph_enqueues_all_its_kernels() {
    let graph = TraceBuilder::new()
        .runtime("cudaLaunchKernel", 5, 0..1)
        .kernel("first", Stream(7), 2..3)
        .correlation(5)
        .kernel("second", Stream(7), 4..5)
        .correlation(5);
    let answer = ranks(&[graph]).ask(&QueueLengthTimeSeries::default()).unwrap();
    assert_eq!(column(main_table(&answer), "queue_length"), [1.0, 2.0, 1.0, 0.0]);
    assert!(answer.notes.is_empty());
}

#[test]
fn launches_of_one_id_are_paired_with_kernels_in_order() {
    let twice = TraceBuilder::new()
        .runtime("cudaLaunchKernel", 5, 0..1)
        .runtime("cudaLaunchKernel", 5, 1..2)
        .runtime("cudaLaunchKernel", 5, 2..3)
        .kernel("first", Stream(7), 2..3)
        .correlation(5)
        .kernel("second", Stream(7), 4..5)
        .correlation(5);
    let answer = ranks(&[twice]).ask(&QueueLengthTimeSeries::default()).unwrap();
    assert_eq!(column(main_table(&answer), "queue_length"), [1.0, 2.0, 1.0, 0.0]);
    assert!(answer.notes[0].starts_with("1 launches or kernels of rank 0"), "{:?}", answer.notes);
}

/// The time for which queues held at least one launch.
fn blocked(compat: Compat) -> DataFrame {
    let full_at_one = TimeBlockedOnFullQueue { ranks: None, max_queue_length: 1 };
    let analysis = TraceAnalysis::new(&loaded(&[timeline()], compat)).unwrap();
    analysis.get_time_spent_blocked_on_full_queue(&full_at_one).unwrap()
}

#[test]
fn every_stream_whose_queue_was_full_has_a_row() {
    let df = blocked(Compat::Exact);
    assert_eq!(column(&df, "stream"), [7.0, 9.0]);
    // From 1 to 2 and from 3 to 20; from 5 to 8. Events start from 0 to 50.
    assert_eq!(column(&df, "duration_at_max_queue_length"), [18.0, 3.0]);
    assert_eq!(column(&df, "relative_duration_at_max_queue_length"), [18.0 / 50.0, 3.0 / 50.0]);
}

#[test]
fn hta_keeps_the_last_stream_whose_queue_was_full() {
    assert_eq!(column(&blocked(Compat::Hta), "stream"), [9.0]);
}

#[test]
fn queue_that_was_never_full_has_a_note() {
    let answer = ranks(&[timeline()]).ask(&TimeBlockedOnFullQueue::default()).unwrap();
    assert_eq!(answer.tables[0].frame.height(), 0);
    assert_eq!(answer.notes, ["No queue ever held 1,024 launches on rank 0."]);
}

#[test]
fn tables_of_ranks_are_stacked_with_their_rank() {
    let empty = TraceBuilder::new().rank(1).operator("aten::mm", 0..5);
    let three_ranks = QueueLengthTimeSeries { ranks: Some(vec![0, 1, 2]) };
    let analysis = TraceAnalysis::new(&ranks(&[timeline(), empty, timeline().rank(2)])).unwrap();
    let answer = analysis.ask(&three_ranks).unwrap();
    let parts: Vec<String> = answer.tables.iter().map(|table| table.part()).collect();
    assert_eq!(parts, ["rank0", "rank1", "rank2"]);
    assert_eq!(answer.tables.iter().map(|table| table.frame.height()).collect::<Vec<_>>(), [8, 0, 8]);
    let [whole] = &answer.whole_tables()[..] else { panic!("one table") };
    assert_eq!(whole.frame.get_column_names()[0], "rank");
    assert_eq!(column(&whole.frame, "rank")[6..10], [0.0, 0.0, 2.0, 2.0]);
    assert!(answer.notes[0].contains("on rank 1."), "{:?}", answer.notes);
    assert_eq!(answer.figures[0].series.len(), 4);
}

/// Rows of the queue lengths if the kernel is the first event of the file.
fn rows_with_kernel_first(compat: Compat) -> usize {
    let trace =
        TraceBuilder::new().kernel("first", Stream(7), 5..6).correlation(1).runtime("cudaLaunchKernel", 1, 1..2);
    loaded(&[trace], compat).ask(&QueueLengthTimeSeries::default()).unwrap().tables[0].frame.height()
}

#[test]
fn kernel_at_position_0_is_paired() {
    assert_eq!(rows_with_kernel_first(Compat::Exact), 2);
}

#[test]
fn hta_ignores_a_kernel_at_position_0() {
    assert_eq!(rows_with_kernel_first(Compat::Hta), 0);
}
