//! `splits [--most N] RUNS…` divides the runs of one program into two sides of equal size and compares them: how often is a change
//! called where nothing has changed? Each `RUNS` is a folder, or a pattern, of runs of one program, each a fresh process. Of several
//! programs, sides are compared, too, that have half of the runs of each: as many of one as of the other.
//!
//! All divisions are tried if there are at most N (1,000), else N random ones with a fixed seed. Divisions of the same runs overlap, so
//! shares are no independent samples. Prints a row for each number of runs a side: the verdicts on the step, and in how many
//! comparisons anything, step, class, operator or region, was called a regression or an improvement.
#![allow(clippy::print_stdout)]

use statistics::{Inconclusive, Random, Verdict};
use std::collections::BTreeSet;
use std::path::PathBuf;
use trace::answers::Certainty;
use trace::{Explain, LabeledTrace, TraceSet};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Random divisions, unless the call says how many.
const MOST: usize = 1_000;
const SEED: u64 = 0;

/// The runs of both sides, by their places.
type Division = [Vec<usize>; 2];

/// Counts the verdicts of the comparisons with one number of runs a side.
#[derive(Default)]
struct VerdictCounts {
    comparisons: usize,
    too_few: usize,
    same: usize,
    inconclusive: usize,
    step_changed: usize,
    /// Anything was called changed.
    changed: usize,
}

impl VerdictCounts {
    fn add(&mut self, certainty: &Certainty) {
        self.comparisons += 1;
        match certainty.step.verdict {
            Verdict::Regression | Verdict::Improvement => self.step_changed += 1,
            Verdict::NoRelevantChange => self.same += 1,
            Verdict::Inconclusive(Inconclusive::TooFew { .. }) => self.too_few += 1,
            Verdict::Inconclusive(_) => self.inconclusive += 1,
        }
        self.changed += usize::from(certainty.verdicts().any(Verdict::is_change));
    }

    fn print(&self, program: &str, runs: usize, size: usize) {
        let share = |count: usize| format!("{count} ({:.1} %)", 100.0 * count as f64 / self.comparisons.max(1) as f64);
        println!(
            "| {program} | {runs} | {size} + {size} | {} | {} | {} | {} | {} | {} |",
            self.comparisons,
            self.too_few,
            self.same,
            self.inconclusive,
            share(self.step_changed),
            share(self.changed),
        );
    }
}

fn main() -> Outcome<()> {
    let (mut most, mut patterns, mut words) = (MOST, Vec::new(), std::env::args().skip(1));
    while let Some(word) = words.next() {
        match word.as_str() {
            "--most" => most = words.next().ok_or("invalid --most: expected a number")?.parse()?,
            _ => patterns.push(word),
        }
    }
    if patterns.is_empty() {
        return Err(
            "usage: splits [--most N] RUNS…, each a folder of runs, or a pattern such as 'runs/control-*'".into()
        );
    }
    println!(
        "| program | runs | a side | comparisons | too few | no relevant change | inconclusive | step changed | anything changed |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut programs = Vec::new();
    for pattern in patterns {
        let runs = load(&pattern)?;
        let name = PathBuf::from(&pattern).file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        for size in 2..=runs.len() / 2 {
            let counts = compared(&runs, &divisions(runs.len(), size, most))?;
            counts.print(&name, runs.len(), size);
        }
        programs.push(runs);
    }
    if programs.len() > 1 && programs.iter().all(|runs| runs.len() % 2 == 0) {
        let sides: Vec<_> = mixed(&programs).into_iter().take(most).collect();
        let runs = programs.concat();
        compared(&runs, &sides)?.print("half of each", runs.len(), runs.len() / 2);
    }
    Ok(())
}

/// Loads the runs that a pattern names, by name; of a folder those in it.
fn load(pattern: &str) -> Outcome<Vec<LabeledTrace>> {
    let path = PathBuf::from(pattern);
    let (folder, file) = if path.is_dir() {
        (path, "*".to_owned())
    } else {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (path.parent().map(PathBuf::from).unwrap_or_default(), name)
    };
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let entries: Vec<PathBuf> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut found: Vec<PathBuf> =
        entries.into_iter().filter(|path| trace::read::is_name_match(&file, &name(path))).collect();
    found.sort();
    found.iter().map(|path| Ok(TraceSet::load(path)?.with_label(name(path)).into())).collect()
}

/// Compares runs in these divisions.
fn compared(runs: &[LabeledTrace], divisions: &[Division]) -> Outcome<VerdictCounts> {
    let mut counts = VerdictCounts::default();
    for [one, other] in divisions {
        let side = |indices: &[usize]| indices.iter().map(|&at| runs[at].clone()).collect::<Vec<_>>();
        counts.add(Explain::of_runs(side(one), side(other)).run()?.certainty());
    }
    Ok(counts)
}

/// Ways to divide the runs of several programs, one program after the other, into sides with half of each.
fn mixed(programs: &[Vec<LabeledTrace>]) -> Vec<Division> {
    let mut sides: Vec<Vec<usize>> = vec![Vec::new()];
    let mut first = 0;
    for runs in programs {
        let indices: Vec<usize> = (first..first + runs.len()).collect();
        first += runs.len();
        let halves = chosen(&indices, runs.len() / 2);
        sides = sides.iter().flat_map(|side| halves.iter().map(|half| [&side[..], half].concat())).collect();
    }
    let rest = |side: &Vec<usize>| (0..first).filter(|at| !side.contains(at)).collect::<Vec<_>>();
    sides.into_iter().map(|side| [rest(&side), side]).filter(|[one, other]| one < other).collect()
}

/// Ways to divide `count` runs into two sides of `size`, each once whichever side comes first.
fn divisions(count: usize, size: usize, most: usize) -> Vec<Division> {
    let mut order: Vec<usize> = (0..count).collect();
    if ways(count, 2 * size) * ways(2 * size, size) / 2.0 <= most as f64 {
        let all = chosen(&order, size).into_iter().flat_map(|one| {
            let rest: Vec<usize> = order.iter().copied().filter(|at| !one.contains(at)).collect();
            let others = chosen(&rest, size).into_iter().filter(|other| one < *other).collect::<Vec<_>>();
            others.into_iter().map(move |other| [one.clone(), other]).collect::<Vec<_>>()
        });
        return all.collect();
    }
    let (mut random, mut found) = (Random::new(SEED), BTreeSet::new());
    while found.len() < most {
        random.shuffle(&mut order);
        let mut sides = [order[..size].to_vec(), order[size..2 * size].to_vec()];
        sides.iter_mut().for_each(|side| side.sort_unstable());
        sides.sort();
        found.insert(sides);
    }
    found.into_iter().collect()
}

/// In how many ways `size` of `count` can be chosen.
fn ways(count: usize, size: usize) -> f64 {
    (0..size).map(|at| (count - at) as f64 / (at + 1) as f64).product()
}

/// All ways to choose `size` of some places, which are ascending.
fn chosen(indices: &[usize], size: usize) -> Vec<Vec<usize>> {
    match (indices, size) {
        (_, 0) => vec![Vec::new()],
        ([], _) => Vec::new(),
        ([first, rest @ ..], size) => {
            let with = chosen(rest, size - 1).into_iter().map(|others| [&[*first][..], &others].concat());
            with.chain(chosen(rest, size)).collect()
        }
    }
}
