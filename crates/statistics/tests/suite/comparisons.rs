//! Comparisons as a whole: verdicts, scopes, reasons for having none, exchanged roles, time.

use super::noise::{ABOVE, CHANGED, Experiment, Noise, record};
use statistics::*;

const NOISE: Noise = Noise { within: 0.02, lag_1: 0.3, between: 0.005, common: 0.5, heavy: false };
const RUNS: Experiment = Experiment { noise: NOISE, regions: 20, runs: 6, iterations: 10, effect: 1.1, ranks: false };

fn answer(experiment: &Experiment, scope: Scope, seed: u64) -> Answer {
    let (quantities, _) = record(experiment, &mut Random::new(seed));
    compare(&quantities, &Options::new(scope)).unwrap()
}

fn verdicts(answer: &Answer) -> Vec<String> {
    answer.changes.iter().map(|change| change.verdict.to_string()).collect()
}

#[test]
fn a_slower_region_is_a_regression_and_others_are_not() {
    let answer = answer(&RUNS, Scope::Program, 5);
    assert_eq!(answer.changes[ABOVE + CHANGED].verdict, Verdict::Regression);
    assert!(answer.max_t && answer.samples == [6, 6]);
    let interval = answer.changes[ABOVE + CHANGED].interval.unwrap();
    assert!(interval.contains(50.0) && !interval.contains(0.0), "{interval:?}");
    assert!(answer.changes[ABOVE + CHANGED].superiority.unwrap() > 0.95);
    for (at, change) in answer.changes.iter().enumerate().skip(ABOVE).filter(|(at, _)| *at != ABOVE + CHANGED) {
        assert!(!change.verdict.is_change(), "{at}: {}", change.verdict);
    }
    assert!(matches!(answer.comparability, Comparability::Comparable { score } if score > 0.9));
}

#[test]
fn exchanged_roles_have_the_mirrored_answer() {
    for (scope, runs, iterations) in [(Scope::Program, 6, 10), (Scope::Program, 9, 4), (Scope::Recording, 1, 30)] {
        for seed in 0..3 {
            let experiment = Experiment { runs, iterations, ..RUNS };
            let (quantities, _) = record(&experiment, &mut Random::new(seed));
            let there = compare(&quantities, &Options::new(scope)).unwrap();
            let exchanged: Vec<Quantity> = quantities
                .iter()
                .map(|one| Quantity { control: one.test.clone(), test: one.control.clone(), ..*one })
                .collect();
            let back = compare(&exchanged, &Options::new(scope)).unwrap();
            for (a, b) in there.changes.iter().zip(&back.changes) {
                assert_eq!([a.p, a.q], [b.p, b.q]);
                assert_eq!(a.difference, -b.difference);
                assert_eq!(a.interval.map(|one| [one.low, one.high]), b.interval.map(|one| [-one.high, -one.low]));
                assert_eq!(a.verdict == Verdict::Regression, b.verdict == Verdict::Improvement);
                assert_eq!(a.verdict == Verdict::NoRelevantChange, b.verdict == Verdict::NoRelevantChange);
            }
        }
    }
}

#[test]
fn too_few_samples_say_so_and_how_many_are_needed() {
    let one = Experiment { runs: 1, ..RUNS };
    let texts = verdicts(&answer(&one, Scope::Program, 1));
    assert!(texts.iter().all(|text| text.contains("one recording a side; record 4 + 4 fresh processes")), "{texts:?}");
    let three = Experiment { runs: 3, ..RUNS };
    let texts = verdicts(&answer(&three, Scope::Program, 1));
    assert!(texts.iter().all(|text| text == "inconclusive: too few: 3 a side, 4 needed"), "{texts:?}");
    let single = Experiment { runs: 1, iterations: 1, ..RUNS };
    let texts = verdicts(&answer(&single, Scope::Recording, 1));
    assert!(texts.iter().all(|text| text.contains("noise unknown")), "{texts:?}");
    let three = Experiment { runs: 1, iterations: 3, ..RUNS };
    assert!(verdicts(&answer(&three, Scope::Recording, 1)).iter().all(|text| text.contains("too few")));
    // One run against many is too few, not one recording a side.
    let (mut quantities, _) = record(&RUNS, &mut Random::new(1));
    for quantity in &mut quantities {
        let first = quantity.control.each().next().unwrap().to_vec();
        quantity.control = Runs::new(&[first]).unwrap();
    }
    let answer = compare(&quantities, &Options::new(Scope::Program)).unwrap();
    assert!(verdicts(&answer).iter().all(|text| text.contains("too few: 1 a side")));
}

