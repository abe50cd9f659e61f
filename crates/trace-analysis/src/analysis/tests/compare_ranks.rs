//! Ranks compared with each other, on timelines written by hand.

use super::{column, main_table, ranks, texts};
use crate::Questions;
use crate::analysis::{Answer, CompareRanks, TraceAnalysis};
use crate::{Compat, LoadOptions, ParserConfig, TraceSet};
use polars::prelude::DataFrame;
use trace_testkit::{ALL_REDUCE as NCCL, Stream, TraceBuilder, rank_with_collective};

/// A step of 10,000 µs: a kernel of `gemm` µs from 100 on, then an all-reduce from `arrival` to 9,000.
fn rank(number: i64, gemm: i64, arrival: i64) -> TraceBuilder {
    rank_with_collective(number, gemm, arrival..9_000).step(2, 10_000..10_001)
}

fn asked(builders: &[TraceBuilder]) -> Answer {
    TraceAnalysis::new(&ranks(builders)).unwrap().ask(&CompareRanks::default()).unwrap()
}

/// Rank, class, name, and difference in µs.
fn rows(df: &DataFrame) -> Vec<(i64, String, String, f64)> {
    let names = df.column("name").unwrap().str().unwrap().clone();
    let ranks = column(df, "rank").into_iter().zip(texts(df, "class"));
    let rows = ranks.zip(names.iter()).zip(column(df, "difference (us)"));
    rows.map(|(((rank, class), name), by)| (rank as i64, class, name.unwrap_or_default().to_owned(), by)).collect()
}

fn row(rank: i64, class: &str, name: &str, by: f64) -> (i64, String, String, f64) {
    (rank, class.to_owned(), name.to_owned(), by)
}

#[test]
fn rank_with_a_slower_kernel_is_named() {
    // Kernels of 2,000 µs; that of rank 5 takes 2,900 µs. All arrive at 4,000.
    let eight: Vec<TraceBuilder> = (0..8).map(|n| rank(n, if n == 5 { 2_900 } else { 2_000 }, 4_000)).collect();
    let answer = asked(&eight);
    let expected = [row(5, "compute", "", 900.0), row(5, "compute", "gemm", 900.0), row(5, "idle", "", -900.0)];
    assert_eq!(rows(main_table(&answer)), expected);
    assert_eq!(column(main_table(&answer), "time (us)"), [2_900.0, 2_900.0, 1_100.0 + 1_000.0]);
    assert_eq!(column(main_table(&answer), "median (us)"), [2_000.0, 2_000.0, 3_000.0]);
    assert_eq!(column(main_table(&answer), "share_of_step"), [9.0, 9.0, -9.0]);
    assert_eq!(column(main_table(&answer), "robust_z"), [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY]);
    assert_eq!(
        answer.notes[0],
        "Rank 5 is slower: gemm 900 µs longer (2.90 ms, median 2.00 ms); idle 900 µs shorter (2.10 ms, median 3.00 ms)."
    );
}

