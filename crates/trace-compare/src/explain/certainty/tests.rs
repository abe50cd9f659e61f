//! Certainty of hand-made timelines and of recorded programs.

use super::quantities::Quantities;
use crate::{Execution, Explain, Explanation, SampleKind, SelectEvents, TraceSet};
use statistics::{Comparability, Scope, TestKind, Verdict};
use std::slice::from_ref;
use trace_testkit::{Stream, TraceBuilder};

/// Kernels a step; with names of their own, so that each is a region.
const KERNELS: i64 = 12;

/// A rank with one iteration for each of `factors`: twelve kernels of 10 µs times the factor; `slower` is added to the first one. Where
/// `is_other`, the last kernel has another name.
fn rank(number: i64, factors: &[f64], slower: i64, is_other: bool) -> String {
    let mut trace = TraceBuilder::new();
    for (iteration, factor) in (1..).zip(factors) {
        let begin = iteration * 10_000;
        trace = trace.step(iteration, begin..begin + (600.0 * factor) as i64);
        for kernel in 0..KERNELS {
            let (id, at) = (iteration * 100 + kernel, begin + 2 + kernel * 40);
            let length = (10.0 * factor) as i64 + if kernel == 0 { slower } else { 0 };
            let name =
                if is_other && kernel == KERNELS - 1 { "relu_kernel".to_owned() } else { format!("gemm_{kernel}") };
            let operator =
                if is_other && kernel == KERNELS - 1 { "aten::relu".to_owned() } else { format!("aten::op_{kernel}") };
            trace = trace
                .operator(&operator, at..at + 4)
                .runtime("cudaLaunchKernel", id, at + 1..at + 2)
                .kernel(&name, Stream(7), at + 5..at + 5 + length)
                .correlation(id);
        }
    }
    trace.rank(number).json()
}

fn run(label: &str, ranks: &[String]) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for (number, json) in ranks.iter().enumerate() {
        std::fs::write(folder.path().join(format!("rank{number}.json")), json).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label(label)
}

fn explained(control: &[TraceSet], test: &[TraceSet]) -> Explanation {
    let side = |runs: &[TraceSet]| runs.iter().map(Into::into).collect();
    Explain::of_runs(side(control), side(test)).run().unwrap()
}

const QUIET: [f64; 6] = [1.0, 1.1, 1.0, 1.2, 1.1, 1.0];

#[test]
fn ranks_of_an_iteration_are_one_sample() {
    let job = |label, slower| run(label, &[rank(0, &QUIET, slower, false), rank(1, &[1.2; 6], slower, false)]);
    let explanation = explained(&[job("a", 0)], &[job("b", 5)]);
    assert_eq!(explanation.sides[0].samples, 12);
    assert_eq!((explanation.certainty().samples, explanation.certainty().scope), ([6, 6], Scope::Recording));
    let quantities = Quantities::of(&explanation).unwrap();
    // Steps of 600 and 720 µs: the mean of both ranks.
    assert_eq!(quantities.values[0].control.values()[0], 660_000.0);
    assert!(
        explanation.sentences().contains("Between these recordings (6 + 6 iterations): "),
        "{}",
        explanation.sentences()
    );
}

#[test]
fn slower_region_between_unchanged_ones_is_a_regression() {
    let factors = [QUIET, QUIET].concat();
    let explanation =
        explained(&[run("a", &[rank(0, &factors, 0, false)])], &[run("b", &[rank(0, &factors, 5, false)])]);
    let certainty = explanation.certainty();
    assert_eq!(certainty.comparability, Comparability::Comparable { score: 1.0 });
    let rows = explanation.rows();
    for (row, judged) in rows.iter().zip(&certainty.regions) {
        let judged = judged.unwrap();
        let is_slower = row.kernel == "gemm_0";
        assert_eq!(judged.verdict == Verdict::Regression, is_slower, "{} {judged:?}", row.kernel);
        let [low, high] = judged.interval_us.unwrap();
        assert!(low <= row.delta_us && row.delta_us <= high, "{} {judged:?}", row.kernel);
    }
    assert_eq!(explanation.structure(), []);
    let whole: Vec<Vec<usize>> = vec![rows.iter().map(|row| row.id).collect(), vec![0]];
    assert_eq!(explanation.judge(&whole)[1].verdict, Verdict::Regression);
}

