//! Comparisons of recorded times of operators, written by `tests/answers/operators.py`.

use serde_json::Value;
use statistics::*;

/// The step and its operators, by name.
fn recorded(pair: &str) -> (Vec<String>, Vec<Quantity>) {
    let all: Value = serde_json::from_str(include_str!("../answers/operators.json")).unwrap();
    let rows = all[pair].as_array().unwrap();
    let side = |runs: &Value| {
        let run = |run: &Value| run.as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect::<Vec<f64>>();
        Runs::new(&runs.as_array().unwrap().iter().map(run).collect::<Vec<_>>()).unwrap()
    };
    let quantity = |(at, row): (usize, &Value)| Quantity {
        parent: (at > 0).then_some(0),
        domain: Domain::Host,
        unchanged: row[1].as_bool().unwrap(),
        control: side(&row[2]),
        test: side(&row[3]),
    };
    let names = rows.iter().map(|row| row[0].as_str().unwrap().to_owned()).collect();
    (names, rows.iter().enumerate().map(quantity).collect())
}

fn exchanged(quantities: &[Quantity]) -> Vec<Quantity> {
    quantities.iter().map(|one| Quantity { control: one.test.clone(), test: one.control.clone(), ..*one }).collect()
}

#[test]
fn a_pair_that_differs_by_half_is_not_comparable() {
    // One program, recorded twice: one step takes 101 ms, the other 43 ms.
    let (_, quantities) = recorded("same_program");
    for quantities in [exchanged(&quantities), quantities] {
        let answer = compare(&quantities, &Options::new(Scope::Recording)).unwrap();
        assert!(matches!(answer.comparability, Comparability::NotComparable { .. }), "{:?}", answer.comparability);
        let not = Verdict::Inconclusive(Inconclusive::NotComparable);
        assert!(answer.changes.iter().all(|change| change.verdict == not));
        let answer = compare(&quantities, &Options::new(Scope::Program)).unwrap();
        let one = Verdict::Inconclusive(Inconclusive::OneRecording);
        assert!(answer.changes.iter().all(|change| change.verdict == one));
    }
}

#[test]
fn four_runs_of_two_programs_name_the_softmax() {
    let (names, quantities) = recorded("two_programs");
    let answer = compare(&quantities, &Options::new(Scope::Program)).unwrap();
    let of = |name: &str| names.iter().position(|one| one == name).map(|at| answer.changes[at]).unwrap();
    assert_eq!(of("aten::_softmax").verdict, Verdict::Regression);
    // Steps of one program differ by a factor of two between runs, so nothing is said of them.
    assert!(matches!(of("step").verdict, Verdict::Inconclusive(Inconclusive::Noise { smallest }) if smallest > 0.5));
    let mirrored = compare(&exchanged(&quantities), &Options::new(Scope::Program)).unwrap();
    let at = names.iter().position(|name| name == "aten::_softmax").unwrap();
    assert_eq!(mirrored.changes[at].verdict, Verdict::Improvement);
}

#[test]
fn runs_of_one_program_are_not_called_different() {
    // Every way to exchange runs between equal programs: two of control and two of test on each side.
    let (_, quantities) = recorded("two_programs");
    for chosen in [[0, 1], [0, 2], [1, 2], [0, 3]] {
        let mixed: Vec<Quantity> = quantities
            .iter()
            .map(|one| {
                let (control, test): (Vec<&[f64]>, Vec<&[f64]>) =
                    (one.control.each().collect(), one.test.each().collect());
                let side = |is_first: bool| {
                    let picked = [&control, &test].into_iter().flat_map(|runs| {
                        runs.iter()
                            .enumerate()
                            .filter(|(at, _)| chosen.contains(at) == is_first)
                            .map(|(_, run)| run.to_vec())
                    });
                    Runs::new(&picked.collect::<Vec<_>>()).unwrap()
                };
                Quantity { control: side(true), test: side(false), ..*one }
            })
            .collect();
        let answer = compare(&mixed, &Options::new(Scope::Program)).unwrap();
        assert!(answer.changes.iter().all(|change| !change.verdict.is_change()), "{chosen:?}");
    }
}
