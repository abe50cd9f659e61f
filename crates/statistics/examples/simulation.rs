//! Prints how often comparisons of simulated recordings keep their promises: `make bench-statistics`.
//!
//! The arguments are the number of comparisons of each row, and a text that rows must contain.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

#[path = "../tests/suite/noise.rs"]
mod noise;
#[path = "../tests/suite/promises.rs"]
mod promises;

use noise::{Experiment, Noise};
use promises::count;
use statistics::Scope;

const HEAD: &str = "# Comparisons, simulated

`make bench-statistics BENCH_WRITE=1` writes this table; `make bench-statistics` prints the same. Each row is {repetitions} simulated
comparisons of equal programs and {repetitions} with one region 5 % slower, with fixed seeds, on which nothing was tuned.

* An iteration has noise of 2 % inside of its run, correlated with the iteration before, normal or with the tail of Student's distribution
  with 3 degrees; a run multiplies each region by a factor with a standard deviation of 1 %.
* A *false alarm* is a comparison of equal programs in which anything, step, class or region, is called a regression or an improvement:
  promised are at most 5 %.
* *Found* and *named first*: the slower region is called a regression, and has the largest difference of all regions that are called
  changed. Promised are 95 % for 6 + 6 runs, and 90 % for 10 + 10 iterations that only differ by chance. Two recordings seldom tell a change of 5 % from factors of runs that each region has of
  its own; they can where all regions share the factor, where it is small (0.4 %), and where there is none.
* *Coverage*: 95 % intervals of the mean difference (BCa) and of the ratio (Hodges–Lehmann) that contain the true value: of the programs,
  or of the two recordings. Promised are 93 to 97 %.
* *Ranks*: one iteration a side, whose ranks differ by 5 % alike on both sides and are compared in pairs.

| scope | factor of a run | tail | lag-1 | runs × iterations a side | regions | false alarms, % | found, % | named first, % | coverage, mean, % | coverage, ratio, % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

/// Seeds of comparisons of equal programs, and of others. No bound of the crate was chosen by what came out of these.
const SEEDS: [u64; 2] = [410_000_000, 430_000_000];

/// What the rows have in common besides scope, runs and iterations.
const NOISES: [(usize, f64, bool, f64); 7] = [
    (20, 0.0, false, 0.0),
    (20, 0.0, false, 0.5),
    (20, 0.5, false, 0.5),
    (20, 1.0, true, 0.5),
    (20, 0.0, true, 0.5),
    (60, 0.0, false, 0.5),
    (60, 0.0, true, 0.5),
];

fn main() {
    let repetitions = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000);
    // A second argument keeps only the rows that contain it.
    let only = std::env::args().nth(2).unwrap_or_default();
    println!("{}", HEAD.replace("{repetitions}", &repetitions.to_string()));
    for (scope, runs, iterations) in [
        (Scope::Program, 4, 10),
        (Scope::Program, 6, 10),
        (Scope::Program, 10, 10),
        (Scope::Recording, 1, 24),
        (Scope::Recording, 1, 50),
    ] {
        for (regions, common, heavy, lag_1) in NOISES {
            let noise = Noise { within: 0.02, lag_1, between: 0.01, common, heavy };
            let experiment = Experiment { noise, regions, runs, iterations, effect: 1.0, ranks: false };
            row(&experiment, scope, repetitions, &only);
        }
    }
    // Recordings that differ by nothing but the noise of their iterations.
    for (iterations, between) in [(10, 0.0), (24, 0.0), (10, 0.004), (24, 0.004)] {
        for (regions, _, heavy, lag_1) in [NOISES[0], NOISES[1], NOISES[4], (60, 0.0, false, 0.0)] {
            let noise = Noise { within: 0.02, lag_1, between, common: 0.0, heavy };
            let experiment = Experiment { noise, regions, runs: 1, iterations, effect: 1.0, ranks: false };
            row(&experiment, Scope::Recording, repetitions, &only);
        }
    }
    for common in [0.0, 1.0] {
        let noise = Noise { within: 0.02, lag_1: 0.0, between: 0.01, common, heavy: false };
        let ranks = Experiment { noise, regions: 20, runs: 1, iterations: 8, effect: 1.0, ranks: true };
        row(&ranks, Scope::Recording, repetitions, &only);
    }
}

fn row(experiment: &Experiment, scope: Scope, repetitions: usize, only: &str) {
    let Experiment { noise, regions, runs, iterations, .. } = *experiment;
    let of_run = match noise.common {
        _ if noise.between == 0.0 => "none",
        _ if noise.between < 0.01 => "small",
        0.0 => "each region its own",
        1.0 => "one for all regions",
        _ => "half own, half common",
    };
    let what = format!(
        "| {} | {of_run} | {} | {} | {} | {regions} |",
        if scope == Scope::Program { "program" } else { "recording" },
        if noise.heavy { "heavy" } else { "normal" },
        noise.lag_1,
        if experiment.ranks { format!("{iterations} ranks") } else { format!("{runs} × {iterations}") },
    );
    if !what.contains(only) {
        return;
    }
    let same = count(experiment, scope, 1_000, repetitions, SEEDS[0]);
    let slower = count(&Experiment { effect: 1.05, ..*experiment }, scope, 1_000, repetitions, SEEDS[1]);
    println!(
        "{what} {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
        same.share(same.false_alarms),
        slower.share(slower.found),
        slower.share(slower.first),
        same.coverage(same.covering),
        same.coverage(same.covering_ratio),
    );
}