#[test]
fn what_matters_can_be_named() {
    let factors = [QUIET, QUIET].concat();
    let (a, b) = (run("a", &[rank(0, &factors, 0, false)]), run("b", &[rank(0, &factors, 3, false)]));
    let verdict = |share: f64| {
        let explanation = Explain::new(&a, &b).relevant(share).run().unwrap();
        let index = explanation.rows().iter().position(|row| row.kernel == "gemm_0").unwrap();
        let judged = explanation.certainty().regions[index].unwrap();
        let again = explanation.judge(&[vec![index]])[0].verdict;
        assert_eq!(std::mem::discriminant(&again), std::mem::discriminant(&judged.verdict), "{share}");
        judged.verdict
    };
    // A kernel of 10 to 12 µs is 3 µs slower: 25 to 30 %.
    assert_eq!(verdict(0.01), Verdict::Regression);
    assert!(matches!(verdict(0.27), Verdict::Inconclusive(_)));
    assert_eq!(verdict(0.6), Verdict::NoRelevantChange);
    let stats = |share: f64| crate::StatsDiff::new(&a, &b).relevant(share).run().unwrap();
    let of = |share: f64, verdict: &str| {
        let frame = stats(share).frame;
        let words = frame.column("verdict").unwrap().str().unwrap();
        words.iter().flatten().filter(|word| *word == verdict).count()
    };
    assert!(of(0.01, "regression") > 0 && of(0.6, "regression") == 0 && of(0.6, "no relevant change") > 0);
}

#[test]
fn exchanged_sides_have_the_mirrored_answer() {
    let (a, b) = (run("a", &[rank(0, &QUIET, 0, false)]), run("b", &[rank(0, &[1.0; 6], 6, false)]));
    let (one, other) = (explained(from_ref(&a), from_ref(&b)), explained(from_ref(&b), from_ref(&a)));
    let (one, other) = (one.certainty(), other.certainty());
    let mirrored = |verdict: Verdict| match verdict {
        Verdict::Regression => Verdict::Improvement,
        Verdict::Improvement => Verdict::Regression,
        same => same,
    };
    assert_eq!(one.step.verdict, mirrored(other.step.verdict));
    let ends = |interval: Option<[f64; 2]>| interval.map(|[low, high]| [-high, -low]);
    assert_eq!(one.step.interval_us, ends(other.step.interval_us));
    for (one, other) in one.regions.iter().flatten().zip(other.regions.iter().flatten()) {
        assert_eq!((one.verdict, one.q), (mirrored(other.verdict), other.q));
    }
}

#[test]
fn one_iteration_a_side_has_no_verdict() {
    let explanation = explained(&[run("a", &[rank(0, &[1.0], 0, false)])], &[run("b", &[rank(0, &[1.0], 9, false)])]);
    let json = explanation.to_json();
    assert!(json["step"]["interval_ns"].is_null() && json["step"]["p"].is_null() && json["step"]["q"].is_null());
    assert_eq!(json["step"]["verdict"], "too few, 4 needed");
    assert!(json["comparable"].is_null() && json["noise_floor"]["gpu"].is_null());
    let text = explanation.sentences();
    assert!(text.contains("noise unknown: one iteration a side, 4 needed"), "{text}");
}

