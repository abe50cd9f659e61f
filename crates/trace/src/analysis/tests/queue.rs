//! Queues of streams, and how long they were full.

use super::{column, loaded, main_table, ranks};
use crate::analysis::{QueueLengthSummary, QueueLengthTimeSeries, TimeBlockedOnFullQueue};
use crate::{Compat, TraceAnalysis};
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
fn a_queue_grows_with_a_launch_and_shrinks_when_what_was_launched_begins() {
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
fn at_one_moment_launches_come_first_and_clocks_may_disagree() {
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
fn one_launch_may_start_several_kernels_but_several_launches_of_one_id_are_paired_in_order() {
    let graph = TraceBuilder::new()
        .runtime("cudaLaunchKernel", 5, 0..1)
        .kernel("first", Stream(7), 2..3)
        .correlation(5)
        .kernel("second", Stream(7), 4..5)
        .correlation(5);
    let answer = ranks(&[graph]).ask(&QueueLengthTimeSeries::default()).unwrap();
    assert_eq!(column(main_table(&answer), "queue_length"), [1.0, 2.0, 1.0, 0.0]);
    assert!(answer.notes.is_empty());
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

#[test]
fn a_full_queue_is_told_of_every_stream_but_hta_keeps_the_last() {
    let question = TimeBlockedOnFullQueue { ranks: None, max_queue_length: 1 };
    let blocked = |compat| {
        let analysis = TraceAnalysis::new(&loaded(&[timeline()], compat)).unwrap();
        analysis.get_time_spent_blocked_on_full_queue(&question).unwrap()
    };
    let df = blocked(Compat::Exact);
    assert_eq!(column(&df, "stream"), [7.0, 9.0]);
    // From 1 to 2 and from 3 to 20; from 5 to 8. Events start from 0 to 50.
    assert_eq!(column(&df, "duration_at_max_queue_length"), [18.0, 3.0]);
    assert_eq!(column(&df, "relative_duration_at_max_queue_length"), [18.0 / 50.0, 3.0 / 50.0]);
    assert_eq!(column(&blocked(Compat::Hta), "stream"), [9.0]);
    let answer = ranks(&[timeline()]).ask(&TimeBlockedOnFullQueue::default()).unwrap();
    assert_eq!(answer.tables[0].frame.height(), 0);
    assert_eq!(answer.notes, ["No queue ever held 1,024 launches on rank 0."]);
}

#[test]
fn tables_of_the_ranks_stand_below_each_other_with_their_rank() {
    let empty = TraceBuilder::new().rank(1).operator("aten::mm", 0..5);
    let question = QueueLengthTimeSeries { ranks: Some(vec![0, 1, 2]) };
    let analysis = TraceAnalysis::new(&ranks(&[timeline(), empty, timeline().rank(2)])).unwrap();
    let answer = analysis.ask(&question).unwrap();
    let parts: Vec<String> = answer.tables.iter().map(|table| table.part()).collect();
    assert_eq!(parts, ["rank0", "rank1", "rank2"]);
    assert_eq!(answer.tables.iter().map(|table| table.frame.height()).collect::<Vec<_>>(), [8, 0, 8]);
    let [whole] = &answer.whole_tables()[..] else { panic!("one table") };
    assert_eq!(whole.frame.get_column_names()[0], "rank");
    assert_eq!(column(&whole.frame, "rank")[6..10], [0.0, 0.0, 2.0, 2.0]);
    assert!(answer.notes[0].contains("on rank 1."), "{:?}", answer.notes);
    assert_eq!(answer.figures[0].series.len(), 4);
}

#[test]
fn the_first_event_of_a_file_may_be_what_was_launched_but_not_for_hta() {
    let trace =
        TraceBuilder::new().kernel("first", Stream(7), 5..6).correlation(1).runtime("cudaLaunchKernel", 1, 1..2);
    let seen = |compat| {
        let answer = loaded(std::slice::from_ref(&trace), compat).ask(&QueueLengthTimeSeries::default()).unwrap();
        answer.tables[0].frame.height()
    };
    assert_eq!((seen(Compat::Exact), seen(Compat::Hta)), (2, 0));
}
