//! Choice of the phase that is compared, where iterations are of several.
//!
//! A mean over prefills and decodes says nothing: what it changes by depends on how many of each were recorded.

use super::phase_structure::{IterationWork, StructuralPhase, paired_phases, structural_phases, without_similar};
use super::phases::{named_runs, phase};
use super::sides::Recorded;
use crate::error::ExplainReason;
use crate::{Result, shorten_name};
use call_tree::{Labels, Reason};
use std::collections::{BTreeMap, BTreeSet};

/// The phase that a query asks for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'q> {
    /// That with the most iterations.
    Usual,
    /// The iterations were selected by number.
    Iterations,
    /// That of this letter or name; `all` for none.
    Phase(&'q str),
}

/// The word for all phases.
const ALL: &str = "all";

/// Iterations of one phase, such as the decode steps of a server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PhaseSteps {
    /// Letter: `A` for the phase with the most iterations.
    pub letter: String,
    /// What tells it from other phases: the name of its annotations, with `n` for numbers, or else a kernel that only it has; may be empty.
    pub name: String,
    /// Number of its iterations, of control and of test.
    pub iterations: [usize; 2],
    /// Mean length of its steps in µs, of control and of test; `None` on a side without it.
    pub step_us: [Option<f64>; 2],
}

/// The phases of both sides, and the one that is compared.
#[derive(Debug)]
pub(super) struct PhaseChoice {
    pub(super) phases: Vec<PhaseSteps>,
    /// Position of the one that is compared.
    pub(super) compared: usize,
    /// Its iterations, by side and run.
    iterations: [Vec<BTreeSet<i64>>; 2],
    /// Whether annotations name the phases.
    pub(super) is_named: bool,
}

/// A phase with its iterations, by side and run.
struct Phase {
    name: String,
    iterations: [Vec<BTreeSet<i64>>; 2],
}

/// Finds the phases of the iterations of both sides, and chooses the one to compare. `None` if there are no two phases, or none is chosen.
///
/// # Errors
/// [`ExplainReason::UnknownPhase`].
pub(super) fn choose_phase(sides: [&Recorded; 2], labels: &Labels, wanted: Wanted<'_>) -> Result<Option<PhaseChoice>> {
    if matches!(wanted, Wanted::Iterations | Wanted::Phase(ALL)) {
        return Ok(None);
    }
    let work = sides.map(|side| iterations_of(side, labels));
    let is_named = sides.iter().any(|side| side.phases.iter().any(|names| !names.is_empty()));
    let mut phases = if is_named { by_name(sides, &work) } else { by_structure(sides, &work, labels) };
    let count = |phase: &Phase| phase.iterations.iter().flatten().map(BTreeSet::len).sum::<usize>();
    phases.sort_by_key(|phase| std::cmp::Reverse(count(phase)));
    let is_common = |phase: &Phase| phase.iterations.iter().flatten().all(|run| !run.is_empty());
    let steps: Vec<PhaseSteps> = phases.iter().enumerate().map(|(at, phase)| steps_of(at, phase, sides)).collect();
    let common: Vec<usize> = (0..phases.len()).filter(|&at| phases.len() > 1 && is_common(&phases[at])).collect();
    let compared = match wanted {
        Wanted::Phase(phase) => {
            let is_wanted = |&at: &usize| steps[at].letter.eq_ignore_ascii_case(phase) || steps[at].name == phase;
            let Some(found) = common.iter().copied().find(is_wanted) else {
                let known = common.iter().map(|&at| steps[at].text()).collect();
                return Err(ExplainReason::UnknownPhase { phase: phase.to_owned(), known }.into());
            };
            found
        }
        _ => match common.first() {
            Some(&first) => first,
            None => return Ok(None),
        },
    };
    let iterations = phases.swap_remove(compared).iterations;
    Ok(Some(PhaseChoice { phases: steps, compared, iterations, is_named }))
}

impl PhaseSteps {
    /// `A (flash_fwd_kernel)`
    pub(super) fn text(&self) -> String {
        if self.name.is_empty() { self.letter.clone() } else { format!("{} ({})", self.letter, self.name) }
    }
}

impl PhaseChoice {
    /// Leaves the iterations of other phases out.
    pub(super) fn leave_others_out(&self, side: usize, recorded: &mut Recorded) {
        for (run, iterations) in self.iterations[side].iter().enumerate() {
            for partial in recorded.partials_of(run) {
                partial.keep(Reason::AnotherPhase, |iteration| iterations.contains(&iteration));
            }
        }
    }
}