#[test]
fn recordings_that_differ_as_a_whole_are_not_comparable() {
    let wide = Noise { between: 0.4, common: 0.0, ..NOISE };
    let bad = Experiment { noise: wide, runs: 1, iterations: 24, effect: 1.0, ..RUNS };
    let result = answer(&bad, Scope::Recording, 4);
    assert!(matches!(result.comparability, Comparability::NotComparable { score } if score < 0.5));
    assert!(verdicts(&result).iter().all(|text| text == "inconclusive: these recordings are not comparable"));
    // One factor for all regions is clock or load, not code.
    let clock = Noise { between: 0.2, common: 1.0, ..NOISE };
    let shifted = Experiment { noise: clock, ..bad };
    let mut seen = 0;
    for seed in 0..10 {
        let result = answer(&shifted, Scope::Recording, seed);
        assert!(result.changes.iter().all(|change| !change.verdict.is_change()), "seed {seed}");
        seen += usize::from(result.gpu.unwrap().common_factor.is_some());
    }
    assert!(seen >= 8, "{seen}");
}

#[test]
fn without_controls_two_recordings_say_nothing() {
    let (mut quantities, _) = record(&Experiment { runs: 1, iterations: 24, ..RUNS }, &mut Random::new(2));
    for quantity in quantities.iter_mut().skip(9) {
        quantity.unchanged = false;
    }
    let result = compare(&quantities, &Options::new(Scope::Recording)).unwrap();
    assert_eq!(result.comparability, Comparability::Unknown);
    assert!(verdicts(&result).iter().all(|text| text.contains("too few unchanged regions")));
}

#[test]
fn precise_samples_show_that_nothing_relevant_changed() {
    let quiet = Noise { within: 0.003, between: 0.001, ..NOISE };
    let result = answer(&Experiment { noise: quiet, effect: 1.0, runs: 8, ..RUNS }, Scope::Program, 3);
    assert!(result.changes.iter().all(|change| change.verdict == Verdict::NoRelevantChange), "{:?}", verdicts(&result));
    // Noisy ones do not: they name the change that they would have shown.
    let noisy = Noise { within: 0.1, between: 0.05, ..NOISE };
    let result = answer(&Experiment { noise: noisy, effect: 1.0, ..RUNS }, Scope::Program, 3);
    let Verdict::Inconclusive(Inconclusive::Noise { smallest }) = result.changes[ABOVE].verdict else {
        panic!("{:?}", result.changes[ABOVE].verdict)
    };
    assert!((0.03..0.4).contains(&smallest), "{smallest}");
}

#[test]
fn every_test_finds_a_large_change() {
    for test in [TestKind::MannWhitney, TestKind::Welch, TestKind::Permutation, TestKind::BrunnerMunzel] {
        for (scope, runs, iterations) in [(Scope::Program, 8, 10), (Scope::Recording, 1, 40)] {
            let experiment = Experiment { runs, iterations, effect: 1.5, ..RUNS };
            let (quantities, _) = record(&experiment, &mut Random::new(6));
            let answer = compare(&quantities, &Options { test, ..Options::new(scope) }).unwrap();
            assert_eq!(answer.changes[ABOVE + CHANGED].verdict, Verdict::Regression, "{test:?} {scope:?}");
        }
    }
}

