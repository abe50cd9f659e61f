//! Iterations of recordings without the profiler's steps, in traces written by hand.
#![allow(clippy::unwrap_used)]

use super::{FoundSteps, StepMarker};
use crate::TraceSet;
use trace_testkit::{Stream, TraceBuilder};

/// Steps of a server, each of 100 µs: a frame of a worker around an annotation, which is around a module, which launches kernels.
/// Another thread waits for each step, and launches nothing.
fn server(steps: i64, line: i64, annotates: bool) -> TraceBuilder {
    let mut trace = TraceBuilder::new();
    for step in 0..steps {
        let at = 100 * step;
        trace = trace.complete("python_function", &format!("worker.py({line}): execute_model"), 100, 1, at..at + 90);
        if annotates {
            trace = trace.annotation(&format!("execute_context_{step}({})_generation_3(3)", 9 * step), at + 1..at + 80);
        }
        trace = trace.complete("python_function", "nn.Module: Llama_0", 100, 1, at + 2..at + 70);
        for (launch, layer) in (4 * step..).zip([10, 25, 40, 55]) {
            let frame = at + layer..at + layer + 10;
            trace = trace.complete("python_function", "llama.py(7): forward", 100, 1, frame);
            trace = trace.runtime("cudaLaunchKernel", launch + 1, at + layer + 1..at + layer + 4);
            trace = trace.kernel("gemm", Stream(7), at + layer + 5..at + layer + 12).correlation(launch + 1);
        }
        trace = trace.complete("python_function", "threading.py(320): wait", 100, 2, at..at + 95);
    }
    trace
}

fn found(ranks: &[TraceBuilder]) -> FoundSteps {
    let sets: Vec<TraceSet> = ranks.iter().map(|rank| TraceSet::from_bytes(rank.json()).unwrap()).collect();
    let recordings: Vec<_> = sets.iter().map(|set| (set, set.traces().to_vec())).collect();
    FoundSteps::of(&recordings).unwrap()
}

fn one(ranks: &[TraceBuilder]) -> StepMarker {
    let FoundSteps::One(mut found) = found(ranks) else { panic!("{:?}", found(ranks)) };
    found.remove(0)
}

#[test]
fn outermost_call_that_launches_the_work_is_found() {
    let marker = one(&[server(6, 114, true)]);
    assert_eq!(marker.name, "execute_context_…");
    assert_eq!((marker.count, marker.share), (6, 1.0));
    // Without annotations the module says more than the frame around it.
    let module = one(&[server(6, 114, false)]);
    assert_eq!((module.name.as_str(), module.pattern.as_str()), ("nn.Module: Llama_0", r"^nn\.Module: Llama_0$"));
    // Two calls may be two phases, and their layers are no steps; nor are those of one module.
    assert_eq!(found(&[server(2, 114, true)]), FoundSteps::None);
    assert_eq!(found(&[server(1, 114, false)]), FoundSteps::None);
}

#[test]
fn calls_of_both_recordings_are_taken() {
    let FoundSteps::One(both) = found(&[server(6, 114, true), server(9, 97, true)]) else { panic!() };
    assert_eq!(both.iter().map(|marker| marker.count).collect::<Vec<_>>(), [6, 9]);
    // Only one has annotations.
    assert_eq!(one(&[server(6, 114, true), server(9, 97, false)]).name, "nn.Module: Llama_0");
    // In the other one nothing repeats.
    let other = TraceBuilder::new().runtime("cudaLaunchKernel", 1, 1..2).kernel("k", Stream(7), 3..9).correlation(1);
    let FoundSteps::Several(proposed) = found(&[server(6, 114, true), other]) else { panic!() };
    assert_eq!(proposed.len(), 1);
}

#[test]
fn calls_that_overlap_or_launch_little_are_not_taken() {
    // Two threads, each of which launches work in its own loop.
    let mut trace = TraceBuilder::new();
    for step in 0..5 {
        let at = 100 * step;
        for (thread, name, begin) in [(1, "loop", at), (2, "copies", at + 50)] {
            let launch = 2 * step + thread;
            trace = trace.thread(thread).annotation(name, begin..begin + 90);
            trace = trace.runtime("cudaLaunchKernel", launch, begin + 60..begin + 61);
            trace = trace.kernel("k", Stream(7), begin + 70..begin + 75).correlation(launch);
        }
    }
    let FoundSteps::Several(proposed) = found(&[trace]) else { panic!() };
    assert_eq!(proposed.len(), 2, "{proposed:?}");
    // A forward pass alone is not the step.
    let mut trace = TraceBuilder::new();
    for step in 0..5 {
        let at = 100 * step;
        trace = trace.annotation("forward", at..at + 30);
        for (launch, begin) in [(2 * step + 1, at + 10), (2 * step + 2, at + 60)] {
            trace = trace.runtime("cudaLaunchKernel", launch, begin..begin + 2);
            trace = trace.kernel("k", Stream(7), begin + 5..begin + 15).correlation(launch);
        }
    }
    assert_eq!(found(&[trace]), FoundSteps::None);
}