#[test]
fn rank_that_arrives_late_is_named_and_waiting_is_not_transfer() {
    // All arrive at 4,000, rank 2 at 7,000: the rest waits 3,000 and all transfer 2,000.
    let eight: Vec<TraceBuilder> = (0..8).map(|n| rank(n, 2_000, if n == 2 { 7_000 } else { 4_000 })).collect();
    let answer = asked(&eight);
    let of_rank = rows(main_table(&answer));
    for row in [row(2, "late", NCCL, 3_000.0), row(2, "waiting", NCCL, -3_000.0), row(2, "waiting", "", -3_000.0)] {
        assert!(of_rank.contains(&row), "{row:?} {of_rank:?}");
    }
    assert!(of_rank.iter().all(|row| row.0 == 2 && row.1 != "transfer" && row.1 != "communication"), "{of_rank:?}");
    let charged =
        "Ranks wait 21.0 ms for each other in 1 collective: 21.0 ms (100 %) for rank 2, which arrives last at 1.";
    assert_eq!(answer.notes[0], charged);
    assert!(answer.notes[1].starts_with("Rank 2 is slower: arrives 3.00 ms late at ncclDev"), "{:?}", answer.notes);
    assert!(answer.notes[1].contains("waits 3.00 ms less in ncclDev"), "{:?}", answer.notes);
    assert!(answer.notes[2].starts_with("1 collective matched across ranks by order per name"), "{:?}", answer.notes);
    let collectives = &answer.tables[2].frame;
    assert_eq!(column(collectives, "rank"), [2.0, 0.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(column(collectives, "waiting (us)")[..2], [0.0, 3_000.0]);
    assert_eq!(column(collectives, "transfer (us)"), [2_000.0; 8]);
    assert_eq!(column(collectives, "late (us)")[..2], [3_000.0, 0.0]);
    let of_ranks = &answer.tables[1].frame;
    assert_eq!(column(of_ranks, "step (us)"), [10_000.0; 8]);
    assert_eq!(column(of_ranks, "exposed communication (us)")[1..3], [5_000.0, 2_000.0]);
    assert_eq!(column(of_ranks, "idle (us)")[1..3], [3_000.0, 6_000.0]);
    // 10..50 and 60..70: the launch inside of aten::mm counts once.
    assert_eq!(column(of_ranks, "host (us)"), [50.0; 8]);
}

#[test]
fn clocks_that_do_not_agree_are_told_and_nothing_is_divided() {
    // The all-reduce of rank 3 ends before that of the others begins.
    let shifted = |n: i64| {
        TraceBuilder::new().rank(n).kernel("gemm", Stream(7), 0..10).kernel(
            NCCL,
            Stream(20),
            if n == 3 { 100..200 } else { 500..600 },
        )
    };
    let answer = asked(&(0..5).map(shifted).collect::<Vec<_>>());
    assert!(
        answer
            .notes
            .iter()
            .any(|note| note.starts_with("The clocks of the ranks are not synchronised: 1 of 1 collective")),
        "{:?}",
        answer.notes
    );
    assert_eq!(answer.tables[2].frame.height(), 0);
    assert!(column(&answer.tables[1].frame, "waiting (us)").iter().all(|time| *time == 0.0));
}

#[test]
fn number_and_process_group_match_collectives_before_order() {
    // Ranks 0, 1 and ranks 2, 3 are groups; rank 1 recorded an earlier collective that rank 0 did not.
    let of = |n: i64| {
        let group = if n < 2 { "\"[0, 1]\"" } else { "\"[2, 3]\"" };
        let kernel = |builder: TraceBuilder, seq: &str, span| {
            let builder = builder.kernel(NCCL, Stream(20), span).arg("Seq", seq).arg("Group size", "2");
            builder.arg("Process Group Ranks", group)
        };
        let builder = TraceBuilder::new().rank(n).operator("aten::mm", 0..1_000);
        let builder = if n == 1 { kernel(builder, "6", 10..20) } else { builder };
        kernel(builder, "7", 100 + 10 * n..200)
    };
    let folder = tempfile::tempdir().unwrap();
    for n in 0..4 {
        std::fs::write(folder.path().join(format!("{n}.json")), of(n).json()).unwrap();
    }
    let load = |args: &str| {
        let parser_config: ParserConfig = args.parse().unwrap();
        let options =
            LoadOptions { compat: Compat::Exact, parser_config: Some(parser_config), ..LoadOptions::default() };
        let progress = &mut |_: &_| std::ops::ControlFlow::Continue(());
        TraceSet::load_with(folder.path(), &options, progress).unwrap().ask(&CompareRanks::default()).unwrap()
    };
    let answer = load("default,nccl::process_group_ranks,nccl::seq");
    assert!(
        answer
            .notes
            .iter()
            .any(|note| note.starts_with("2 collectives matched across ranks by process group and seq_num")),
        "{:?}",
        answer.notes
    );
    let of_ranks = &answer.tables[1].frame;
    // 100 and 110 in one group, 120 and 130 in the other: the first of each waits 10 µs.
    assert_eq!(column(of_ranks, "waiting (us)"), [10.0, 0.0, 10.0, 0.0]);
    assert_eq!(column(of_ranks, "transfer (us)"), [90.0, 90.0, 70.0, 70.0]);
    let without = load("default");
    assert!(
        without.notes.iter().any(|note| note.contains("process groups are smaller than the job")),
        "{:?}",
        without.notes
    );
}

#[test]
fn few_ranks_have_differences_but_no_outliers() {
    let answer = asked(&[rank(0, 2_000, 4_000), rank(1, 2_000, 4_000), rank(2, 2_600, 4_000)]);
    assert!(answer.notes[0].starts_with("3 ranks are too few to tell an outlier: it takes 4."), "{:?}", answer.notes);
    assert_eq!(rows(main_table(&answer))[0], row(2, "compute", "", 600.0));
    assert!(column(main_table(&answer), "robust_z").iter().all(|z| z.is_nan()));
    let alone = asked(&[rank(3, 2_000, 4_000)]);
    assert_eq!(
        (alone.notes[0].as_str(), main_table(&alone).height()),
        ("Only rank 3 was analysed: nothing to compare.", 0)
    );
    let same: Vec<TraceBuilder> = (0..4).map(|n| rank(n, 2_000, 4_000)).collect();
    assert!(asked(&same).notes[0].starts_with("No rank differs from the others"));
}

#[test]
fn parameters_bound_outliers_and_are_checked() {
    // Deviations of 0, 10, 20, 30 µs around 2,015 and one of 985: median 2,020, their median 10.
    let five: Vec<TraceBuilder> =
        [2_000, 2_010, 2_020, 2_030, 3_000].iter().enumerate().map(|(n, &gemm)| rank(n as i64, gemm, 4_000)).collect();
    let analysis = TraceAnalysis::new(&ranks(&five)).unwrap();
    let ask = |threshold, min_share| analysis.ask(&CompareRanks { threshold, min_share });
    let z = 980.0 / (1.4826 * 10.0);
    let found = ask(z - 0.1, 1.0).unwrap();
    assert_eq!(rows(main_table(&found))[0], row(4, "compute", "", 980.0));
    assert_eq!(column(main_table(&found), "robust_z")[0], 980_000.0 / (1.4826 * 10_000.0));
    assert_eq!(main_table(&ask(z + 0.1, 1.0).unwrap()).height(), 0);
    // 980 µs are 9.8 % of the step.
    assert_eq!(main_table(&ask(3.5, 9.9).unwrap()).height(), 0);
    for (threshold, min_share) in [(-1.0, 0.1), (3.5, f64::NAN)] {
        assert!(ask(threshold, min_share).unwrap_err().to_string().contains("expected 0 or more"));
    }
}