#[test]
fn verdicts_follow_intervals_and_q() {
    let log = |low: f64, high: f64| Interval { low, high, level: 0.95 };
    let thresholds = Thresholds { relevance: 0.01, of_step: 0.0, alpha: 0.05 };
    let verdict = |low, high, q| judge(&Judgement { log_ratio: log(low, high), q }, &thresholds);
    assert_eq!(verdict(0.02, 0.04, Some(0.01)), Verdict::Regression);
    assert_eq!(verdict(-0.04, -0.02, Some(0.01)), Verdict::Improvement);
    assert_eq!(verdict(-0.005, 0.009, Some(0.01)), Verdict::NoRelevantChange);
    assert!(matches!(verdict(0.02, 0.04, Some(0.06)), Verdict::Inconclusive(Inconclusive::Noise { .. })));
    assert!(matches!(verdict(0.02, 0.04, None), Verdict::Inconclusive(Inconclusive::Noise { .. })));
    assert!(matches!(verdict(0.005, 0.04, Some(0.01)), Verdict::Inconclusive(Inconclusive::Noise { .. })));
    // A change that is certain but too small for the step.
    let small = |low, high| {
        judge(&Judgement { log_ratio: log(low, high), q: Some(0.01) }, &Thresholds { of_step: 0.05, ..thresholds })
    };
    assert_eq!(small(0.02, 0.04), Verdict::NoRelevantChange);
    assert!(matches!(small(0.02, 0.06), Verdict::Inconclusive(_)));
    assert_eq!([small(0.04, 0.08), small(-0.08, -0.04)], [Verdict::Regression, Verdict::Improvement]);
    assert_eq!(verdict(f64::NAN, 0.04, Some(0.01)), Verdict::Inconclusive(Inconclusive::NoRatio));
    assert_eq!(verdict(f64::NEG_INFINITY, 0.0, Some(0.01)), Verdict::Inconclusive(Inconclusive::NoRatio));
}

#[test]
fn absent_and_constant_quantities_have_answers() {
    let runs = |value: f64| Runs::new(&vec![vec![value; 5]; 5]).unwrap();
    let quantity = |parent, control, test| Quantity {
        parent,
        domain: Domain::Gpu,
        unchanged: false,
        control: runs(control),
        test: runs(test),
    };
    let quantities = [quantity(None, 10.0, 20.0), quantity(Some(0), 0.0, 10.0), quantity(Some(0), 10.0, 10.0)];
    for scope in [Scope::Program, Scope::Recording] {
        let answer = compare(&quantities, &Options::new(scope)).unwrap();
        assert_eq!(answer.changes[0].difference, 10.0);
        assert_eq!(answer.changes[0].interval.map(|one| [one.low, one.high]), Some([10.0, 10.0]));
        assert!(answer.changes[1].ratio.is_none());
    }
    let answer = compare(&quantities, &Options::new(Scope::Program)).unwrap();
    assert_eq!(answer.changes[0].verdict, Verdict::Regression);
    assert_eq!(answer.changes[1].verdict, Verdict::Inconclusive(Inconclusive::Absent([false, true])));
    assert_eq!(answer.changes[2].verdict, Verdict::NoRelevantChange);
    assert!(compare(&[], &Options::new(Scope::Program)).is_err());
    let unequal = [
        quantity(None, 1.0, 2.0),
        Quantity { control: Runs::new(&[vec![1.0]]).unwrap(), ..quantity(Some(0), 1.0, 2.0) },
    ];
    assert_eq!(compare(&unequal, &Options::new(Scope::Program)), Err(Error::Shape));
}

#[test]
fn a_thousand_regions_are_compared_in_a_second() {
    let many = Experiment { regions: 1_000, runs: 1, iterations: 50, ..RUNS };
    let (quantities, _) = record(&many, &mut Random::new(8));
    let start = std::time::Instant::now();
    let answer = compare(&quantities, &Options::new(Scope::Recording)).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!("1,000 regions, 50 + 50 iterations: {seconds:.2} s");
    assert_eq!(answer.changes.len(), 1_004);
    // The promise is 1 s on an idle machine; tests run on busy ones.
    assert!(seconds < 10.0, "{seconds} s");
}

