//! Communication of several ranks in explanations: waiting, transfer, and the rank that was late.

use crate::{Explain, Explanation, SelectEvents, TraceSet};
use std::path::Path;
use trace_testkit::{Job, TraceBuilder, rank_with_collective};
use trace_view::{Part, Present};

/// A rank of one step: a product of `gemm` µs, then an all-reduce until `end`.
fn rank(number: i64, gemm: i64, end: i64) -> TraceBuilder {
    rank_with_collective(number, gemm, 100 + gemm..end)
}

/// Four ranks, of which rank 2 takes so many µs longer.
fn job(label: &str, longer: i64) -> TraceSet {
    let ranks = (0..4).map(|n| rank(n, if n == 2 { 1_000 + longer } else { 1_000 }, 2_000 + longer));
    merged(label, ranks.collect())
}

fn merged(label: &str, ranks: Vec<TraceBuilder>) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for (number, rank) in ranks.iter().enumerate() {
        std::fs::write(folder.path().join(format!("rank-{number}.json")), rank.json()).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label(label)
}

fn part(explained: &Explanation, part: &str) -> [f64; 2] {
    let found = explained.communication().into_iter().find(|found| found.part == part).unwrap();
    [found.control_us, found.test_us]
}

/// Parts add up to the class, and late ranks to waiting.
fn assert_closed(explained: &Explanation) {
    let class = explained.classes.iter().find(|class| class.class == "exposed_communication").unwrap();
    let sum: f64 = explained.communication().iter().map(|part| part.delta_us).sum();
    assert!((sum - class.delta_us).abs() < 1e-6, "{sum} {}", class.delta_us);
    let late: f64 = explained.waiting().iter().map(|row| row.test_us).sum();
    assert!((late - part(explained, "waiting")[1]).abs() < 1e-6);
}

#[test]
fn the_late_rank_is_named_with_its_operator() {
    let explained = Explain::new(job("a", 0), job("b", 600)).run().unwrap();
    assert_closed(&explained);
    // Three of four ranks wait 600 µs.
    assert_eq!(part(&explained, "waiting"), [0.0, 450.0]);
    assert_eq!(part(&explained, "transfer"), [900.0, 900.0]);
    let rows = explained.waiting();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((row.rank, row.doing.as_str(), row.name.as_str(), row.delta_us), (2, "compute", "aten::mm", 450.0));
    let text = explained.sentences();
    assert!(text.contains("rank 2") && text.contains("compute (aten::mm)"), "{text}");
    let tables = |part: &&Part| matches!(part, Part::Table(table) if table.caption.contains("late rank"));
    assert_eq!(explained.present().parts.iter().filter(tables).count(), 1);
    let json = explained.to_json();
    assert_eq!(
        (json["waiting"][0]["rank"].as_i64(), json["waiting"][0]["test_ns"].as_f64()),
        (Some(2), Some(450_000.0))
    );
    assert_eq!(json["communication"].as_array().map(Vec::len), Some(3));
}

#[test]
fn one_rank_alone_has_no_waiting() {
    let explained = Explain::new(job("a", 0), job("b", 600)).control_rank(0).test_rank(0).run().unwrap();
    assert_closed(&explained);
    assert_eq!((part(&explained, "waiting"), part(&explained, "not divided")), ([0.0; 2], [900.0, 1_500.0]));
    assert!(explained.waiting().is_empty() && !explained.sentences().contains("Waiting"));
}

#[test]
fn clocks_that_do_not_agree_divide_nothing() {
    let shifted = (0..4).map(|n| rank(n, if n == 3 { 3_000 } else { 1_000 }, if n == 3 { 3_500 } else { 2_000 }));
    let explained = Explain::new(job("a", 0), merged("b", shifted.collect())).run().unwrap();
    assert_closed(&explained);
    assert_eq!(part(&explained, "waiting")[1], 0.0);
    let text = explained.sentences();
    assert!(text.contains("1 of 1 collectives do not overlap") && text.contains("The clocks of b"), "{text}");
}

#[test]
fn stragglers_of_a_generated_job_are_named() {
    let plan = Job::of(8, 8 * 60_000, 7);
    let write = |job: &Job, folder: &Path| {
        for rank in 0..job.ranks() {
            let file = std::fs::File::create(folder.join(Job::file_name(rank))).unwrap();
            job.write(rank, file).unwrap();
        }
        TraceSet::load(folder).unwrap()
    };
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let healthy = write(&plan.clone().healthy(), one.path()).with_label("healthy");
    let slow = write(&plan, other.path()).with_label("slow");
    let explained = Explain::new(&healthy, &slow).run().unwrap();
    assert_closed(&explained);
    let [before, after] = part(&explained, "waiting");
    assert!(after > 2.0 * before, "{before} {after}");
    let rows = explained.waiting();
    let stragglers = [plan.slow_gpu() as i64, plan.slow_host() as i64];
    let of = |rank: i64| -> f64 { rows.iter().filter(|row| row.rank == rank).map(|row| row.test_us).sum() };
    let others: f64 = (0..8).filter(|rank| !stragglers.contains(rank)).map(of).sum();
    assert!(of(stragglers[0]) + of(stragglers[1]) > 10.0 * others, "{rows:#?}");
    let cause = |rank: i64| {
        let causes = rows.iter().filter(|row| row.rank == rank);
        causes.max_by(|one, other| one.test_us.total_cmp(&other.test_us)).map(|row| row.doing.clone())
    };
    let found: Vec<_> = stragglers.into_iter().filter_map(|rank| Some((rank, cause(rank)?))).collect();
    for (rank, doing) in &found {
        // A slow host is late in its frames and in its launch calls.
        let expected = if *rank == stragglers[0] { "compute" } else { "idle: " };
        assert!(doing.starts_with(expected), "rank {rank}: {doing} {rows:#?}");
    }
    assert!(!found.is_empty());
}

#[test]
fn the_demo_job_with_itself_waits_alike() {
    let job = TraceSet::load("../../notebooks/data/job").unwrap();
    let explained = Explain::new(&job, &job).run().unwrap();
    assert_closed(&explained);
    let [control, test] = part(&explained, "waiting");
    assert!(control == test && control > 0.0, "{control} {test}");
    assert!(explained.waiting().iter().all(|row| row.delta_us == 0.0));
}
