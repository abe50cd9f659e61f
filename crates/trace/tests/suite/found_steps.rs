//! Iterations that are found in recordings without the profiler's steps: the same for explanations, comparisons and noise.
#![allow(clippy::unwrap_used)]

use regex::Regex;
use trace::prelude::*;
use trace::{Explain, Noise, StatsDiff, Warning};
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