#[test]
fn what_is_absent_is_said_however_few_samples_there_are() {
    let quantity = |control: Vec<f64>, test: Vec<f64>| Quantity {
        parent: None,
        domain: Domain::Host,
        unchanged: false,
        control: Runs::new(&[control]).unwrap(),
        test: Runs::new(&[test]).unwrap(),
    };
    let absent = |sides| Verdict::Inconclusive(Inconclusive::Absent(sides));
    let two = [quantity(vec![5.0], vec![5.0]), quantity(vec![0.0], vec![0.0]), quantity(vec![0.0], vec![2.0])];
    let answer = compare(&two, &Options::new(Scope::Recording)).unwrap();
    assert_eq!(answer.changes[0].verdict, Verdict::Inconclusive(Inconclusive::NoiseUnknown));
    assert_eq!([answer.changes[1].verdict, answer.changes[2].verdict], [absent([false; 2]), absent([false, true])]);
    // What runs in few iterations of each run is judged by its mean.
    let rare = |level: f64| Runs::new(&vec![[vec![0.0; 9], vec![level]].concat(); 5]).unwrap();
    let step = |level: f64| Runs::new(&vec![vec![level; 10]; 5]).unwrap();
    let of = |control, test, parent| Quantity { parent, domain: Domain::Host, unchanged: false, control, test };
    let rarely = [of(step(10.0), step(10.3), None), of(rare(10.0), rare(13.0), Some(0))];
    let answer = compare(&rarely, &Options::new(Scope::Program)).unwrap();
    assert_eq!(answer.changes[1].verdict, Verdict::Regression);
}

#[test]
fn pairs_of_ranks_show_what_their_sums_hide() {
    // Ranks differ by half, their ratios by 1 %.
    let mut random = Random::new(2);
    let mut quantity = |parent, effect: f64| {
        let control: Vec<f64> = (0..8).map(|rank| 100.0 * (1.0 + rank as f64 / 8.0)).collect();
        let test = control.iter().map(|value| value * effect * (1.0 + 0.01 * (random.uniform() - 0.5))).collect();
        let side = |values: Vec<f64>| Runs::new(&[values]).unwrap();
        Quantity { parent, domain: Domain::Gpu, unchanged: parent.is_some(), control: side(control), test: side(test) }
    };
    let mut quantities = vec![quantity(None, 1.0)];
    quantities.extend((0..12).map(|at| quantity(Some(0), if at == 3 { 1.2 } else { 1.0 })));
    let options = Options { paired: true, ..Options::new(Scope::Recording) };
    for test in [TestKind::MannWhitney, TestKind::Welch, TestKind::Permutation, TestKind::BrunnerMunzel] {
        let answer = compare(&quantities, &Options { test, ..options }).unwrap();
        assert!(answer.paired && answer.max_t && answer.samples == [8, 8] && answer.fewest() == 6);
        let of = |at: usize| answer.changes[at];
        assert_eq!(of(4).verdict, Verdict::Regression, "{test:?}");
        assert_eq!(of(4).superiority, Some(1.0));
        assert!((1..13).filter(|&at| at != 4).all(|at| !of(at).verdict.is_change()), "{test:?}");
        let interval = of(4).interval.unwrap();
        assert!(interval.contains(0.2 * of(4).control) && interval.half_width() < 6.0, "{interval:?}");
    }
    // Without pairs, ranks hide it.
    let unpaired = compare(&quantities, &Options { paired: false, ..options }).unwrap();
    assert!(!unpaired.changes[4].verdict.is_change());
    let exchanged: Vec<Quantity> = quantities
        .iter()
        .map(|one| Quantity { control: one.test.clone(), test: one.control.clone(), ..*one })
        .collect();
    let (there, back) = (compare(&quantities, &options).unwrap(), compare(&exchanged, &options).unwrap());
    for (there, back) in there.changes.iter().zip(&back.changes) {
        assert_eq!([there.p, there.q], [back.p, back.q]);
        assert_eq!(there.verdict == Verdict::Regression, back.verdict == Verdict::Improvement);
    }
    assert_eq!(compare(&quantities, &Options { scope: Scope::Program, ..options }), Err(Error::Shape));
    let few: Vec<Quantity> = quantities
        .iter()
        .map(|one| {
            let side = |of: &Runs| Runs::new(&[of.values()[..5].to_vec()]).unwrap();
            Quantity { control: side(&one.control), test: side(&one.test), ..*one }
        })
        .collect();
    let answer = compare(&few, &options).unwrap();
    assert_eq!(answer.changes[4].verdict.to_string(), "inconclusive: too few: 5 a side, 6 needed");
}

