//! Iterations that are found in recordings without the profiler's steps: the same for explanations, comparisons and noise.
#![allow(clippy::unwrap_used)]

use regex::Regex;
use trace::prelude::*;
use trace::{Explain, Finding, Noise, StatsDiff, Warning};
use trace_testkit::{Random, Stream, TraceBuilder};

/// Decode steps of a server, whose kernels take `us` and a little more or less.
fn server(label: &str, us: i64) -> TraceSet {
    let (mut trace, mut random, mut at) = (TraceBuilder::new(), Random::new(7), 0);
    for step in 1..=8 {
        let us = us + random.below(3) as i64;
        trace = trace
            .complete("python_function", "nn.Module: Llama_0", 100, 1, at..at + 40)
            .operator("aten::mm", at + 1..at + 30)
            .runtime("cudaLaunchKernel", step, at + 5..at + 10)
            .kernel("gemm", Stream(7), at + 12..at + 12 + us)
            .correlation(step);
        at += 60 + us;
    }
    TraceSet::from_bytes(trace.json()).unwrap().with_label(label)
}

#[test]
fn found_calls_are_iterations_wherever_a_marker_would_name_them() {
    let (control, test) = (server("old", 20), server("new", 30));
    let explain = || Explain::new(&control, &test);
    let found = explain().run().unwrap();
    let named = explain().marker(Regex::new("^nn\\.Module: Llama_0$").unwrap()).run().unwrap();
    assert_eq!(found.sides[0].iterations, (0..8).collect::<Vec<i64>>());
    assert_eq!((found.step, found.regions().unwrap()), (named.step, named.regions().unwrap()));
    let warning = |warning: &&Warning| matches!(warning, Warning::FoundSteps { .. });
    let sentence = found.warnings.iter().find(warning).unwrap().to_string();
    let expected = "no ProfilerStep in \"old\" and \"new\": the 8 calls of nn.Module: Llama_0 count as iterations, since they launch \
                    100 % of the work (--marker none: each recording is one iteration)";
    assert_eq!(sentence, expected);
    assert!(!found.warnings.iter().any(|warning| matches!(warning, Warning::NoProfilerStep { .. })));
    assert!(named.warnings.iter().find(warning).is_none());
    let whole = explain().marker(IterationMarker::Recorded).run().unwrap();
    assert!(whole.sides[0].iterations.is_empty() && whole.step.control_us > 7.0 * found.step.control_us);
    assert!(whole.warnings.iter().any(|warning| matches!(warning, Warning::NoProfilerStep { .. })));

    let stats = StatsDiff::new(&control, &test).warmup(0).run().unwrap();
    assert_eq!(stats.answer.samples, [8, 8]);
    assert!(stats.warnings.iter().any(|one| one.to_string() == expected));
    let whole = StatsDiff::new(&control, &test).marker(IterationMarker::Recorded).run().unwrap();
    assert_eq!(whole.answer.samples, [1, 1]);
    let noise = Noise::of_runs(vec![(&control).into(), (&test).into()]);
    assert!(noise.clone().warmup(0).run().unwrap().step().within.is_some());
    assert!(noise.marker(IterationMarker::Recorded).run().unwrap().step().within.is_none());
}

/// Steps of launches, without a call around them.
fn launches(steps: i64) -> TraceBuilder {
    (0..5 * steps).fold(TraceBuilder::new(), |trace, at| {
        let (id, begin) = (at + 1, 10 * at + at / 5 * 20);
        let name = ["embed", "layer", "layer", "layer", "head"][at as usize % 5];
        let trace = trace.runtime("cudaLaunchKernel", id, begin..begin + 2);
        trace.kernel(name, Stream(7), begin + 3..begin + 9).correlation(id)
    })
}

#[test]
fn repeating_launches_are_iterations_as_a_marker_names_them() {
    let [control, test] = [("old", 6), ("new", 8)]
        .map(|(label, steps)| TraceSet::from_bytes(launches(steps).json()).unwrap().with_label(label));
    let found = Explain::new(&control, &test).run().unwrap();
    let named = Explain::new(&control, &test).marker(Regex::new("^embed$").unwrap()).run().unwrap();
    assert_eq!((found.sides[0].iterations.len(), found.sides[1].iterations.len()), (6, 8));
    assert_eq!((found.step, found.regions().unwrap()), (named.step, named.regions().unwrap()));
    let sentence =
        "no ProfilerStep in \"old\" and \"new\": the 6 and 8 calls of cudaLaunchKernel of embed count as iterations";
    assert!(found.warnings.iter().any(|warning| warning.to_string().starts_with(sentence)), "{:?}", found.warnings);
    let whole = Explain::new(&control, &test).marker(IterationMarker::Recorded).run().unwrap();
    assert!(whole.sides[0].iterations.is_empty());
}

#[test]
fn iteration_that_is_not_there_proposes_a_marker() {
    let trace = server("old", 20);
    let message = TraceAnalysis::new(&trace).unwrap().in_iterations([3]).unwrap_err().to_string();
    let end = "omit the iteration; %explain and %compare_traces divide it by --marker '^nn\\.Module: Llama_0$' (8 calls of nn.Module: Llama_0)";
    assert!(message.ends_with(end), "{message}");
    let diff = TraceDiff::new(&trace, &trace).control_iteration(3).compare_traces().unwrap_err().to_string();
    assert!(diff.ends_with(end), "{diff}");
}

/// A recorded trace without annotations, modules and frames: its launches alone.
fn stripped(path: &str) -> Option<TraceSet> {
    let shared = std::env::var("TRACEBOOK_SHARED").ok()?;
    let path = std::path::Path::new(&shared).join("traces").join(path);
    let mut text = String::new();
    let mut file = flate2::read::GzDecoder::new(std::fs::File::open(path).ok()?);
    std::io::Read::read_to_string(&mut file, &mut text).ok()?;
    let mut trace: serde_json::Value = serde_json::from_str(&text).ok()?;
    trace["traceEvents"].as_array_mut()?.retain(|event| {
        let category = event["cat"].as_str().unwrap_or_default();
        !["user_annotation", "gpu_user_annotation", "python_function", "Trace"].contains(&category)
            && !event["name"].as_str().unwrap_or_default().starts_with("ProfilerStep")
    });
    TraceSet::from_bytes(trace.to_string()).ok()
}

#[test]
fn launches_of_recorded_steps_repeat_as_often_as_the_steps() {
    let resnet = "kineto_2021/control/resnet50_num_workers_0.worker0.1623143089861.pt.trace.json.gz";
    for (path, steps) in [
        ("trace_diff/control/control.json.gz", Some(6)),
        (resnet, Some(6)),
        ("tracelens_h100_mi300/bert_small/control.json.gz", None),
    ] {
        let Some(trace) = stripped(path) else {
            println!("skipped: {path} is not there");
            continue;
        };
        let findings = trace.describe().unwrap().findings;
        let calls = findings
            .iter()
            .find_map(|finding| if let Finding::NoSteps { calls } = finding { Some(calls) } else { None });
        assert_eq!(calls.unwrap().first().map(|call| call.count), steps, "{path}");
    }
}