/// The phases that annotations name: those that take about as long are one, called by the name of most.
fn by_name(sides: [&Recorded; 2], work: &[Vec<IterationWork>; 2]) -> Vec<Phase> {
    let names = sides.map(|side| -> Vec<BTreeMap<i64, String>> {
        named_runs(side).into_iter().map(|run| run.into_iter().collect()).collect()
    });
    let all: Vec<(usize, &IterationWork)> =
        work.iter().enumerate().flat_map(|(side, work)| work.iter().map(move |one| (side, one))).collect();
    let name_of = |at: usize| {
        let (side, one) = all[at];
        Some(phase(names[side].get(one.run)?.get(&one.iteration)?))
    };
    let mut found: BTreeMap<String, StructuralPhase> = BTreeMap::new();
    for (at, (_, one)) in all.iter().enumerate() {
        if let Some(name) = name_of(at) {
            found.entry(name).or_default().merge(StructuralPhase::of(at, one));
        }
    }
    let phase = |found: StructuralPhase| {
        let name = found.members.first().and_then(|&at| name_of(at));
        let mut phase = Phase::new(name.unwrap_or_default(), sides);
        for (side, one) in found.members.into_iter().map(|at| all[at]) {
            phase.iterations[side][one.run].insert(one.iteration);
        }
        phase
    };
    without_similar(found.into_values().collect()).into_iter().map(phase).collect()
}

/// The phases that differ in their kernels and times.
fn by_structure(sides: [&Recorded; 2], work: &[Vec<IterationWork>; 2], labels: &Labels) -> Vec<Phase> {
    let found = work.each_ref().map(|work| structural_phases(work));
    let pairs = paired_phases(&found[0], &found[1]);
    let alone = |side: usize, at: usize| !pairs.iter().any(|&(one, other)| [one, other][side] == at);
    let mut locations: Vec<[Option<usize>; 2]> = pairs.iter().map(|&(one, other)| [Some(one), Some(other)]).collect();
    locations.extend((0..found[0].len()).filter(|&at| alone(0, at)).map(|at| [Some(at), None]));
    locations.extend((0..found[1].len()).filter(|&at| alone(1, at)).map(|at| [None, Some(at)]));
    let of = |location: &[Option<usize>; 2]| -> Vec<&StructuralPhase> {
        [0, 1].into_iter().filter_map(|side| Some(&found[side][location[side]?])).collect()
    };
    let phase = |(at, location): (usize, &[Option<usize>; 2])| {
        let others: Vec<&StructuralPhase> =
            locations.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, other)| of(other)).collect();
        let own = of(location).into_iter().find_map(|phase| phase.own_kernel(others.iter().copied()));
        let mut phase = Phase::new(
            own.map_or(String::new(), |name| trace_view::tidy(&shorten_name(labels.full_name(name)))),
            sides,
        );
        for (side, at) in location.iter().enumerate() {
            for &member in at.iter().flat_map(|&at| &found[side][at].members) {
                let iteration = &work[side][member];
                phase.iterations[side][iteration.run].insert(iteration.iteration);
            }
        }
        phase
    };
    locations.iter().enumerate().map(phase).collect()
}

impl Phase {
    fn new(name: String, sides: [&Recorded; 2]) -> Self {
        Self { name, iterations: sides.map(|side| vec![BTreeSet::new(); side.summary.runs]) }
    }
}

/// The iterations of a side, each with the work of all ranks. Whole recordings are none.
fn iterations_of(side: &Recorded, labels: &Labels) -> Vec<IterationWork> {
    let mut found: BTreeMap<(usize, i64), (IterationWork, f64)> = BTreeMap::new();
    for rank in &side.ranks {
        let Some(partial) = rank.recording.map(|at| &side.partials[at]).filter(|partial| !partial.is_whole()) else {
            continue;
        };
        let work = partial.work(labels);
        for ((iteration, step_ns), (_, work)) in partial.iterations().zip(work) {
            let new = || (IterationWork { run: rank.run, iteration, step_ns: 0.0, work: BTreeMap::new() }, 0.0);
            let (one, ranks) = found.entry((rank.run, iteration)).or_insert_with(new);
            (one.step_ns, *ranks) = (one.step_ns + step_ns as f64, *ranks + 1.0);
            for (name, ns) in work {
                *one.work.entry(name).or_default() += ns;
            }
        }
    }
    found.into_values().map(|(one, ranks)| IterationWork { step_ns: one.step_ns / ranks, ..one }).collect()
}

fn steps_of(at: usize, phase: &Phase, sides: [&Recorded; 2]) -> PhaseSteps {
    let letter = u8::try_from(at).ok().filter(|at| *at < 26).map(|at| char::from(b'A' + at).to_string());
    let mean = |side: usize| {
        let lengths: Vec<f64> = sides[side]
            .ranks
            .iter()
            .filter_map(|rank| Some((rank.run, &sides[side].partials[rank.recording?])))
            .flat_map(|(run, partial)| partial.iterations().map(move |(iteration, ns)| (run, iteration, ns)))
            .filter(|(run, iteration, _)| phase.iterations[side][*run].contains(iteration))
            .map(|(.., ns)| ns as f64 / 1e3)
            .collect();
        (!lengths.is_empty()).then(|| statistics::mean(&lengths))
    };
    PhaseSteps {
        letter: letter.unwrap_or_else(|| (at + 1).to_string()),
        name: phase.name.clone(),
        iterations: [0, 1].map(|side| phase.iterations[side].iter().map(BTreeSet::len).sum()),
        step_us: [mean(0), mean(1)],
    }
}
