//! Stacks of timelines written by hand.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::{LoadOptions, TraceSet};
use std::cmp::Reverse;
use trace_testkit::{Stream, TraceBuilder};

/// Parents and depths by name.
fn stacks(builder: &TraceBuilder, compat: Compat) -> Vec<(String, Option<String>, Option<u32>)> {
    let options = LoadOptions { compat, ..LoadOptions::default() };
    let traces = TraceSet::from_bytes_with(builder.json(), &options).unwrap();
    let rows = RankEvents::of(&traces.traces()[0].events(), Compat::Exact).unwrap();
    let seen: Vec<u32> = (0..rows.len() as u32).collect();
    let stacks = CallStacks::of(&rows, &seen, compat);
    let name = |row: usize| rows.text(rows.name(row)).to_owned();
    (0..rows.len()).map(|row| (name(row), stacks.parent(row).map(name), stacks.depth(row))).collect()
}

/// `name < parent @ depth` in one line, so that a test reads like the tree.
fn tree(builder: &TraceBuilder, compat: Compat) -> Vec<String> {
    let text = |(name, parent, depth): (String, Option<String>, Option<u32>)| match (parent, depth) {
        (Some(parent), Some(depth)) => format!("{name} < {parent} @ {depth}"),
        (None, Some(depth)) => format!("{name} @ {depth}"),
        _ => format!("{name} outside"),
    };
    stacks(builder, compat).into_iter().map(text).collect()
}

#[test]
fn calls_are_nested_and_kernels_attached_to_their_launch() {
    // A child stands before its parent in the file, as Kineto writes them.
    let builder = TraceBuilder::new()
        .operator("addmm", 10..30)
        .operator("linear", 10..40)
        .runtime("launch", 7, 12..14)
        .operator("relu", 40..50)
        .kernel("gemm", Stream(7), 60..90)
        .correlation(7)
        .kernel("lost", Stream(7), 95..99)
        .thread(2)
        .operator("other thread", 15..20);
    for compat in [Compat::Exact, Compat::Hta] {
        assert_eq!(
            tree(&builder, compat),
            [
                "addmm < linear @ 1",
                "linear @ 0",
                "launch < addmm @ 2",
                "relu @ 0",
                "gemm < launch @ 3",
                "lost outside",
                "other thread @ 0"
            ]
        );
    }
}

#[test]
fn empty_calls_are_children_of_calls_that_end_or_start_there() {
    let builder = TraceBuilder::new()
        .operator("a", 0..10)
        .operator("at the end of a", 10..10)
        .operator("b", 20..30)
        .operator("c", 30..40)
        .operator("at the start of c", 30..30)
        .operator("within that", 30..30);
    for compat in [Compat::Exact, Compat::Hta] {
        assert_eq!(
            tree(&builder, compat),
            [
                "a @ 0",
                "at the end of a < a @ 1",
                "b @ 0",
                "c @ 0",
                "at the start of c < c @ 1",
                "within that < at the start of c @ 2"
            ]
        );
    }
}

/// ```text
/// a   |---------|            0..10
/// b        |---------|       5..15
/// c              |-|         12..14: within b; HTA closed b when a ended
/// ```
#[test]
fn later_of_crossing_calls_stays_open_except_in_hta() {
    let builder = TraceBuilder::new().operator("a", 0..10).operator("b", 5..15).operator("c", 12..14);
    assert_eq!(tree(&builder, Compat::Exact), ["a @ 0", "b < a @ 1", "c < b @ 2"]);
    assert_eq!(tree(&builder, Compat::Hta), ["a @ 0", "b < a @ 1", "c < a @ 1"]);
}

#[test]
fn backward_thread_is_attached_to_the_pass_or_the_step() {
    let forward = TraceBuilder::new().step(1, 0..50).step(2, 50..100);
    let backward = |builder: TraceBuilder| {
        builder.thread(2).operator("autograd::engine", 20..30).operator("mm", 22..24).operator("autograd::late", 45..55)
    };
    let expected = ["autograd::engine < ProfilerStep#1 @ 1", "mm < autograd::engine @ 2", "autograd::late @ 0"];
    assert_eq!(tree(&backward(forward.clone()), Compat::Exact)[2..], expected);
    let marked = forward.annotation("## backward ##", 15..40);
    let tree = tree(&backward(marked), Compat::Hta);
    assert_eq!(tree[2..4], ["## backward ## < ProfilerStep#1 @ 1", "autograd::engine < ## backward ## @ 2"]);
}

