//! Baselines and histories of made-up and of traced runs.

use super::*;
use crate::{Error, Gate, LabeledTrace, Limit, Outcome, TraceSet};
use statistics::Random;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{Part, Present};

/// A run of twelve regions with noise of 1 %; region 2 takes `factor` times as long.
fn times(seed: u64, factor: f64) -> RunTimes {
    let mut random = Random::new(seed);
    // Sums of uniform numbers are near enough to normal ones.
    let mut noise = move || 1.0 + 0.01 * ((0..12).map(|_| random.below(1_000) as f64 / 1e3).sum::<f64>() - 6.0);
    let region = |number: usize, us: f64| RegionTime {
        key: format!("{number:016x}"),
        module: format!("Block_{}", number / 4),
        operator: format!("aten::op{number}"),
        kernel: format!("kernel{number}"),
        class: "compute",
        us,
        count: 2.0,
    };
    let regions: Vec<RegionTime> = (0..12)
        .map(|number| region(number, 100.0 * (number + 1) as f64 * noise() * if number == 2 { factor } else { 1.0 }))
        .collect();
    let compute = regions.iter().map(|region| region.us).sum();
    let classes = vec![("compute", compute), ("idle", 50.0 * noise())];
    let step_us = classes.iter().map(|(_, us)| us).sum();
    RunTimes { label: format!("run-{seed}"), samples: 10, step_us, classes, regions }
}

fn baseline(runs: u64) -> Baseline {
    let mut baseline = Baseline::new("main");
    (1..=runs).for_each(|seed| baseline.add(&times(seed, 1.0)));
    baseline
}

fn gate(limits: &[&str]) -> Gate {
    Gate::new(limits.iter().map(|limit| Limit::parse(limit).unwrap()).collect())
}

#[test]
fn later_runs_are_judged_by_prediction_intervals() {
    let baseline = baseline(8);
    let limits = ["5%", "class:compute=5%", "aten::op2=15%", "Block_1=5%"];
    let same = gate(&limits).judge_run(&baseline, &times(100, 1.0)).unwrap();
    assert_eq!(same.outcome(), Outcome::Passed, "{:?}", same.cases);
    assert!(same.changed.is_empty() && same.facts.is_empty(), "{:?}", same.changed);
    assert_eq!(same.scope_words(), "1 run against a baseline of 8 runs");
    let slower = gate(&limits).judge_run(&baseline, &times(101, 1.5)).unwrap();
    let outcomes: Vec<Outcome> = slower.cases.iter().map(|case| case.outcome).collect();
    assert_eq!(outcomes, [Outcome::Passed, Outcome::Passed, Outcome::Exceeded, Outcome::Passed], "{:?}", slower.cases);
    let named: Vec<String> = slower.regressions().map(|region| region.called()).collect();
    assert_eq!(named, ["aten::op2 · kernel2"]);
    let faster = gate(&limits[2..3]).judge_run(&baseline, &times(102, 0.5)).unwrap();
    assert_eq!(faster.improvements().count(), 1);
    assert_eq!(faster.outcome(), Outcome::Passed);
}

#[test]
fn the_interval_is_that_of_one_more_run() {
    let mut baseline = Baseline::new("main");
    for (seed, us) in [98.0, 100.0, 101.0, 101.0].into_iter().enumerate() {
        baseline.add(&RunTimes { step_us: us, ..times(seed as u64, 1.0) });
    }
    let run = RunTimes { step_us: 110.0, ..times(9, 1.0) };
    let answer = gate(&["3%"]).judge_run(&baseline, &run).unwrap();
    // t(3) = 3.1824 · s = √2 · √(1 + 1/4)
    let half = 3.182_446 * (2.0_f64 * 1.25).sqrt() / 100.0;
    let [estimate, low, high] = answer.cases[0].growth.unwrap();
    assert!(
        (estimate - 0.10).abs() < 1e-9 && (low - (0.10 - half)).abs() < 1e-5 && (high - (0.10 + half)).abs() < 1e-5
    );
    assert_eq!(answer.cases[0].outcome, Outcome::Exceeded, "{:?}", answer.cases[0]);
}