#[test]
fn ranks_of_one_iteration_are_compared_in_pairs() {
    // Ranks differ by up to 12 %; of those of test, gemm_0 takes 18 to 20 % longer.
    let job = |label, slower| {
        run(label, &(0..8).map(|at| rank(at, &[3.0 + 0.05 * at as f64], slower, false)).collect::<Vec<_>>())
    };
    let explanation = explained(&[job("a", 0)], &[job("b", 6)]);
    let certainty = explanation.certainty();
    assert_eq!((certainty.kind, certainty.samples, certainty.scope), (SampleKind::Ranks, [8, 8], Scope::Recording));
    for (row, judged) in explanation.rows().iter().zip(&certainty.regions) {
        let is_slower = row.kernel == "gemm_0";
        assert_eq!(judged.unwrap().verdict == Verdict::Regression, is_slower, "{} {judged:?}", row.kernel);
    }
    let text = explanation.sentences();
    assert!(text.contains("Between these recordings, across ranks (8 ranks of one iteration): "), "{text}");
    let json = explanation.to_json();
    assert_eq!((&json["step"]["samples"], &json["step"]["n"]), (&"ranks".into(), &serde_json::json!([8, 8])));
    assert_eq!(json["scope"], "recording");
    assert_eq!(explanation.histogram("step").unwrap().series[0].y.iter().sum::<f64>(), 8.0);
    // Other ranks are no pairs, and two ranks are too few.
    let unlike = Explain::new(job("a", 0), job("b", 6)).control_rank([0, 1]).test_rank([2, 3]).run().unwrap();
    assert_eq!((unlike.certainty().kind, unlike.certainty().samples), (SampleKind::Iterations, [1, 1]));
    let two = Explain::new(job("a", 0), job("b", 6)).control_rank([0, 1]).test_rank([0, 1]).run().unwrap();
    assert!(two.sentences().contains("too few ranks: 2, 6 needed, or 4 iterations a side"), "{}", two.sentences());
}

