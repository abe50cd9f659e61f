//! The promises, on few simulated recordings. `make bench-statistics` counts many.

use super::noise::{Experiment, Noise};
use super::promises::count;
use statistics::Scope;

const NOISE: Noise = Noise { within: 0.02, lag_1: 0.5, between: 0.01, common: 0.0, heavy: true };
const RUNS: Experiment = Experiment { noise: NOISE, regions: 20, runs: 6, iterations: 10, effect: 1.0, ranks: false };
const RECORDING: Experiment = Experiment { runs: 1, iterations: 30, ..RUNS };

/// Bounds lie two standard errors outside of the promised share, as there are only 200 comparisons.
const REPETITIONS: usize = 200;

#[test]
fn equal_programs_are_rarely_called_different() {
    for common in [0.0, 1.0] {
        let runs = Experiment { noise: Noise { common, ..NOISE }, ..RUNS };
        let counts = count(&runs, Scope::Program, 200, REPETITIONS, 1);
        assert!(counts.share(counts.false_alarms) <= 8.0, "{} %", counts.share(counts.false_alarms));
        let recording = Experiment { noise: Noise { common, ..NOISE }, ..RECORDING };
        let counts = count(&recording, Scope::Recording, 200, REPETITIONS, 1);
        assert!(counts.share(counts.false_alarms) <= 8.0, "{} %", counts.share(counts.false_alarms));
    }
}

#[test]
fn equal_ranks_of_one_iteration_are_rarely_called_different() {
    let noise = Noise { lag_1: 0.0, heavy: false, ..NOISE };
    let ranks = Experiment { noise, iterations: 8, ranks: true, ..RECORDING };
    let counts = count(&ranks, Scope::Recording, 200, REPETITIONS, 3_000);
    assert!(counts.share(counts.false_alarms) <= 8.0, "{} %", counts.share(counts.false_alarms));
    let (mean, ratio) = (counts.coverage(counts.covering), counts.coverage(counts.covering_ratio));
    assert!((92.0..=98.0).contains(&mean) && (92.0..=98.0).contains(&ratio), "{mean} % {ratio} %");
    // Much larger than what differs between recordings.
    let slower = Experiment { effect: 1.15, noise: Noise { common: 1.0, ..noise }, ..ranks };
    let counts = count(&slower, Scope::Recording, 200, REPETITIONS, 4_000);
    assert!(counts.share(counts.found) >= 80.0, "{} %", counts.share(counts.found));
}

#[test]
fn five_percent_are_found_and_named_first() {
    let slower = Experiment { effect: 1.05, ..RUNS };
    let counts = count(&slower, Scope::Program, 200, REPETITIONS, 1_000);
    assert!(counts.share(counts.found) >= 92.0, "{} %", counts.share(counts.found));
    assert!(counts.share(counts.first) >= 92.0, "{} %", counts.share(counts.first));
    assert!(counts.share(counts.false_alarms) <= 8.0, "{} %", counts.share(counts.false_alarms));
}

#[test]
fn five_percent_are_found_between_recordings_alike() {
    let noise = Noise { lag_1: 0.0, between: 0.0, heavy: false, ..NOISE };
    let slower = Experiment { noise, regions: 60, iterations: 10, effect: 1.05, ..RECORDING };
    let counts = count(&slower, Scope::Recording, 200, REPETITIONS, 5_000);
    assert!(counts.share(counts.found) >= 80.0, "{} %", counts.share(counts.found));
    assert!(counts.share(counts.false_alarms) <= 8.0, "{} %", counts.share(counts.false_alarms));
    // A small factor of each region and run is no change.
    let small = Experiment { noise: Noise { between: 0.004, ..noise }, effect: 1.0, ..slower };
    let counts = count(&small, Scope::Recording, 200, REPETITIONS, 6_000);
    assert!(counts.share(counts.false_alarms) <= 8.0, "{} %", counts.share(counts.false_alarms));
}

#[test]
fn intervals_hold_what_they_promise() {
    for (experiment, scope) in [(RUNS, Scope::Program), (RECORDING, Scope::Recording)] {
        let counts = count(&experiment, scope, 500, REPETITIONS, 2_000);
        let (mean, ratio) = (counts.coverage(counts.covering), counts.coverage(counts.covering_ratio));
        // 4,000 intervals.
        assert!((92.3..=97.7).contains(&mean), "{mean} %");
        assert!((92.3..=97.7).contains(&ratio), "{ratio} %");
    }
}