#[test]
fn false_alarms_against_a_baseline_are_rare() {
    let mut alarms = 0;
    for repetition in 0..100 {
        let mut baseline = Baseline::new("main");
        (0..6).for_each(|seed| baseline.add(&times(1_000 * repetition + seed, 1.0)));
        let answer = gate(&["1%"]).judge_run(&baseline, &times(1_000 * repetition + 900, 1.0)).unwrap();
        alarms += usize::from(!answer.changed.is_empty() || answer.outcome() == Outcome::Exceeded);
    }
    assert!(alarms <= 8, "{alarms} of 100");
}

#[test]
fn small_baselines_are_too_few() {
    let answer = gate(&["5%"]).judge_run(&baseline(3), &times(100, 3.0)).unwrap();
    assert_eq!(answer.outcome(), Outcome::Inconclusive);
    assert!(
        answer.sentence().contains("too few") && answer.sentence().contains("Add runs to the baseline: 4"),
        "{}",
        answer.sentence()
    );
    assert!(answer.changed.is_empty());
    let one = gate(&["5%"]).judge_run(&baseline(1), &times(100, 3.0)).unwrap();
    assert_eq!(one.outcome(), Outcome::Inconclusive);
}

#[test]
fn new_and_missing_regions_are_facts() {
    let mut run = times(100, 1.0);
    let mut gone = run.regions.remove(4);
    gone.key = "new".to_owned();
    gone.operator = "aten::fresh".to_owned();
    run.regions.push(gone);
    run.regions[0].count = 3.0;
    let answer = gate(&["aten::fresh=5%", "aten::op4=5%"]).judge_run(&baseline(6), &run).unwrap();
    assert_eq!(answer.structure(), "added: aten::fresh; deleted: aten::op4; other count: aten::op0 2 → 3 a step");
    let outcomes: Vec<Outcome> = answer.cases.iter().map(|case| case.outcome).collect();
    assert_eq!(outcomes, [Outcome::Exceeded, Outcome::Passed]);
    let unknown = gate(&["aten::none=5%"]).judge_run(&baseline(6), &run);
    assert!(matches!(unknown, Err(Error::UnknownRegion { .. })));
}

