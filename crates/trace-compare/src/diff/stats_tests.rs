//! Comparisons with statistics, of generated runs.
#![allow(clippy::unwrap_used)]

use crate::{
    ComparedStats, Error, LabeledTrace, LoadOptions, Noise, SelectEvents, StatsDiff, TraceSet, Unlike, Warning,
};
use statistics::{Comparability, Random, Scope};
use std::ops::ControlFlow;
use trace_testkit::{Stream, TraceBuilder};

/// Operators of a generated step, one after the other.
const OPERATORS: i64 = 16;

/// One run: `steps` iterations of 16 operators of 400 µs, each ± 1 % in an iteration and ± 0.5 % in a run, `op_3` times `slower`.
fn run(label: &str, seed: u64, steps: i64, slower: f64, extra: Option<&str>) -> LabeledTrace {
    let mut random = Random::new(seed);
    let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let of_run: Vec<f64> = (0..OPERATORS).map(|_| 1.0 + 0.005 * normal()).collect();
    let mut trace = TraceBuilder::new();
    for step in 0..steps {
        let start = step * 10_000;
        let mut at = start + 10;
        let mut operators: Vec<(String, f64)> = Vec::new();
        for (number, of_run) in (0..OPERATORS).zip(&of_run) {
            let factor = if number == 3 { slower } else { 1.0 };
            operators.push((format!("op_{number}"), 400.0 * factor * of_run * (1.0 + 0.01 * normal())));
        }
        operators.extend(extra.map(|name| (name.to_owned(), 100.0)));
        let mut inner = TraceBuilder::new();
        std::mem::swap(&mut inner, &mut trace);
        let us: i64 = operators.iter().map(|(_, us)| us.round() as i64).sum();
        inner = inner.step(step, start..start + us + 100);
        for (name, us) in operators {
            let us = us.round() as i64;
            inner = inner.operator(&name, at..at + us);
            at += us;
        }
        trace = inner;
    }
    TraceSet::from_bytes(trace.json()).unwrap().with_label(label).into()
}

fn runs(word: &str, seed: u64, count: u64, slower: f64) -> Vec<LabeledTrace> {
    (0..count).map(|at| run(&format!("{word}_{}", at + 1), seed + at, 10, slower, None)).collect()
}

fn verdict(compared: &ComparedStats, name: &str) -> String {
    let at = row(compared, name);
    compared.frame.column("verdict").unwrap().str().unwrap().get(at).unwrap().to_owned()
}

fn row(compared: &ComparedStats, name: &str) -> usize {
    let names = compared.frame.column("name").unwrap().str().unwrap();
    names.iter().position(|found| found == Some(name)).unwrap()
}

fn number(compared: &ComparedStats, name: &str, column: &str) -> Option<f64> {
    compared.frame.column(column).unwrap().f64().unwrap().get(row(compared, name))
}

