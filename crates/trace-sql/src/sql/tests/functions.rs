//! Table functions against brute force, on small random timelines.

#![allow(clippy::unwrap_used)]

use crate::QuerySql;
use crate::{SqlTables, TraceSet};
use polars::prelude::{DataFrame, DataType};
use std::collections::BTreeSet;
use std::ops::Range;
use trace_testkit::{Random, Stream, TraceBuilder};

/// An event: name, start, end.
type Event = (String, i64, i64);

/// Adds nested operators within a span.
fn nested(random: &mut Random, span: Range<i64>, depth: usize, found: &mut Vec<Event>) {
    let mut at = span.start + 1;
    while at + 4 < span.end {
        let end = (at + 3 + random.below(40) as i64).min(span.end - 1);
        found.push((format!("op_{}", found.len()), at, end));
        if depth > 0 {
            nested(random, at..end, depth - 1, found);
        }
        at = end + 1 + random.below(6) as i64;
    }
}

/// A rank of nested operators on one thread, and kernels on two streams that may overlap each other.
fn timeline(seed: u64) -> (TraceSet, Vec<Event>, Vec<(i64, Event)>) {
    let mut random = Random::new(seed);
    let mut calls = Vec::new();
    nested(&mut random, 0..200, 3, &mut calls);
    let mut builder = TraceBuilder::new();
    for (name, start, end) in &calls {
        builder = builder.operator(name, *start..*end);
    }
    let mut kernels = Vec::new();
    for number in 0..random.below(14) as i64 {
        let (stream, start) = (7 + random.below(2) as i64, random.below(180) as i64);
        let end = start + 1 + random.below(25) as i64;
        let name = format!("kernel_{number}");
        builder = builder.kernel(&name, Stream(stream), start..end);
        kernels.push((stream, (name, start, end)));
    }
    (TraceSet::from_bytes(builder.json()).unwrap().with_label("t"), calls, kernels)
}

fn ints(frame: &DataFrame, column: &str) -> Vec<i64> {
    frame.column(column).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().iter().flatten().collect()
}

fn texts(frame: &DataFrame, column: &str) -> Vec<String> {
    frame.column(column).unwrap().str().unwrap().iter().flatten().map(str::to_owned).collect()
}

/// Traces have microseconds, frames nanoseconds.
const US: i64 = 1000;

#[test]
fn ancestors_and_descendants_are_those_that_enclose() {
    for seed in 0..12 {
        let (set, calls, _) = timeline(seed);
        let ids = set.sql("SELECT id, name FROM events WHERE name LIKE 'op_%' ORDER BY id").unwrap();
        for (id, name) in ints(&ids, "id").into_iter().zip(texts(&ids, "name")).step_by(3) {
            let (_, start, end) = calls.iter().find(|call| call.0 == name).unwrap();
            let around = |call: &&Event| call.0 != name && call.1 <= *start && *end <= call.2;
            let inside = |call: &&Event| call.0 != name && *start <= call.1 && call.2 <= *end;
            let names = |found: Vec<&Event>| found.into_iter().map(|call| call.0.clone()).collect::<BTreeSet<_>>();
            for (function, expected) in [
                ("ancestors", names(calls.iter().filter(around).collect())),
                ("descendants", names(calls.iter().filter(inside).collect())),
            ] {
                let found = set.sql(&format!("SELECT name, relation FROM {function}({id})")).unwrap();
                assert_eq!(texts(&found, "name").into_iter().collect::<BTreeSet<_>>(), expected, "{function}({id})");
                assert_eq!(found.height(), expected.len());
            }
        }
    }
}

#[test]
fn self_time_is_what_no_direct_call_takes() {
    for seed in 0..12 {
        let (set, calls, _) = timeline(seed);
        let found = set.sql("SELECT name, self_dur, depth FROM self_time WHERE cat = 'cpu_op'").unwrap();
        assert_eq!(found.height(), calls.len());
        let own = |call: &Event| {
            let inner = |at: i64| {
                calls.iter().any(|other| {
                    other.0 != call.0 && call.1 <= other.1 && other.2 <= call.2 && other.1 <= at && at < other.2
                })
            };
            (call.1..call.2).filter(|&at| !inner(at)).count() as i64 * US
        };
        for (name, self_dur) in texts(&found, "name").into_iter().zip(ints(&found, "self_dur")) {
            let call = calls.iter().find(|call| call.0 == name).unwrap();
            assert_eq!(self_dur, own(call), "{name}");
        }
    }
}

