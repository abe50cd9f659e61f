//! Answers of R, recorded by `tests/answers/record.R`.

use serde_json::Value;
use statistics::*;

fn answers(of: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../answers/answers_r.json")).unwrap();
    all[of].as_array().unwrap().clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[track_caller]
fn near(ours: f64, theirs: f64, allowed: f64) {
    assert!((ours - theirs).abs() <= allowed * theirs.abs().max(1e-3), "{ours}, recorded {theirs}");
}

/// Compares a shift with estimate, both ends and the level that R reached.
fn near_shift(ours: &Shift, theirs: &[f64]) {
    near(ours.estimate, theirs[0], 1e-9);
    near(ours.interval.low, theirs[1], 1e-9);
    near(ours.interval.high, theirs[2], 1e-9);
    near(ours.interval.level, theirs[3], 1e-9);
}

#[test]
fn rank_tests_and_shifts_agree_with_r() {
    let cases = answers("two_samples");
    assert_eq!(cases.len(), 10);
    for case in cases {
        let (control, test) = (numbers(&case["control"]), numbers(&case["test"]));
        near(mann_whitney(&control, &test).unwrap().p, numbers(&case["p"])[0], 1e-9);
        if !case["shift"].is_null() {
            let theirs = numbers(&case["shift"]);
            near_shift(&shift(&control, &test, theirs[3], None).unwrap(), &theirs);
        }
    }
}

#[test]
fn tests_of_pairs_agree_with_r() {
    let cases = answers("pairs");
    assert_eq!(cases.len(), 8);
    for case in cases {
        let (control, test) = (numbers(&case["control"]), numbers(&case["test"]));
        let differences: Vec<f64> = test.iter().zip(&control).map(|(test, control)| test - control).collect();
        let ours = signed_rank(&differences).unwrap();
        assert!(ours.exact);
        near(ours.p, numbers(&case["p"])[0], 1e-9);
        let t = mean(&differences) / (variance(&differences) / differences.len() as f64).sqrt();
        near(2.0 * student_cdf(-t.abs(), differences.len() as f64 - 1.0), numbers(&case["t"])[0], 1e-8);
        if !case["shift"].is_null() {
            let theirs = numbers(&case["shift"]);
            near_shift(&paired_shift(&differences, theirs[3]).unwrap(), &theirs);
        }
    }
}

#[test]
fn bca_intervals_agree_with_r() {
    for case in answers("bootstraps") {
        let (control, test) = (numbers(&case["control"]), numbers(&case["test"]));
        let plan = Plan::new(&[control.len()], &[test.len()], Design::Iterations, 100_000, 7).unwrap();
        let resamples = plan.differences(&[[&control, &test]]).unwrap().remove(0);
        let ours = bca(mean(&test) - mean(&control), &resamples, [&control, &test], 0.95, 1.0).unwrap();
        let theirs = numbers(&case["bca"]);
        // Both are random: 100,000 and 50,000 resamples.
        let allowed = 0.015 * (theirs[1] - theirs[0]);
        assert!((ours.low - theirs[0]).abs() < allowed, "{ours:?} {theirs:?}");
        assert!((ours.high - theirs[1]).abs() < allowed, "{ours:?} {theirs:?}");
    }
}
