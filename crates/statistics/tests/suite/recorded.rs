//! Answers of SciPy and statsmodels, recorded by `tests/answers/record.py`.

use serde_json::Value;
use statistics::*;

fn answers() -> Value {
    serde_json::from_str(include_str!("../answers/answers.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[track_caller]
fn near(ours: f64, theirs: f64, relative: f64) {
    assert!((ours - theirs).abs() <= relative * theirs.abs().max(1e-300), "{ours}, recorded {theirs}");
}

#[test]
fn two_sample_tests_agree_with_scipy() {
    let answers = answers();
    let cases = answers["two_samples"].as_array().unwrap();
    let (mut exact, mut permuted, mut large) = (0, 0, 0);
    for case in cases {
        let (control, test) = (numbers(&case["control"]), numbers(&case["test"]));
        let ours = mann_whitney(&control, &test).unwrap();
        near(ours.u, case["u"].as_f64().unwrap(), 1e-12);
        near(ours.superiority, ours.u / (control.len() * test.len()) as f64, 1e-12);
        let sizes = [control.len() as f64, test.len() as f64];
        if let Some(p) = case["exact_p"].as_f64() {
            assert!(ours.exact);
            near(ours.p, p, 1e-9);
            exact += 1;
        }
        if !ours.exact {
            near(ours.p, case["asymptotic_p"].as_f64().unwrap(), 1e-9);
            large += 1;
        }
        // Without correlation, the correlated form is the asymptotic one with Student's tails, which are wider.
        let correlated = mann_whitney_correlated(&control, &test, sizes).unwrap();
        assert!(correlated.p >= case["asymptotic_p"].as_f64().unwrap() - 1e-12);

        let theirs = numbers(&case["welch"]);
        let ours = welch(&control, &test).unwrap();
        near(ours.t, theirs[0], 1e-9);
        near(ours.degrees, theirs[1], 1e-9);
        near(ours.p, theirs[2], 1e-8);
        near(ours.interval(0.95).low, theirs[3], 1e-8);
        near(ours.interval(0.95).high, theirs[4], 1e-8);

        if !case["brunner_munzel"].is_null() {
            let theirs = numbers(&case["brunner_munzel"]);
            let ours = brunner_munzel(&control, &test).unwrap();
            near(ours.statistic, theirs[0], 1e-9);
            near(ours.p, theirs[1], 1e-8);
        }
        if let Some(p) = case["permutation_p"].as_f64() {
            let ours = permutation(&control, &test, 1_000, 0).unwrap();
            assert!(ours.exact);
            near(ours.p, p, 1e-9);
            permuted += 1;
        }
        let theirs = numbers(&case["shift"]);
        let ours = shift(&control, &test, 0.95, None).unwrap();
        near(ours.estimate, theirs[0], 1e-12);
        near(ours.interval.low, theirs[1], 1e-12);
        near(ours.interval.high, theirs[2], 1e-12);
        near(ours.interval.level, theirs[3], 1e-9);
        near(mad(&test), case["mad"].as_f64().unwrap(), 1e-9);
    }
    assert!(exact >= 15 && permuted >= 15 && large >= 4, "{exact} {permuted} {large}");
}

#[test]
fn bca_intervals_agree_with_scipy() {
    for case in answers()["bootstraps"].as_array().unwrap() {
        let (control, test) = (numbers(&case["control"]), numbers(&case["test"]));
        let plan = Plan::new(&[control.len()], &[test.len()], Design::Iterations, 100_000, 7).unwrap();
        let resamples = plan.differences(&[[&control, &test]]).unwrap().remove(0);
        let ours = bca(mean(&test) - mean(&control), &resamples, [&control, &test], 0.95, 1.0).unwrap();
        let theirs = numbers(&case["bca"]);
        // Both are random: 100,000 and 400,000 resamples.
        let allowed = 0.01 * (theirs[1] - theirs[0]);
        assert!((ours.low - theirs[0]).abs() < allowed, "{ours:?} {theirs:?}");
        assert!((ours.high - theirs[1]).abs() < allowed, "{ours:?} {theirs:?}");
    }
}

#[test]
fn distributions_agree_with_scipy() {
    let answers = answers();
    let of =
        |name: &str| answers["distributions"][name].as_array().unwrap().iter().map(numbers).collect::<Vec<Vec<f64>>>();
    for case in of("normal_cdf") {
        near(normal_cdf(case[0]), case[1], 1e-10);
    }
    for case in of("normal_quantile") {
        assert!((normal_quantile(case[0]) - case[1]).abs() < 1e-9, "{case:?} {}", normal_quantile(case[0]));
    }
    for case in of("student_cdf") {
        near(student_cdf(case[0], case[1]), case[2], 1e-9);
    }
    for case in of("student_quantile") {
        assert!((student_quantile(case[0], case[1]) - case[2]).abs() < 1e-8 * case[2].abs().max(1.0), "{case:?}");
    }
}

#[test]
fn corrections_agree_with_statsmodels() {
    for case in answers()["corrections"].as_array().unwrap() {
        for (ours, theirs) in benjamini_hochberg(&numbers(&case["p"])).iter().zip(numbers(&case["q"])) {
            near(*ours, theirs, 1e-12);
        }
    }
}

#[test]
fn descents_agree_with_statsmodels() {
    let (mut reached, mut closed) = (0, 0);
    for case in answers()["descents"].as_array().unwrap() {
        let parents: Vec<Option<usize>> =
            case["parents"].as_array().unwrap().iter().map(|parent| parent.as_u64().map(|at| at as usize)).collect();
        let p = numbers(&case["p"]);
        let adjust = |groups: &[Vec<usize>]| {
            let of_group = |group: &Vec<usize>| simes(&group.iter().map(|&at| p[at]).collect::<Vec<f64>>());
            Ok(benjamini_hochberg(&groups.iter().map(of_group).collect::<Vec<f64>>()))
        };
        for (opens, recorded) in [(Opens::Either, "either"), (Opens::Subtree, "subtree")] {
            let ours = descend(&parents, 0.05, opens, &adjust).unwrap();
            for (ours, theirs) in ours.q.iter().zip(case[recorded].as_array().unwrap()) {
                match (ours, theirs.as_f64()) {
                    (Some(ours), Some(theirs)) => near(*ours, theirs, 1e-12),
                    (ours, theirs) => assert_eq!((*ours, theirs), (None, None)),
                }
                *if ours.is_some() { &mut reached } else { &mut closed } += 1;
            }
        }
    }
    assert!(reached >= 80 && closed >= 40, "{reached} {closed}");
}

#[test]
fn prediction_intervals_agree_with_scipy() {
    for case in answers()["predictions"].as_array().unwrap() {
        let ours = prediction(&numbers(&case["values"]), 0.95).unwrap();
        let theirs = numbers(&case["interval"]);
        near(ours.low, theirs[0], 1e-9);
        near(ours.high, theirs[1], 1e-9);
    }
}

#[test]
fn smallest_p_is_that_of_the_page() {
    near(smallest_p(3, 3), 0.1, 1e-12);
    near(smallest_p(4, 4), 2.0 / 70.0, 1e-12);
    let apart = |n: usize| mann_whitney(&vec![1.0; n], &vec![2.0; n]).unwrap().p;
    near(apart(3), 0.1, 1e-12);
    near(apart(4), 2.0 / 70.0, 1e-12);
}
