//! Idle time of streams by cause.

use super::{column, loaded, main_table, ranks, texts};
use crate::Questions;
use crate::analysis::IdleTimeBreakdown;
use crate::{Compat, TraceAnalysis};
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// launches        b at 12                                     (after a ended)
/// stream 7    |a 0..10|   |b 20..30| |c 35..40|   |d 100..110|   e 105..120 begins in d
/// gaps                 10           5            60              none; HTA: -5
/// ```
fn timeline() -> TraceBuilder {
    TraceBuilder::new()
        .runtime("cudaLaunchKernel", 2, 12..13)
        .runtime("cudaLaunchKernel", 3, 14..15)
        .kernel("a", Stream(7), 0..10)
        .kernel("b", Stream(7), 20..30)
        .correlation(2)
        .kernel("c", Stream(7), 35..40)
        .correlation(3)
        .kernel("d", Stream(7), 100..110)
        .kernel("e", Stream(7), 105..120)
        .kernel("alone", Stream(9), 0..1)
        .complete("cuda_sync", "Stream Synchronize", 0, 7, 10..20)
        .arg("stream", "7")
}

#[test]
fn gaps_are_caused_by_host_kernels_or_other() {
    let answer = ranks(&[timeline()]).ask(&IdleTimeBreakdown::default()).unwrap();
    let df = main_table(&answer);
    assert_eq!(texts(df, "idle_category"), ["host_wait", "kernel_wait", "other", "other"]);
    assert_eq!(column(df, "stream"), [7.0, 7.0, 7.0, 9.0]);
    assert_eq!(column(df, "idle_time"), [10.0, 5.0, 60.0, 0.0]);
    assert_eq!(column(df, "idle_time_ratio")[..3], [0.13, 0.07, 0.8]);
    assert!(column(df, "idle_time_ratio")[3].is_nan());
    let gaps = &answer.tables[1].frame;
    assert!(!answer.tables[1].shown);
    assert_eq!(column(gaps, "count"), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!((column(gaps, "min")[1], column(gaps, "max")[1]), (5.0, 5.0));
    assert!(column(gaps, "mean")[3].is_nan());
}

#[test]
fn hta_overlapping_kernels_make_negative_gaps() {
    let answer = loaded(&[timeline()], Compat::Hta).ask(&IdleTimeBreakdown::default()).unwrap();
    assert_eq!(column(main_table(&answer), "idle_time"), [10.0, 0.0, 60.0, 0.0]);
    assert_eq!(column(main_table(&answer), "idle_time_ratio")[..3], [0.14, 0.0, 0.86]);
    let gaps = &answer.tables[1].frame;
    assert_eq!(column(gaps, "count"), [1.0, 2.0, 1.0, 0.0]);
    assert_eq!((column(gaps, "min")[1], column(gaps, "max")[1], column(gaps, "std")[1]), (-5.0, 5.0, 7.07));
}

/// ```text
/// stream 7    |------- a 20..120 -------|    |- c 130..140 -|
///               |- b 30..40 -|          <10 >
/// ```
fn inside() -> TraceBuilder {
    TraceBuilder::new().kernel("a", Stream(7), 20..120).kernel("b", Stream(7), 30..40).kernel("c", Stream(7), 130..140)
}

/// Idle time and number of gaps of `kernel_wait` and `other`, with a kernel inside another.
fn gaps_with_kernel_inside(compat: Compat) -> (Vec<f64>, Vec<f64>) {
    let answer = loaded(&[inside()], compat).ask(&IdleTimeBreakdown::default()).unwrap();
    assert_eq!(texts(main_table(&answer), "idle_category"), ["kernel_wait", "other"]);
    (column(main_table(&answer), "idle_time"), column(&answer.tables[1].frame, "count"))
}

#[test]
fn gap_starts_at_the_latest_end_so_far() {
    assert_eq!(gaps_with_kernel_inside(Compat::Exact), (vec![10.0, 0.0], vec![1.0, 0.0]));
}

#[test]
fn hta_gap_starts_at_the_end_of_the_previous_kernel() {
    assert_eq!(gaps_with_kernel_inside(Compat::Hta), (vec![-90.0, 90.0], vec![1.0, 1.0]));
}

#[test]
fn host_wait_is_judged_by_the_latest_end_so_far() {
    // c was launched at 50, behind the end of b but while a ran.
    let builder = inside().correlation(3).runtime("cudaLaunchKernel", 3, 50..51);
    let answer = ranks(&[builder]).ask(&IdleTimeBreakdown::default()).unwrap();
    assert_eq!(texts(main_table(&answer), "idle_category"), ["kernel_wait", "other"]);
}

#[test]
fn touching_kernels_have_a_gap_of_0() {
    let builder = TraceBuilder::new().kernel("a", Stream(7), 0..10).kernel("b", Stream(7), 10..20);
    let answer = ranks(&[builder]).ask(&IdleTimeBreakdown::default()).unwrap();
    assert_eq!(column(&answer.tables[1].frame, "count"), [1.0, 0.0]);
}

#[test]
fn parameters_select_streams_delay_ranks_and_figure() {
    let analysis = TraceAnalysis::new(&ranks(&[timeline(), timeline().rank(5)])).unwrap();
    let breakdown = IdleTimeBreakdown {
        ranks: Some(vec![5]),
        streams: Some(vec![9, 7]),
        visualize_pctg: false,
        show_idle_interval_stats: true,
        consecutive_kernel_delay: 100.0,
    };
    let answer = analysis.ask(&breakdown).unwrap();
    let df = main_table(&answer);
    assert_eq!(column(df, "stream"), [9.0, 7.0, 7.0, 7.0]);
    assert_eq!(column(df, "rank"), [5.0; 4]);
    assert_eq!(column(df, "idle_time"), [0.0, 10.0, 65.0, 0.0]);
    assert!(answer.tables[1].shown);
    assert_eq!(answer.figures[0].series[1].y[1], 65.0);
    let unknown = IdleTimeBreakdown { streams: Some(vec![7, 1]), ..Default::default() };
    let error = analysis.ask(&unknown).unwrap_err().to_string();
    assert_eq!(error, "trace \"t\" has no stream 1 on rank 0 (has 7, 9)");
    // HTA analyses rank 0 by default, which is the first one here.
    let (df, _) = analysis.get_idle_time_breakdown(&IdleTimeBreakdown::default()).unwrap();
    assert_eq!(column(&df, "rank"), [0.0; 4]);
}
