//! Choice of the phase that is compared, where iterations are of several.
//!
//! A mean over prefills and decodes says nothing: what it changes by depends on how many of each were recorded.

use super::structure::{IterationWork, StructuralPhase, paired_phases, structural_phases, without_similar};
use crate::Result;
use crate::error::ExplainReason;
use std::collections::{BTreeMap, BTreeSet};

/// The phase that a query asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'q> {
    /// That with the most iterations.
    Usual,
    /// The iterations were selected by number.
    Iterations,
    /// That of this letter or name; `all` for none.
    Phase(&'q str),
}

/// The iterations of the runs of a side.
#[derive(Debug, Default)]
pub(crate) struct SideIterations {
    pub(crate) runs: usize,
    pub(crate) iterations: Vec<IterationWork>,
    /// Names of kernels as they are shown, by their names in [`Work`](super::Work).
    pub(crate) kernels: BTreeMap<String, String>,
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
    /// Mean length of its steps in µs before warm-up is left out, each run with the same weight, of control and of test; `None` on a side
    /// without it.
    pub step_us: [Option<f64>; 2],
}

/// The phases of both sides, and the one that is compared.
#[derive(Debug, Clone)]
pub(crate) struct PhaseChoice {
    pub(crate) phases: Vec<PhaseSteps>,
    /// Position of the one that is compared.
    pub(crate) compared: usize,
    /// Its iterations, by side and run.
    pub(crate) iterations: [Vec<BTreeSet<i64>>; 2],
    /// Whether annotations name the phases.
    pub(crate) is_named: bool,
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
pub(crate) fn choose_phase(sides: [&SideIterations; 2], wanted: Wanted<'_>) -> Result<Option<PhaseChoice>> {
    if matches!(wanted, Wanted::Iterations | Wanted::Phase(ALL)) {
        return Ok(None);
    }
    let is_named = sides.iter().any(|side| side.iterations.iter().any(|one| one.name.is_some()));
    let mut phases = if is_named { by_name(sides) } else { by_structure(sides) };
    let count = |phase: &Phase| phase.iterations.iter().flatten().map(BTreeSet::len).sum::<usize>();
    phases.sort_by_key(|phase| std::cmp::Reverse(count(phase)));
    let is_common = |phase: &Phase| phase.iterations.iter().flatten().all(|run| !run.is_empty());
    let steps: Vec<PhaseSteps> = phases.iter().enumerate().map(|(at, phase)| phase.steps(at, sides)).collect();
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
    fn text(&self) -> String {
        if self.name.is_empty() { self.letter.clone() } else { format!("{} ({})", self.letter, self.name) }
    }
}

/// The phases that annotations name: those that take about as long are one, called by the name of most.
fn by_name(sides: [&SideIterations; 2]) -> Vec<Phase> {
    let all: Vec<(usize, &IterationWork)> =
        sides.into_iter().enumerate().flat_map(|(side, of)| of.iterations.iter().map(move |one| (side, one))).collect();
    let name_of = |at: usize| all[at].1.name.as_deref().map(phase_name);
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
fn by_structure(sides: [&SideIterations; 2]) -> Vec<Phase> {
    let found = sides.map(|side| structural_phases(&side.iterations));
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
        let shown = own.map(|own| sides.iter().find_map(|side| side.kernels.get(own)).map_or(own, String::as_str));
        let mut phase = Phase::new(shown.unwrap_or_default().to_owned(), sides);
        for (side, at) in location.iter().enumerate() {
            for &member in at.iter().flat_map(|&at| &found[side][at].members) {
                let one = &sides[side].iterations[member];
                phase.iterations[side][one.run].insert(one.iteration);
            }
        }
        phase
    };
    locations.iter().enumerate().map(phase).collect()
}

impl Phase {
    fn new(name: String, sides: [&SideIterations; 2]) -> Self {
        Self { name, iterations: sides.map(|side| vec![BTreeSet::new(); side.runs]) }
    }

    fn steps(&self, at: usize, sides: [&SideIterations; 2]) -> PhaseSteps {
        let letter = u8::try_from(at).ok().filter(|at| *at < 26).map(|at| char::from(b'A' + at).to_string());
        // Each run counts the same, as in the step of all answers.
        let mean = |side: usize| {
            let mut runs: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
            for one in &sides[side].iterations {
                if self.iterations[side][one.run].contains(&one.iteration) {
                    runs.entry(one.run).or_default().push(one.step_ns / 1e3);
                }
            }
            let means: Vec<f64> = runs.values().map(|lengths| statistics::mean(lengths)).collect();
            (!means.is_empty()).then(|| statistics::mean(&means))
        };
        PhaseSteps {
            letter: letter.unwrap_or_else(|| (at + 1).to_string()),
            name: self.name.clone(),
            iterations: [0, 1].map(|side| self.iterations[side].iter().map(BTreeSet::len).sum()),
            step_us: [mean(0), mean(1)],
        }
    }
}

/// Returns the phase that an annotation names: numbers count only as zero or not, `execute_context_0(0)_generation_n(n)`.
pub(crate) fn phase_name(name: &str) -> String {
    let (mut phase, mut number) = (String::with_capacity(name.len()), String::new());
    for letter in name.chars().chain(['\0']) {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        if !number.is_empty() {
            phase.push(if number.bytes().all(|digit| digit == b'0') { '0' } else { 'n' });
            number.clear();
        }
        if letter != '\0' {
            phase.push(letter);
        }
    }
    phase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_phase_are_zero_or_not() {
        assert_eq!(phase_name("execute_context_1(512)_generation_0(0)"), "execute_context_n(n)_generation_0(0)");
        assert_eq!(phase_name("execute_context_00(0)_generation_10(7)"), "execute_context_0(0)_generation_n(n)");
        assert_eq!(phase_name("12"), "n");
    }
}
