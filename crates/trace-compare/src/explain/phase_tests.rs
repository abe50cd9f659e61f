//! Phases by structure: the steps of a recording with other kernels and another length are compared with their own kind.
#![allow(clippy::unwrap_used)]

use super::{Explain, Explanation};
use crate::filter::Where;
use crate::{Noise, Select, SelectEvents, StatsDiff, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

/// Names and µs of the kernels of a step.
type Kernels<'k> = &'k [(&'k str, i64)];

/// Kernels of a prefill and of a decode step, which share a matrix product.
const PREFILL: Kernels<'_> = &[("flash_fwd_kernel", 600), ("gemm", 200)];
const DECODE: Kernels<'_> = &[("paged_attention", 60), ("gemm", 40)];

/// A recording with a step for each list of kernels, as long as these take.
fn recorded(label: &str, steps: &[Kernels<'_>]) -> TraceSet {
    let (mut trace, mut at, mut id) = (TraceBuilder::new(), 0, 0);
    for (number, kernels) in (1..).zip(steps) {
        let us: i64 = kernels.iter().map(|(_, us)| us).sum();
        trace = trace.step(number, at..at + us + 20);
        let mut begin = at + 10;
        for (launch, (name, us)) in (0..).zip(*kernels) {
            id += 1;
            let call = at + 1 + 3 * launch;
            trace = trace
                .operator(&format!("aten::{name}"), call..call + 3)
                .runtime("cudaLaunchKernel", id, call + 1..call + 2)
                .kernel(name, Stream(7), begin..begin + us)
                .correlation(id);
            begin += us;
        }
        at += us + 20;
    }
    TraceSet::from_bytes(trace.json()).unwrap().with_label(label)
}

fn explain(control: &TraceSet, test: &TraceSet) -> Explain {
    Explain::new(control, test).warmup(0)
}

/// Letter, name and numbers of iterations of a phase.
type Phase<'e> = (&'e str, &'e str, [usize; 2]);

/// The phases, and the letter of the one that is compared.
fn phases(explanation: &Explanation) -> (Vec<Phase<'_>>, Option<&str>) {
    let Some(found) = &explanation.phases else { return (Vec::new(), None) };
    let of = found.phases.iter().map(|phase| (phase.letter.as_str(), phase.name.as_str(), phase.iterations));
    (of.collect(), found.compared().map(|phase| phase.letter.as_str()))
}

/// A server whose test serves more prefills, each of which takes 80 µs more.
fn servers() -> [TraceSet; 2] {
    let slow: Kernels<'_> = &[("flash_fwd_kernel", 680), ("gemm", 200)];
    let control = recorded("control", &[PREFILL, DECODE, DECODE, DECODE, PREFILL, DECODE, DECODE]);
    let test = recorded("test", &[slow, slow, DECODE, DECODE, slow, slow, DECODE, DECODE, DECODE]);
    [control, test]
}

#[test]
fn phases_of_steps_without_names_are_compared_apart() {
    let [control, test] = servers();
    let decode = explain(&control, &test).run().unwrap();
    let expected = vec![("A", "paged_attention", [5, 5]), ("B", "flash_fwd_kernel", [2, 4])];
    assert_eq!(phases(&decode), (expected, Some("A")));
    assert_eq!((decode.step.control_us, decode.step.delta_us), (120.0, 0.0));
    let left_out: Vec<(&str, u64)> =
        decode.coverage()[1].reasons().map(|(reason, _, events)| (reason.word(), events)).collect();
    assert_eq!(left_out, [("another phase", 8)]);
    let lead = decode.lead();
    let sentence = "Iterations are of 2 phases, of which A is compared; --phase B compares another. A (paged_attention): 5 + 5, \
                    120 µs → 120 µs a step; B (flash_fwd_kernel): 2 + 4, 820 µs → 900 µs a step.";
    assert!(lead.starts_with(sentence), "{lead}");
    for name in ["B", "b", "flash_fwd_kernel"] {
        let prefill = explain(&control, &test).phase(name).run().unwrap();
        assert_eq!((prefill.step.control_us, prefill.step.delta_us), (820.0, 80.0), "{name}");
    }
    let document = decode.to_json();
    assert_eq!((&document["phases"]["compared"], &document["phases"]["by"]), (&"A".into(), &"structure".into()));
    assert_eq!(document["phases"]["phases"][1]["test_ns"], 900_000.0);
}

#[test]
fn the_mean_over_phases_is_an_answer_where_it_is_asked_for() {
    let [control, test] = servers();
    for all in [explain(&control, &test).phase("all"), explain(&control, &test).every_iteration_of(0)] {
        let all = all.run().unwrap();
        assert_eq!((phases(&all).1, all.step.control_us), (None, (5.0 * 120.0 + 2.0 * 820.0) / 7.0));
    }
    let error = explain(&control, &test).phase("C").run().unwrap_err().to_string();
    let expected = "unknown phase `C`: expected all, A (paged_attention), B (flash_fwd_kernel)";
    assert_eq!(error, expected);
    let steady = recorded("steady", &[DECODE; 4]);
    let error = explain(&steady, &steady).phase("B").run().unwrap_err().to_string();
    assert_eq!(error, "cannot choose phase `B`: the iterations are of one phase; leave it out");
}

#[test]
fn steps_of_about_one_length_are_one_phase() {
    // Every second step copies something for a log.
    let logged: Kernels<'_> = &[("paged_attention", 60), ("gemm", 40), ("copy_of_log", 9)];
    let control = recorded("control", &[DECODE, logged, DECODE, logged]);
    let explanation = explain(&control, &recorded("test", &[logged, DECODE, DECODE, DECODE])).run().unwrap();
    assert_eq!(explanation.phases, None);
    // The same kernels over more tokens.
    let long: Kernels<'_> = &[("paged_attention", 300), ("gemm", 200)];
    let control = recorded("control", &[DECODE, long, DECODE, long]);
    assert_eq!(explain(&control, &control.clone().with_label("test")).run().unwrap().phases, None);
}

#[test]
fn a_phase_is_found_on_the_other_side_with_other_kernels() {
    // Test replaces the attention of both phases, and has a phase that control has not.
    let (prefill, decode): (Kernels<'_>, Kernels<'_>) =
        (&[("flash_v3", 500), ("gemm", 200)], &[("paged_v2", 50), ("gemm", 40)]);
    let draft: Kernels<'_> = &[("draft_model", 4_000)];
    let control = recorded("control", &[PREFILL, DECODE, DECODE, DECODE]);
    let test = recorded("test", &[prefill, decode, decode, draft]);
    let explanation = explain(&control, &test).run().unwrap();
    let expected =
        vec![("A", "paged_attention", [3, 2]), ("B", "flash_fwd_kernel", [1, 1]), ("C", "draft_model", [0, 1])];
    assert_eq!(phases(&explanation), (expected, Some("A")));
    assert_eq!(explanation.step.delta_us, -10.0);
}

#[test]
fn warm_up_is_looked_for_in_the_phase() {
    // The first decode steps are slow; the prefill before them is no warm-up.
    let cold: Kernels<'_> = &[("paged_attention", 90), ("gemm", 50)];
    let mut steps = vec![PREFILL, cold, cold, cold];
    steps.extend([DECODE; 16]);
    let [control, test] = ["control", "test"].map(|label| recorded(label, &steps));
    let explanation = Explain::new(&control, &test).run().unwrap();
    assert_eq!(phases(&explanation).1, Some("A"));
    assert_eq!((&explanation.sides[0].warm_up, explanation.step.control_us), (&vec![3], 120.0));
}

#[test]
fn statistics_and_noise_are_of_the_same_phase() {
    let [control, test] = servers();
    for phase in ["", "B", "paged_attention", "all"] {
        let select = Select::default().warmup(0);
        let select = if phase.is_empty() { select } else { select.phase(phase) };
        let step = Explain::new(&control, &test).select(select.clone()).run().unwrap().step;
        let compared = StatsDiff::new(&control, &test).select(select.clone()).run().unwrap();
        let of_stats = &compared.answer.changes[0];
        let noise = Noise::of_runs(vec![control.clone().into()]).select(select).run().unwrap();
        let steps = [of_stats.control, of_stats.test, noise.step().mean_us];
        let expected = [step.control_us, step.test_us, step.control_us];
        assert!(steps.iter().zip(expected).all(|(found, step)| (found - step).abs() < 1e-9), "{phase}: {steps:?}");
        let of_phases = compared.text().starts_with("Iterations are of 2 phases, of which ");
        assert_eq!((of_phases, compared.phases.len()), if phase == "all" { (false, 0) } else { (true, 2) }, "{phase}");
    }
    // A filter and a device choose rows, not the phase.
    let gemm = Select::default().warmup(0).filter("name == gemm".parse::<Where>().unwrap());
    let compared = StatsDiff::new(&control, &test).select(gemm).run().unwrap();
    assert_eq!((compared.answer.changes[0].control, compared.phases.len()), (120.0, 2));
    let noise = Noise::of_runs(vec![control.into()]).run().unwrap();
    let sentence = "Iterations are of 2 phases, of which A is measured; --phase B measures another. A (paged_attention): 5, 120 µs a step; \
                    B (flash_fwd_kernel): 2, 820 µs a step.";
    assert_eq!(noise.sentences()[0], sentence);
}

#[test]
fn times_of_phases_count_each_run_the_same() {
    let slower: Kernels<'_> = &[("paged_attention", 80), ("gemm", 40)];
    let runs = [recorded("a", &[PREFILL, DECODE, DECODE, DECODE, DECODE]), recorded("b", &[PREFILL, slower, slower])];
    let test = recorded("test", &[PREFILL, DECODE, DECODE]);
    let explanation = Explain::of_runs(runs.map(Into::into).into(), vec![test.into()]).warmup(0).run().unwrap();
    let compared = explanation.phases.as_ref().unwrap().compared().unwrap();
    assert_eq!((compared.step_us[0], explanation.step.control_us), (Some(130.0), 130.0));
}