#[test]
fn ranks_of_an_iteration_are_averaged() {
    let folder = tempfile::tempdir().unwrap();
    for (rank, us) in [(0, [10, 20, 30]), (1, [30, 40, 50])] {
        let mut trace = TraceBuilder::new().rank(rank);
        for (step, us) in (0..).zip(us) {
            let start = 100 * step;
            trace = trace.step(step, start..start + 90).operator("aten::mm", start + 5..start + 5 + us);
            trace = trace.runtime("cudaLaunchKernel", step + 1, start + 6..start + 7);
            trace = trace.kernel("gemm", Stream(7), start + 8..start + 28).correlation(step + 1);
        }
        std::fs::write(folder.path().join(format!("{rank}.json")), trace.json()).unwrap();
    }
    let options = LoadOptions { label: Some("a".to_owned()), ..LoadOptions::default() };
    let trace = TraceSet::load_with(folder.path(), &options, &mut |_| ControlFlow::Continue(())).unwrap();
    // Other iterations of the same recording.
    let diff = StatsDiff::new(&trace, &trace).control_iteration([0, 1, 2]).test_iteration([2, 1, 0]);
    let compared = diff.run().unwrap();
    assert_eq!(compared.answer.samples, [3, 3], "iterations, not ranks × iterations");
    assert_eq!(compared.labels, ["a_control", "a_test"]);
    assert_eq!(number(&compared, "aten::mm", "a_control_mean_duration"), Some(30.0));
    assert_eq!(number(&compared, "aten::mm", "a_control_counts"), Some(1.0));
    assert_eq!(number(&compared, "ProfilerStep", "a_test_mean_duration"), Some(90.0));
    assert_eq!(number(&compared, "gemm", "diff_duration"), Some(0.0));
    assert_eq!(verdict(&compared, "aten::mm"), "too few, 4 needed");
    let text = compared.text();
    assert!(text.starts_with("a_test is as fast as a_control a step"), "{text}");
    assert!(
        text.contains("(3 + 3 iterations): inconclusive, too few iterations: 3 on one side, 4 a side needed."),
        "{text}"
    );
    // One iteration a side: its ranks are pairs.
    let one = StatsDiff::new(&trace, &trace).control_iteration(1).test_iteration(2).run().unwrap();
    assert!(one.answer.paired && one.answer.samples == [2, 2]);
    assert_eq!(number(&one, "aten::mm", "diff_duration"), Some(10.0), "20 and 40, 30 and 50");
    assert_eq!(verdict(&one, "aten::mm"), "too few, 6 needed");
    assert!(one.sentences[1].text.contains("too few ranks: 2, 6 needed"), "{:?}", one.sentences);
    let one =
        StatsDiff::new(&trace, &trace).control_rank(1).control_iteration([0, 2]).device_type(crate::DeviceType::CPU);
    let one = one.run().unwrap();
    assert_eq!(number(&one, "aten::mm", "a_control_mean_duration"), Some(40.0));
    assert!(one.frame.column("name").unwrap().str().unwrap().iter().all(|name| name != Some("gemm")));
    let error = StatsDiff::new(&trace, &trace).control_rank(0).test_rank(1).warmup(3).run().unwrap_err();
    assert!(matches!(error, Error::NoIterationLeft { warmup: 3, .. }), "{error}");
    let noise = Noise::of_runs(vec![trace.into()]).run().unwrap();
    assert_eq!(noise.step().within, Some(0.0));
    let mm = noise.operators().iter().find(|operator| operator.name == "aten::mm").unwrap();
    assert_eq!((mm.mean_us, mm.within), (30.0, Some(1.0 / 3.0)), "20, 30, 40");
}

