//! Runs that keep different numbers of iterations: every answer names the same step.

use crate::{
    Explain, Explanation, Gate, LabeledTrace, Noise, RunTimes, SelectEvents, StatsDiff, TraceSet, WaterfallLevel,
};
use std::collections::BTreeMap;
use trace_testkit::{Stream, TraceBuilder};

/// A rank with steps of so many µs, half of which is a kernel.
fn rank(number: i64, steps: &[i64]) -> String {
    let mut trace = TraceBuilder::new().rank(number);
    for (iteration, us) in (1..).zip(steps) {
        let at = 1_000 * iteration;
        trace = trace
            .step(iteration, at..at + us)
            .operator("aten::mm", at + 5..at + 30)
            .runtime("cudaLaunchKernel", iteration, at + 10..at + 20)
            .kernel("gemm", Stream(7), at + 30..at + 30 + us / 2)
            .correlation(iteration);
    }
    trace.json()
}

fn run(label: &str, ranks: &[&[i64]]) -> LabeledTrace {
    let folder = tempfile::tempdir().unwrap();
    for (number, steps) in (0..).zip(ranks) {
        std::fs::write(folder.path().join(format!("rank{number}.json")), rank(number, steps)).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label(label).into()
}

/// Runs with means of 100 and 200 µs, of four iterations and of one; and of 120 and 240 µs, of two and of five.
fn sides() -> [Vec<LabeledTrace>; 2] {
    let control = vec![run("c_1", &[&[90, 110, 90, 110]]), run("c_2", &[&[200]])];
    let test = vec![run("t_1", &[&[120; 2]]), run("t_2", &[&[240; 5]])];
    [control, test]
}

fn explained([control, test]: [Vec<LabeledTrace>; 2]) -> Explanation {
    Explain::of_runs(control, test).warmup(0).run().unwrap()
}

fn close(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-9, "{one} {other}");
}

/// The sums that `steps()` makes of a column.
fn weighted(explanation: &Explanation, column: &str) -> BTreeMap<String, f64> {
    let steps = explanation.steps().unwrap();
    let side = steps.column("side").unwrap().str().unwrap();
    let (weight, ns) = (steps.column("weight").unwrap().f64().unwrap(), steps.column(column).unwrap().i64().unwrap());
    let mut sums = BTreeMap::new();
    for row in 0..steps.height() {
        let sum: &mut f64 = sums.entry(side.get(row).unwrap().to_owned()).or_default();
        *sum += weight.get(row).unwrap() * ns.get(row).unwrap() as f64;
    }
    sums
}

#[test]
fn every_answer_names_the_same_step() {
    let explanation = explained(sides());
    // Means of runs: (100 + 200) ÷ 2, (120 + 240) ÷ 2. Over all iterations they would be 120 and 205.7.
    assert_eq!(
        (explanation.step.control_us, explanation.step.test_us, explanation.step.delta_us),
        (150.0, 180.0, 30.0)
    );
    let mut names: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    let figure = explanation.waterfall(WaterfallLevel::Operator);
    let bars = &figure.series[0].y;
    names.insert("waterfall", [bars[0], bars[bars.len() - 1]]);
    let tree = explanation.tree();
    let top = |side: usize| tree.rows().iter().filter(|row| row.parent.is_none()).map(|row| row.us[side]).sum();
    names.insert("tree", [top(0), top(1)]);
    let of_json =
        |json: &serde_json::Value| ["control_ns", "test_ns"].map(|of| json["step"][of].as_f64().unwrap() / 1e3);
    names.insert("document", of_json(&explanation.to_json()));
    names.insert("document of the tree", of_json(&tree.to_json()));
    let [control, test] = sides();
    let stats = StatsDiff::of_runs(control, test).warmup(0).run().unwrap();
    let mean = |column: &str| stats.frame.column(column).unwrap().f64().unwrap().get(0).unwrap();
    names.insert("stats", [mean("control_mean_duration"), mean("test_mean_duration")]);
    names.insert("gate", Gate::new(Vec::new()).judge(&explanation).unwrap().step_us);
    let noise = sides().map(|runs| Noise::of_runs(runs).warmup(0).run().unwrap().step().mean_us);
    names.insert("noise", noise);
    // A history has each run; the step of a side is their mean.
    let runs = sides().map(|runs| {
        let steps = runs.into_iter().map(|run| RunTimes::of(run).unwrap().step_us).collect::<Vec<_>>();
        statistics::mean(&steps)
    });
    names.insert("history", runs);
    let sums = weighted(&explanation, "step_ns");
    names.insert("samples", ["control", "test"].map(|side| sums[side] / 1e3));
    for (answer, us) in names {
        assert!((us[0] - 150.0).abs() < 1e-9 && (us[1] - 180.0).abs() < 1e-9, "{answer}: {us:?}");
    }
    for text in [explanation.sentences(), stats.text()] {
        assert!(text.contains("150 µs → 180 µs"), "{text}");
    }
}