#[test]
fn stream_0_kernels_are_attached_except_in_hta() {
    let builder = TraceBuilder::new()
        .operator("first", 0..1)
        .runtime("hipLaunchKernel", 7, 10..12)
        .complete("gpu_user_annotation", "step", 3, 9, 0..50)
        .complete("kernel", "gemm", 3, 9, 20..30)
        .arg("stream", "0")
        .correlation(7);
    let exact = ["first @ 0", "hipLaunchKernel @ 0", "step outside", "gemm < hipLaunchKernel @ 1"];
    assert_eq!(tree(&builder, Compat::Exact), exact);
    assert_eq!(tree(&builder, Compat::Hta), ["first @ 0", "hipLaunchKernel @ 0", "step @ 0", "gemm outside"]);
}

#[test]
fn descendants_are_found_at_any_depth() {
    let builder = TraceBuilder::new()
        .operator("outer", 0..100)
        .operator("inner", 10..50)
        .runtime("launch", 7, 12..14)
        .kernel("gemm", Stream(7), 60..90)
        .correlation(7)
        .operator("beside", 100..110);
    let traces = TraceSet::from_bytes(builder.json()).unwrap();
    let rows = RankEvents::of(&traces.traces()[0].events(), Compat::Exact).unwrap();
    let stacks = CallStacks::of(&rows, &[0, 1, 2, 3, 4], Compat::Exact);
    let sorted = |row| {
        let mut below = stacks.below(row);
        below.sort_unstable();
        below
    };
    assert_eq!(sorted(0), [0, 1, 2, 3]);
    assert_eq!(sorted(1), [1, 2, 3]);
    assert_eq!(sorted(4), [4]);
    // Rows that are not seen are in no stack.
    let fewer = CallStacks::of(&rows, &[0, 2, 3], Compat::Exact);
    assert_eq!(fewer.parent(2), Some(0));
    assert_eq!(fewer.depth(1), None);
}

/// Returns pseudo-random nested calls, the same in every run; none of them cross.
fn nested(seed: u64) -> Vec<Call> {
    let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let mut below = |limit: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as i64) % limit.max(1)
    };
    let mut open = vec![(0, 1000)];
    let mut calls = Vec::new();
    while let Some((start, end)) = open.pop().filter(|_| calls.len() < 60) {
        calls.push(Call { start, end, row: calls.len() as u32 });
        let middle = start + below(end - start);
        for (start, end) in [(start, middle), (middle, end)] {
            let start = start + below(3).min(end - start);
            if end > start && below(4) > 0 {
                open.push((start, end - below(2).min(end - start - 1)));
            }
        }
    }
    sort(&mut calls);
    calls
}

#[test]
fn parent_is_the_shortest_enclosing_call_in_both_modes() {
    for seed in 0..200 {
        let calls = nested(seed);
        let parents = |closing: Closing| {
            let mut parents = vec![None; calls.len()];
            nest(&calls, closing, |step| {
                if let Step::Begins(call, around) = step {
                    parents[call.row as usize] = around.map(|around| around.row);
                }
            });
            parents
        };
        let exact = parents(Closing::OwnEnd);
        assert_eq!(exact, parents(Closing::LastOpened), "{calls:?}");
        for (index, call) in calls.iter().enumerate() {
            let around = calls[..index].iter().filter(|outer| outer.start <= call.start && call.end <= outer.end);
            let shortest = around.min_by_key(|outer| (outer.end - outer.start, Reverse(outer.row)));
            let parent = calls.iter().find(|outer| Some(outer.row) == exact[call.row as usize]);
            let before = Enclosing::new(calls[..index].iter().map(|outer| (outer.start, outer.end)));
            let found = before.last_around(call.start, call.end).map(|found| calls[found].row);
            assert_eq!(found, exact[call.row as usize], "{call:?} of {calls:?}");
            let length = |call: Option<&Call>| call.map(|call| call.end - call.start);
            assert_eq!(length(parent), length(shortest), "{call:?} of {calls:?}");
        }
    }
}