#[test]
fn other_shapes_of_inputs_are_warned_of() {
    let of_shape = |label: &str, rows: i64| -> LabeledTrace {
        // Equal recordings cannot be compared.
        let of_label = i64::from(label == "b");
        let mut trace = TraceBuilder::new();
        for step in 0..4 {
            let start = 100 * step;
            trace = trace.step(step, start..start + 90).operator("aten::mm", start + 5..start + 40 + step + of_label);
            trace = trace
                .arg("Input Dims", &format!("[[{rows}, 64], [64, 64]]"))
                .arg("Input type", r#"["float", "float"]"#);
        }
        TraceSet::from_bytes(trace.json()).unwrap().with_label(label).into()
    };
    let compared = |test| StatsDiff::new(of_shape("a", 8), of_shape("b", test)).run().unwrap();
    assert!(compared(8).warnings.is_empty());
    let warnings = compared(16).warnings;
    let [Warning::UnlikeRecording { what: Unlike::InputShapes, of_control, of_test, .. }] = &warnings[..] else {
        panic!("{warnings:?}")
    };
    assert!(
        of_control.starts_with("aten::mm [[8, 64], [64, 64]]") && of_test.starts_with("aten::mm [[16, 64], [64, 64]]")
    );
}

#[test]
fn slower_operator_of_a_program_is_found_in_its_runs() {
    let control = runs("control", 100, 6, 1.0);
    let compared = StatsDiff::of_runs(control.clone(), runs("test", 200, 6, 1.08)).run().unwrap();
    assert_eq!((compared.answer.scope, compared.answer.samples), (Scope::Program, [6, 6]));
    assert_eq!(verdict(&compared, "op_3"), "regression", "{}", compared.frame);
    let changed = compared.answer.changes.iter().skip(1).filter(|change| change.verdict.is_change()).count();
    assert_eq!(changed, 1, "{}", compared.frame);
    assert!(number(&compared, "op_3", "ratio").is_some_and(|ratio| (1.06..1.10).contains(&ratio)));
    let low = number(&compared, "op_3", "interval_low").unwrap();
    assert!((20.0..32.0).contains(&low), "{low}");
    assert!(compared.sentences[0].text.starts_with("test is "), "{:?}", compared.sentences);
    assert!(compared.sentences[1].text.starts_with("Between the programs (6 + 6 runs of 60 + 60 iterations): "));
    assert!(compared.comparable.is_some_and(|score| score > 0.9), "{:?}", compared.sentences);
    assert!(!compared.sentences.iter().any(|sentence| sentence.text.contains("ratio_low")), "the intervals agree");
    // With the roles exchanged, the mirrored answer.
    let mirrored = StatsDiff::of_runs(runs("test", 200, 6, 1.08), control).run().unwrap();
    assert_eq!(verdict(&mirrored, "op_3"), "improvement");
    assert_eq!(number(&mirrored, "op_3", "interval_high"), Some(-low));
}

#[test]
fn equal_programs_have_no_regression() {
    for seed in 0..5 {
        let (a, b) = (runs("control", 1000 * seed + 300, 5, 1.0), runs("test", 1000 * seed + 400, 5, 1.0));
        let one = StatsDiff::new(a[0].clone(), b[0].clone()).run().unwrap();
        assert_eq!(one.answer.scope, Scope::Recording);
        assert!(one.answer.changes.iter().all(|change| !change.verdict.is_change()), "{}", one.frame);
        assert!(matches!(one.answer.comparability, Comparability::Comparable { .. }), "{:?}", one.sentences);
        let several = StatsDiff::of_runs(a, b).run().unwrap();
        assert!(several.answer.changes.iter().all(|change| !change.verdict.is_change()), "{}", several.frame);
    }
}

#[test]
fn structure_is_certain_whatever_the_samples() {
    let control = run("control", 1, 2, 1.0, Some("aten::gelu"));
    let test = run("test", 2, 2, 1.0, Some("aten::relu"));
    let compared = StatsDiff::new(control, test).run().unwrap();
    assert_eq!(
        (verdict(&compared, "aten::gelu").as_str(), verdict(&compared, "aten::relu").as_str()),
        ("deleted", "added")
    );
    assert_eq!(verdict(&compared, "op_1"), "too few, 4 needed");
    let structure = "Structure, gone: aten::gelu (1 a step); new: aten::relu (1 a step).";
    assert!(compared.sentences.iter().any(|sentence| sentence.text == structure), "{:?}", compared.sentences);
    let one = StatsDiff::new(run("a", 1, 1, 1.0, None), run("b", 2, 1, 1.0, None)).run().unwrap();
    assert_eq!(verdict(&one, "op_1"), "too few, 4 needed");
    assert_eq!(number(&one, "op_1", "q"), None, "absent, not 0");
}

#[test]
fn three_runs_a_side_are_too_few() {
    let compared = StatsDiff::of_runs(runs("control", 10, 3, 1.0), runs("test", 20, 3, 2.0)).run().unwrap();
    assert_eq!(verdict(&compared, "op_3"), "too few, 4 needed");
    assert!(
        compared.sentences[1].text.contains("too few runs: 3 on one side, 4 a side needed"),
        "{:?}",
        compared.sentences
    );
}

#[test]
fn noise_between_runs_needs_several() {
    let one = Noise::of_runs(runs("control", 10, 1, 1.0)).run().unwrap();
    assert_eq!((one.step().between, one.step().runs_needed), (None, None));
    assert!(one.sentences()[1].starts_with("Between runs: unknown, this is one run."), "{:?}", one.sentences());
    assert_eq!(one.figure().series.len(), 1);
    let op = |noise: &crate::MeasuredNoise| noise.operators().iter().find(|row| row.name == "op_5").unwrap().clone();
    let within = op(&one).within.unwrap();
    assert!((0.004..0.02).contains(&within), "{within}");
    let several = Noise::of_runs(runs("control", 10, 8, 1.0)).run().unwrap();
    let op = op(&several);
    let between = op.between.unwrap();
    assert!((0.002..0.012).contains(&between), "{between}");
    assert_eq!(op.runs_needed, statistics::needed(between, 0.01, 0.05));
    assert!(op.smallest_change.unwrap() > 0.0 && op.iterations_needed.unwrap() > 4);
    assert_eq!(several.frame().unwrap().height(), 17);
    assert_eq!(several.figure().series.len(), 2);
    assert!(several.sentences()[1].contains("8 + 8 runs show"), "{:?}", several.sentences());
}