#[test]
fn the_answer_is_the_same_on_every_thread() {
    let (quantities, _) = record(&RUNS, &mut Random::new(11));
    let alone = compare(&quantities, &Options::new(Scope::Program)).unwrap();
    let together: Vec<Answer> = std::thread::scope(|scope| {
        let jobs: Vec<_> =
            (0..4).map(|_| scope.spawn(|| compare(&quantities, &Options::new(Scope::Program)).unwrap())).collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    });
    assert!(together.iter().all(|one| *one == alone));
}

#[test]
fn unusual_quantities_never_panic() {
    let mut random = Random::new(21);
    let strange = [0.0, -0.0, -3.0, 1.0, 1.0, 2.0, 1e-300, 5e-324, 1e149, -1e149, 7.5];
    for case in 0..300 {
        let lengths = [0, 1].map(|_| (0..1 + random.below(5)).map(|_| 1 + random.below(6)).collect::<Vec<usize>>());
        let count = 1 + random.below(14);
        let mut quantities = Vec::new();
        for at in 0..count {
            let mut side = |lengths: &[usize]| {
                let value = |random: &mut Random| strange[random.below(if case % 2 == 0 { strange.len() } else { 6 })];
                let runs: Vec<Vec<f64>> =
                    lengths.iter().map(|&length| (0..length).map(|_| value(&mut random)).collect()).collect();
                Runs::new(&runs).unwrap()
            };
            let (control, test) = (side(&lengths[0]), side(&lengths[1]));
            let parent = if at > 0 && random.below(3) > 0 { Some(random.below(at)) } else { None };
            let domain = if random.below(2) == 0 { Domain::Gpu } else { Domain::Host };
            quantities.push(Quantity { parent, domain, unchanged: random.below(4) > 0, control, test });
        }
        for scope in [Scope::Program, Scope::Recording] {
            for test in [TestKind::MannWhitney, TestKind::Welch, TestKind::Permutation, TestKind::BrunnerMunzel] {
                let options = Options { test, resamples: 100, ..Options::new(scope) };
                let answer = compare(&quantities, &options).unwrap();
                for change in &answer.changes {
                    assert!(change.p.is_none_or(|p| (0.0..=1.0).contains(&p)), "{change:?}");
                    assert!(change.q.is_none_or(|q| (0.0..=1.0).contains(&q)), "{change:?}");
                    assert!(change.interval.is_none_or(|interval| interval.low <= interval.high), "{change:?}");
                    assert!(!change.verdict.to_string().is_empty());
                }
                let worse =
                    Options { level: f64::NAN, alpha: f64::NAN, relevance: -1.0, of_step: f64::INFINITY, ..options };
                if let Ok(answer) = compare(&quantities, &worse) {
                    assert!(answer.changes.iter().all(|change| !change.verdict.is_change()));
                }
            }
        }
    }
    let (mut quantities, _) = record(&RUNS, &mut Random::new(1));
    quantities[3].parent = Some(17);
    assert_eq!(compare(&quantities, &Options::new(Scope::Program)), Err(Error::Shape));
    quantities[3].parent = Some(9_999);
    assert_eq!(compare(&quantities, &Options::new(Scope::Recording)), Err(Error::Shape));
    quantities[3].parent = None;
    let few = Options { resamples: 3, ..Options::new(Scope::Program) };
    assert!(matches!(compare(&quantities, &few), Err(Error::TooFew { .. })));
}