#[test]
fn gaps_overlap_and_intersect_equal_brute_force() {
    for seed in 0..40 {
        let (set, calls, kernels) = timeline(seed);
        let open = |at: i64, stream: Option<i64>| {
            let is_open = |kernel: &&(i64, Event)| {
                stream.is_none_or(|stream| kernel.0 == stream) && kernel.1.1 <= at && at < kernel.1.2
            };
            kernels.iter().filter(is_open).count() as i64
        };
        for stream in [7, 8] {
            let of_stream: Vec<&Event> =
                kernels.iter().filter(|kernel| kernel.0 == stream).map(|kernel| &kernel.1).collect();
            let (first, last) = (of_stream.iter().map(|k| k.1).min(), of_stream.iter().map(|k| k.2).max());
            let idle = (first.unwrap_or(0)..last.unwrap_or(0)).filter(|&at| open(at, Some(stream)) == 0).count() as i64;
            let gaps = set.sql(&format!("SELECT ts, dur, end_ts FROM gaps({stream})")).unwrap();
            assert_eq!(ints(&gaps, "dur").iter().sum::<i64>(), idle * US, "seed {seed}, stream {stream}");
        }
        let both = set.sql("SELECT COUNT(*) AS n FROM gaps").unwrap();
        let each =
            set.sql("SELECT COUNT(*) AS n FROM (SELECT * FROM gaps(7) UNION ALL SELECT * FROM gaps(8)) AS g").unwrap();
        assert_eq!(ints(&both, "n"), ints(&each, "n"));
        // Each moment is in one row with the right number.
        let overlap = set.sql("SELECT ts, end_ts, open FROM overlap").unwrap();
        let busy: i64 = ints(&overlap, "open")
            .iter()
            .zip(ints(&overlap, "ts").iter().zip(ints(&overlap, "end_ts")))
            .map(|(open, (ts, end))| open * (end - ts))
            .sum();
        let expected: i64 = (0..250).map(|at| open(at, None)).sum();
        assert_eq!(busy, expected * US);
        let pairs = set
            .sql("SELECT name_a, name_b, dur FROM intersect((SELECT * FROM events WHERE cat = 'cpu_op'), kernels)")
            .unwrap();
        let mut expected = BTreeSet::new();
        for call in &calls {
            for (_, kernel) in &kernels {
                let dur = call.2.min(kernel.2) - call.1.max(kernel.1);
                if dur > 0 {
                    expected.insert((call.0.clone(), kernel.0.clone(), dur * US));
                }
            }
        }
        let found = texts(&pairs, "name_a").into_iter().zip(texts(&pairs, "name_b")).zip(ints(&pairs, "dur"));
        let found: BTreeSet<(String, String, i64)> = found.map(|((a, b), dur)| (a, b, dur)).collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn calls_see_with_and_each_other() {
    let (set, ..) = timeline(3);
    let direct =
        set.sql("SELECT COUNT(*) AS n FROM intersect(kernels, (SELECT * FROM events WHERE cat = 'cpu_op'))").unwrap();
    let with = set
        .sql(
            "WITH ops AS (SELECT * FROM events WHERE cat = 'cpu_op'), both AS (SELECT * FROM intersect(kernels, ops)) \
             SELECT COUNT(*) AS n FROM both",
        )
        .unwrap();
    assert_eq!(ints(&direct, "n"), ints(&with, "n"));
    let nested = set.sql("SELECT COUNT(*) AS n FROM overlap((SELECT ts, dur FROM gaps(7)))").unwrap();
    assert_eq!(nested.height(), 1);
    let saved = SqlTables::of([&set]).statement("ops", "SELECT * FROM events WHERE cat = 'cpu_op'");
    let found = saved.query("SELECT COUNT(*) AS n FROM intersect(kernels, ops)").unwrap();
    assert_eq!(ints(&found, "n"), ints(&direct, "n"));
    let looped = saved.statement("loop", "SELECT * FROM loop").query("SELECT * FROM loop").unwrap_err().to_string();
    assert!(looped.contains("uses itself"), "{looped}");
}