#[test]
fn classes_without_time_have_no_verdict() {
    let explanation = explained(&[run("a", &[rank(0, &QUIET, 0, false)])], &[run("b", &[rank(0, &QUIET, 5, false)])]);
    let json = explanation.to_json();
    let classes = json["classes"].as_array().unwrap();
    let communication = classes.iter().find(|class| class["class"] == "exposed_communication").unwrap();
    assert!(communication["verdict"].is_null() && communication["control_ns"] == 0.0, "{communication}");
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let factors = [QUIET, QUIET].concat();
    let jobs = ["a", "b"].map(|label| {
        let slower = if label == "b" { 3 } else { 0 };
        run(label, &(0..4).map(|at| rank(at, &factors, slower, false)).collect::<Vec<_>>())
    });
    let with = |threads: usize| {
        Execution::new().threads(threads).run(|| explained(&jobs[..1], &jobs[1..]).to_json().to_string())
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

#[test]
fn two_iterations_are_too_few() {
    let explanation =
        explained(&[run("a", &[rank(0, &[1.0, 1.1], 0, false)])], &[run("b", &[rank(0, &[1.0, 1.1], 9, false)])]);
    let text = explanation.sentences();
    assert!(text.contains("too few iterations: 2 on one side, 4 a side needed"), "{text}");
}

#[test]
fn runs_are_the_samples_of_programs() {
    let runs = |label: &str, slower: i64| -> Vec<TraceSet> {
        let factors = [1.0, 1.1, 1.0, 1.2, 1.1];
        let of = |run_number: usize| {
            let factors: Vec<f64> = (0..5).map(|at| factors[(at + run_number) % 5]).collect();
            run(&format!("{label}{run_number}"), &[rank(0, &factors, slower, slower > 0)])
        };
        (0..4).map(of).collect()
    };
    let explanation = explained(&runs("a", 0), &runs("b", 8));
    let certainty = explanation.certainty();
    assert_eq!((certainty.scope, certainty.samples), (Scope::Program, [4, 4]));
    let text = explanation.sentences();
    assert!(text.contains("Between the programs (4 + 4 runs of 20 + 20 iterations)"), "{text}");
    assert!(!text.contains("cannot be told"), "{text}");
    let structure = explanation.structure();
    let found: Vec<(&str, f64, f64)> =
        structure.iter().map(|change| (change.operator.as_str(), change.control, change.test)).collect();
    assert_eq!(found, [("aten::op_11", 1.0, 0.0), ("aten::relu", 0.0, 1.0)]);
    assert!(text.contains("gone: aten::op_11 (1 a step); new: aten::relu (1 a step)"), "{text}");
}

#[test]
fn outlier_is_named_with_its_part() {
    let mut factors = vec![1.0, 1.1, 1.0, 1.1, 1.0, 1.1, 1.0, 1.1];
    factors[5] = 1.5;
    let explanation =
        explained(&[run("a", &[rank(0, &factors, 0, false)])], &[run("b", &[rank(0, &[1.0; 8], 0, false)])]);
    let outliers = explanation.outliers();
    assert_eq!(outliers.len(), 1, "{outliers:?}");
    assert_eq!((outliers[0].label.as_str(), outliers[0].iteration, outliers[0].step_us), ("a", 6, 900.0));
    assert!(outliers[0].part.starts_with("idle: ") && outliers[0].part_us > 100.0, "{outliers:?}");
}

#[test]
fn histograms_count_every_iteration_of_both_sides() {
    let explanation = explained(
        &[run("a", &[rank(0, &QUIET, 0, false)])],
        &[run("b", &[rank(0, &[1.0, 1.5], 5, false), rank(1, &[1.0, 1.5], 5, false)])],
    );
    for part in ["step", "compute", "idle", "exposed copy", "aten::op_0", "gemm_3"] {
        let figure = explanation.histogram(part).unwrap();
        let counts: Vec<f64> = figure.series.iter().map(|series| series.y.iter().sum()).collect();
        assert_eq!(counts, [6.0, 2.0], "{part}");
        assert!(figure.series.iter().all(|series| series.x.len() == series.y.len() && series.y.last() == Some(&0.0)));
    }
    // 600 to 900 µs; the values at the ends are in the first and the last bin.
    let step = explanation.histogram("step").unwrap();
    assert_eq!((step.series[0].y[1], step.series[1].y.iter().rev().nth(1)), (3.0, Some(&1.0)));
    let error = explanation.histogram("aten::gone").unwrap_err().to_string();
    assert!(
        error.starts_with("unknown part `aten::gone`: expected step, a class") && error.contains("aten::op_0"),
        "{error}"
    );
}

#[test]
fn slow_first_iterations_are_warm_up_unless_told_otherwise() {
    let mut factors = vec![2.0, 1.9, 2.1];
    factors.extend((0..21).map(|at| 1.0 + f64::from(at % 3) / 100.0));
    let runs = || (run("a", &[rank(0, &factors, 0, false)]), run("b", &[rank(0, &factors[3..], 0, false)]));
    let (a, b) = runs();
    let explanation = Explain::new(&a, &b).run().unwrap();
    assert_eq!((&explanation.sides[0].warm_up, &explanation.sides[1].warm_up), (&vec![3], &vec![0]));
    assert_eq!(explanation.sides[0].iterations.first(), Some(&4));
    let text = explanation.sentences();
    assert!(text.contains("Left out as warm-up: 3 first iterations of a (--warmup 0 keeps them)."), "{text}");
    let [control, _] = explanation.coverage();
    assert!(control.reasons().any(|(reason, _, events)| reason.word() == "warm-up" && events == 36));
    let all = Explain::new(&a, &b).warmup(0).run().unwrap();
    assert_eq!((all.sides[0].samples, &all.sides[0].warm_up), (24, &vec![0]));
}

#[test]
fn every_method_finds_the_slower_region() {
    let factors = [QUIET, QUIET].concat();
    let (a, b) = (run("a", &[rank(0, &factors, 0, false)]), run("b", &[rank(0, &factors, 6, false)]));
    let mut found = Vec::new();
    for method in [TestKind::MannWhitney, TestKind::Welch, TestKind::Permutation, TestKind::BrunnerMunzel] {
        let explanation = Explain::new(&a, &b).method(method).run().unwrap();
        let index = explanation.rows().iter().position(|row| row.kernel == "gemm_0").unwrap();
        found.push(explanation.certainty().regions[index].unwrap().p.unwrap());
    }
    assert!(found.iter().all(|&p| p < 0.01), "{found:?}");
    // The others' p are smaller than that of the unchanged regions, which bounds them from below.
    assert!(found[0] != found[2], "{found:?}");
}

/// The runs of a folder of shared traces.
fn shared(folder: &str, runs: &[&str]) -> Option<Vec<TraceSet>> {
    let Some(shared) = std::env::var_os("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return None;
    };
    let folder = std::path::Path::new(&shared).join("traces").join(folder);
    let load = |run: &&str| TraceSet::load(folder.join(run)).unwrap().with_label(*run);
    Some(runs.iter().map(load).collect())
}

fn is_regression_anywhere(explanation: &Explanation) -> bool {
    explanation.certainty().verdicts().any(|verdict| verdict == Verdict::Regression)
}

#[test]
fn recordings_of_one_program_are_no_regression() {
    let Some(runs) = shared("recorded_iterations", &["control", "control_again"]) else { return };
    for (control, test) in [(0, 1), (1, 0)] {
        let explanation = explained(&runs[control..=control], &runs[test..=test]);
        let certainty = explanation.certainty();
        assert!(matches!(certainty.comparability, Comparability::NotComparable { .. }), "{certainty:?}");
        assert!(!is_regression_anywhere(&explanation));
        assert!(
            explanation.sentences().starts_with("These recordings are not comparable"),
            "{}",
            explanation.sentences()
        );
    }
}

#[test]
fn recordings_of_two_programs_lead_with_their_structure() {
    let Some(runs) = shared("recorded_iterations", &["control", "test"]) else { return };
    let explanation = explained(&runs[..1], &runs[1..]);
    let structure = explanation.structure();
    let of = |name: &str| {
        structure.iter().find(|change| change.operator == name).map(|change| (change.control, change.test))
    };
    println!("{}", explanation.sentences());
    assert!(of("aten::gelu").is_some_and(|(control, test)| control > 0.0 && test == 0.0), "{structure:?}");
    assert!(of("aten::clamp_min").is_some_and(|(control, test)| control == 0.0 && test > 0.0), "{structure:?}");
    assert!(of("aten::copy_").is_some_and(|(control, test)| control < test), "{structure:?}");
}

#[test]
fn recorded_runs_of_one_program_are_no_regression() {
    let names = ["control-1", "control-2", "control-3", "control-4", "test-1", "test-2", "test-3", "test-4"];
    let Some(runs) = shared("recorded_runs", &names) else { return };
    let (control, test) = runs.split_at(4);
    for side in [control, test] {
        // All ways to divide four runs, in both directions: by the runs of the first side.
        for chosen in 1_usize..15 {
            let of = |is_first: bool| -> Vec<TraceSet> {
                (0..4).filter(|at| (chosen >> at & 1 == 1) == is_first).map(|at| side[at].clone()).collect()
            };
            let explanation = explained(&of(true), &of(false));
            assert!(!is_regression_anywhere(&explanation), "{chosen}: {}", explanation.sentences());
            assert_eq!(explanation.structure(), []);
        }
    }
    let explanation = explained(control, test);
    println!("{}", explanation.sentences());
    let structure = explanation.structure();
    let is_conversion = |name: &str| matches!(name, "aten::to" | "aten::_to_copy");
    assert!(structure.iter().any(|one| is_conversion(&one.operator) && one.control < one.test), "{structure:?}");
}

#[test]
fn calls_of_two_vendors_are_no_change_of_structure() {
    let mut trace = TraceBuilder::new();
    for iteration in 1..7 {
        let begin = iteration * 10_000;
        trace = trace
            .step(iteration, begin..begin + 900)
            .runtime("cudaGraphLaunch", iteration, begin + 10..begin + 20)
            .kernel("gemm", Stream(7), begin + 30..begin + 60)
            .correlation(iteration)
            .kernel("relu", Stream(7), begin + 60..begin + 90)
            .correlation(iteration)
            .operator("aten::cudnn_convolution", begin + 100..begin + 120)
            .runtime("cudaLaunchKernel", 100 + iteration, begin + 101..begin + 105)
            .kernel("conv", Stream(7), begin + 130..begin + 200)
            .correlation(100 + iteration)
            .operator("aten::item", begin + 300..begin + 320)
            .runtime("cudaStreamSynchronize", 200 + iteration, begin + 301..begin + 310);
    }
    let nvidia = trace.json();
    let amd = nvidia.replace("cudaLaunchKernel", "hipExtModuleLaunchKernel").replace("cuda", "hip");
    let amd = amd.replace("cudnn_convolution", "miopen_convolution");
    let explanation = explained(&[run("a", &[nvidia])], &[run("b", &[amd])]);
    assert!(explanation.structure().is_empty(), "{:?}", explanation.structure());
    let waits = explanation.waits();
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert_eq!((waits[0].call.as_str(), waits[0].calls), ("cudaStreamSynchronize → hipStreamSynchronize", [1.0, 1.0]));
    let text = explanation.sentences();
    assert!(!text.contains("Structure") && !text.contains("wait for the GPU"), "{text}");
}