#[test]
fn files_return_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".tracebook/baselines.json");
    assert!(Baselines::read(&path).unwrap().all().is_empty());
    let mut baselines = Baselines::default();
    baselines.insert(baseline(3));
    baselines.insert(Baseline { name: "other".to_owned(), ..baseline(5) });
    baselines.insert(baseline(4));
    baselines.write(&path).unwrap();
    let mut read = Baselines::read(&path).unwrap();
    assert_eq!(read, baselines);
    let names: Vec<(&str, usize)> = read.all().iter().map(|one| (one.name.as_str(), one.runs.len())).collect();
    assert_eq!(names, [("main", 4), ("other", 5)]);
    assert!(read.get("main").unwrap().contains(&times(4, 1.0)) && !read.get("main").unwrap().contains(&times(5, 1.0)));
    assert!(read.remove("main") && !read.remove("main"));
    // Every truncated or changed file is refused with a message, and stays as it is.
    let text = std::fs::read_to_string(&path).unwrap();
    for end in (0..text.len() - 2).step_by(97) {
        std::fs::write(&path, &text[..end]).unwrap();
        let message = Baselines::read(&path).unwrap_err().to_string();
        assert!(message.contains("damaged") && message.contains("baselines.json"), "{message}");
    }
    for (wrong, reason) in [
        (text.replacen("\"version\": 1", "\"version\": 9", 1), "update tracebook"),
        (text.replacen("\"step_us\": [", "\"step_us\": [-1.0,", 1), "do not belong to 4 runs"),
        (text.replacen("\"runs\": [", "\"runs\": 3, \"x\": [", 1), "damaged"),
    ] {
        assert_ne!(wrong, text);
        std::fs::write(&path, &wrong).unwrap();
        let message = Baselines::read(&path).unwrap_err().to_string();
        assert!(message.contains(reason), "{message}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), wrong);
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(Baselines::read(&path).unwrap_err().to_string().contains("not a regular file"));
}

#[test]
fn baselines_stay_small() {
    let mut run = times(1, 1.0);
    for number in 0..5_000 {
        let small = RegionTime { key: format!("s{number}"), us: 0.1, ..run.regions[0].clone() };
        run.regions.push(small);
    }
    let mut baseline = Baseline::new("main");
    baseline.add(&run);
    assert_eq!(baseline.regions.len(), 12);
}

/// Three operators in two iterations; `aten::b` takes `us`.
fn traced(us: i64) -> LabeledTrace {
    let mut trace = TraceBuilder::new();
    for iteration in 0..2 {
        let at = 1_000 * iteration;
        trace = trace.step(iteration, at..at + 1_000);
        for (number, (name, us)) in (0..).zip([("a", 100), ("b", us), ("b", us), ("c", 50)]) {
            let (id, host) = (10 * iteration + number, at + 10 * number);
            trace = trace
                .operator(&format!("aten::{name}"), host + 1..host + 9)
                .runtime("cudaLaunchKernel", id, host + 2..host + 6)
                .kernel(&format!("kernel_{name}"), Stream(7), at + 200 * (number + 1)..at + 200 * (number + 1) + us)
                .correlation(id);
        }
    }
    LabeledTrace::new("traced", TraceSet::from_bytes(trace.json()).unwrap())
}

#[test]
fn runs_are_measured_by_step_class_and_region() {
    let run = RunTimes::of(traced(60)).unwrap();
    assert_eq!((run.step_us, run.samples), (1_000.0, 2));
    assert_eq!(run.classes.iter().find(|(class, _)| *class == "compute").unwrap().1, 270.0);
    let of = |run: &RunTimes| -> Vec<(String, String, f64, f64)> {
        let mut rows: Vec<_> =
            run.regions.iter().map(|time| (time.key.clone(), time.called(), time.us, time.count)).collect();
        rows.sort_by(|one, other| one.1.cmp(&other.1));
        rows
    };
    let (one, other) = (of(&run), of(&RunTimes::of(traced(70)).unwrap()));
    let named: Vec<(&str, f64, f64)> = one.iter().map(|row| (row.1.as_str(), row.2, row.3)).collect();
    assert_eq!(
        named,
        [("aten::a · kernel_a", 100.0, 1.0), ("aten::b · kernel_b", 120.0, 2.0), ("aten::c · kernel_c", 50.0, 1.0)]
    );
    let keys = |rows: &[(String, String, f64, f64)]| rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&one), keys(&other));
    assert_eq!(other[1].2, 140.0);
}

#[test]
fn histories_mark_where_the_step_changed() {
    let runs: Vec<RunTimes> = (0..20).map(|run| times(run, if run < 12 { 1.0 } else { 2.0 })).collect();
    let history = History::of(&runs, Some(12));
    let of = |name: &str| -> Vec<usize> {
        history.changes.iter().filter(|change| change.of == name).map(|change| change.run).collect()
    };
    assert_eq!(of("aten::op2 · kernel2"), [12], "{:?}", history.changes);
    assert_eq!(of("step"), [12]);
    let frame = history.frame().unwrap();
    assert_eq!(frame.shape(), (20, 15));
    let changed = frame.column("changed").unwrap().str().unwrap().get(12).unwrap().to_owned();
    assert!(changed.contains("step") && changed.contains("aten::op2"), "{changed}");
    let report = history.present();
    assert!(
        matches!(&report.parts[0], Part::Text(text) if text.contains("from run-12 on, p 0.0")),
        "{:?}",
        report.parts[0]
    );
    assert_eq!(history.figure().series.last().unwrap().y.iter().filter(|us| us.is_finite()).count(), 1);
    let equal = History::of(&runs[..10], None);
    assert!(equal.changes.len() <= 1 && equal.regions.len() == 5, "{:?}", equal.changes);
    assert!(History::of(&runs[..5], None).sentences().contains("Too few runs"));
    assert!(History::of(&[], None).frame().unwrap().height() == 0);
}