#[test]
fn parts_of_unequal_runs_add_up_to_the_step() {
    let explanation = explained(sides());
    let found = &explanation.found;
    let classes: i128 = found.classes.iter().map(|(_, change)| change.numerator()).sum();
    assert_eq!(classes + found.idle_ns.numerator(), found.step_ns.numerator());
    let regions: i128 = found.regions.iter().map(|region| region.attributed_ns.numerator()).sum();
    assert_eq!(regions + found.unattributed_ns.numerator(), classes);
    assert_eq!(found.idle.iter().map(|(_, change)| change.numerator()).sum::<i128>(), found.idle_ns.numerator());
    // Half of each step is the kernel.
    let [row] = &explanation.rows()[..] else { panic!("one region") };
    assert_eq!((row.attributed_us, row.count, row.cost_part_us), ([75.0, 90.0], [1.0, 1.0], 15.0));
    // What is tested is what is named.
    let json = explanation.to_json();
    let weights = json["control"]["weights"].as_array().unwrap();
    let weights: Vec<f64> = weights.iter().map(|sample| sample["weight"].as_f64().unwrap()).collect();
    assert_eq!(weights, [0.125, 0.125, 0.125, 0.125, 0.5]);
    assert_eq!(json["regions"][0]["control"]["gpu_ns"], 75_000.0);
    assert_eq!(json["regions"][0]["control"]["gpu_total_ns"], 300_000);
}

#[test]
fn intervals_are_around_the_change_that_is_named() {
    let side = |label: &str, more: i64| -> Vec<LabeledTrace> {
        let steps: [&[i64]; 5] = [&[100; 4], &[120], &[140; 3], &[110; 9], &[130; 2]];
        let longer = |steps: &[i64]| steps.iter().map(|us| us + more).collect::<Vec<i64>>();
        (1..).zip(steps).map(|(at, steps)| run(&format!("{label}_{at}"), &[&longer(steps)])).collect()
    };
    let explanation = explained([side("c", 0), side("t", 40)]);
    close(explanation.step.delta_us, 40.0);
    let [low, high] = explanation.certainty().step.interval_us.unwrap();
    assert!(low < 40.0 && 40.0 < high, "{low} {high}");
    close(explanation.step.control_us, 120.0);
}

#[test]
fn ranks_of_an_iteration_share_its_weight() {
    // Rank 1 has the first iteration only: (100 + 300) ÷ 2 there, 400 in the second one.
    let job = run("a", &[&[100, 400], &[300]]);
    let explanation = explained([vec![job.clone()], vec![job]]);
    assert_eq!(explanation.step.control_us, 300.0);
    assert_eq!(explanation.certainty().iterations, [2, 2]);
    let sums = weighted(&explanation, "compute_ns");
    close(sums["control"], 150_000.0);
}

#[test]
fn runs_without_a_common_multiple_add_up() {
    // The least common multiple of these numbers of iterations is above 2³²: weights are rounded, sums are not.
    let runs = || {
        let lengths = [41, 43, 47, 49, 53, 59].into_iter().zip(0..);
        lengths.map(|(length, at)| run(&format!("r_{at}"), &[&vec![100 + 10 * at; length]])).collect::<Vec<_>>()
    };
    let explanation = explained([runs(), runs()]);
    assert!((explanation.step.control_us - 125.0).abs() < 1e-5, "{}", explanation.step.control_us);
    assert_eq!(explanation.step.delta_us, 0.0);
    let found = &explanation.found;
    let classes: i128 = found.classes.iter().map(|(_, change)| change.control.weighted).sum();
    assert_eq!(classes + found.idle_ns.control.weighted, found.step_ns.control.weighted);
    assert_eq!(found.regions.iter().map(|region| region.attributed_ns.control.weighted).sum::<i128>(), classes);
}

#[test]
fn equal_runs_need_no_weights() {
    let runs = || vec![run("a", &[&[100, 200]]), run("b", &[&[300, 500]])];
    let explanation = explained([runs(), runs()]);
    assert_eq!(explanation.step.control_us, 275.0);
    assert!(explanation.to_json()["control"]["weights"].is_null());
    assert_eq!(explanation.found.step_ns.control.weight, 4);
}