#[test]
fn recordings_without_gpu_work_are_divided_by_their_operators() {
    let mut trace = TraceBuilder::new();
    for step in 0..4 {
        let at = 100 * step;
        trace = trace.annotation("train_step", at..at + 90).operator("aten::mm", at + 10..at + 80);
    }
    assert_eq!(one(&[trace]).pattern, "^train_step$");
}

/// Launches every 10 µs, each of a kernel of 8 µs; of one whose name begins with `log` of 1 µs.
fn launched(names: &[&str]) -> TraceBuilder {
    names.iter().zip(0..).fold(TraceBuilder::new(), |trace, (name, at)| {
        let (begin, us) = (10 * at, if name.starts_with("log") { 1 } else { 8 });
        let trace = trace.runtime("cudaLaunchKernel", at + 1, begin..begin + 2);
        trace.kernel(name, Stream(7), begin + 4..begin + 4 + us).correlation(at + 1)
    })
}

const STEP: [&str; 6] = ["embed", "layer", "layer", "layer", "norm", "head"];

fn steps(count: usize) -> Vec<&'static str> {
    std::iter::repeat_n(STEP, count).flatten().collect()
}

#[test]
fn launches_that_repeat_are_iterations() {
    let marker = one(&[launched(&steps(4))]);
    let expected = ("cudaLaunchKernel of embed", "^embed$", 4, 1.0);
    assert_eq!((marker.name.as_str(), marker.pattern.as_str(), marker.count, marker.share), expected);
    // The host pauses before the head: there a step begins.
    let mut trace = TraceBuilder::new();
    for (name, at) in steps(6).iter().zip(1..) {
        let begin = 10 * at + at / 6 * 100;
        trace = trace.runtime("cudaLaunchKernel", at, begin..begin + 2);
        trace = trace.kernel(name, Stream(7), begin + 4..begin + 9).correlation(at);
    }
    assert_eq!(one(&[trace]).pattern, "^head$");
    // Both recordings have the pattern.
    let FoundSteps::One(both) = found(&[launched(&steps(4)), launched(&steps(6))]) else { panic!() };
    assert_eq!(both.iter().map(|marker| marker.count).collect::<Vec<_>>(), [4, 6]);
}

#[test]
fn launches_in_between_and_a_warm_up_do_not_hide_the_pattern() {
    let mut names = vec!["tune", "layer", "tune", "layer"];
    names.extend(steps(2));
    names.push("log");
    names.extend(steps(1));
    names.extend(["log a", "log"]);
    names.extend(steps(2));
    let marker = one(&[launched(&names)]);
    assert_eq!((marker.pattern.as_str(), marker.count), ("^embed$", 5));
    assert!((0.8..0.9).contains(&marker.share), "{marker:?}");
    // Too much of the work is before the pattern.
    let mut names = vec!["tune"; 10];
    names.extend(steps(3));
    assert_eq!(found(&[launched(&names)]), FoundSteps::None);
}

#[test]
fn graphs_repeat_with_what_is_launched_between_them() {
    let mut trace = TraceBuilder::new();
    for step in 0..5 {
        let at = 100 * step;
        trace = trace.runtime("cudaGraphLaunch", 2 * step + 1, at..at + 5);
        for (name, begin) in [("qkv", at + 10), ("attention", at + 30), ("qkv", at + 50)] {
            trace = trace.kernel(name, Stream(7), begin..begin + 15).correlation(2 * step + 1);
        }
        trace = trace.runtime("cudaLaunchKernel", 2 * step + 2, at + 10..at + 12);
        trace = trace.kernel("sample", Stream(7), at + 70..at + 75).correlation(2 * step + 2);
    }
    let marker = one(&[trace]);
    assert_eq!((marker.name.as_str(), marker.count), ("cudaGraphLaunch of qkv", 5));
}

#[test]
fn what_is_no_step_is_not_taken_for_one() {
    let none = |names: &[&str]| assert_eq!(found(&[launched(names)]), FoundSteps::None, "{names:?}");
    // One launch again and again.
    none(&["gemm"; 20]);
    // Two steps may be two phases of one; their layers are no steps, nor are those of one.
    none(&steps(2));
    none(&["embed", "qkv", "mlp", "qkv", "mlp", "qkv", "mlp", "qkv", "mlp", "norm", "head"]);
    // Nothing repeats.
    let mut random = trace_testkit::Random::new(7);
    let names: Vec<&str> = (0..80).map(|_| STEP[random.below(6)]).collect();
    none(&names);
    // Two patterns, none inside the other.
    let pair = |a, b| [a, b];
    let mut names: Vec<&str> = std::iter::repeat_n(pair("a", "b"), 6).flatten().collect();
    names.extend(std::iter::repeat_n(pair("c", "d"), 5).flatten());
    none(&names);
}
