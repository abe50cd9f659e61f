//! Matching of iterations by phase and request shape, where a marker names different ones.
//!
//! The annotations of an inference server name what a step serves: `execute_context_1(512)_generation_7(7)`. Two runs serve other requests in
//! another order, so their steps are compared by these names, not by their numbers.

use super::sides::Recorded;
use super::state::Phases;
use crate::Result;
use crate::error::ExplainReason;
use crate::phases::phase_name;
use call_tree::{Kind, Labels, Partial, Reason, Recording};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Fewest iterations a run with equal request shapes, below which iterations of the same phase are taken whatever their shapes.
const FEWEST: usize = statistics::FEWEST;
/// Names that an error lists.
const LISTED: usize = 3;

/// Iterations that were left out so that request shapes agree.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShapeMatch {
    /// Iterations that take part, of control and of test.
    pub(super) retained: [usize; 2],
    /// All iterations that could.
    pub(super) of: [usize; 2],
    /// Whether request shapes agree, too; else only the phase does.
    pub(super) by_shape: bool,
}

/// Returns the names of the marked iterations of a rank.
pub(super) fn phases_of(recording: &Recording, labels: &Labels, marker: &Regex) -> Phases {
    let spans: HashMap<(i64, i64, u32), i64> =
        recording.windows.iter().map(|window| ((window.start, window.end, window.thread), window.iteration)).collect();
    let mut phases = Phases::new();
    for event in recording.events.iter().filter(|event| !event.kind.is_gpu() && event.kind != Kind::Launch) {
        if let Some(&iteration) = spans.get(&(event.start, event.end, event.thread)) {
            let name = labels.text(event.label);
            if marker.is_match(name) {
                phases.entry(iteration).or_insert_with(|| name.to_owned());
            }
        }
    }
    phases
}

/// Leaves iterations out so that every run has as many of each phase and request shape: compared is like with like. `None` if all have the
/// same anyway.
///
/// # Errors
/// [`ExplainReason::NoCommonPhase`] if no phase is in all runs.
pub(super) fn match_shapes(sides: [&mut Recorded; 2]) -> Result<Option<ShapeMatch>> {
    let runs: Vec<Vec<(i64, String)>> = sides.iter().flat_map(|side| named_runs(side)).collect();
    let names: BTreeSet<&str> = runs.iter().flatten().map(|(_, name)| name.as_str()).collect();
    if names.len() < 2 || runs.windows(2).all(|pair| counts(&pair[0], exact) == counts(&pair[1], exact)) {
        return Ok(None);
    }
    let (by_shape, by_phase) = (common_iterations(&runs, exact), common_iterations(&runs, phase_name));
    let fewest = |sets: &[BTreeSet<i64>]| sets.iter().map(BTreeSet::len).min().unwrap_or(0);
    let is_by_shape = fewest(&by_shape) >= FEWEST.min(fewest(&by_phase));
    let all = || runs.iter().map(|run| run.iter().map(|(iteration, _)| *iteration).collect()).collect();
    let is_one_phase = names.iter().map(|name| phase_name(name)).collect::<BTreeSet<_>>().len() == 1;
    let retained = match is_by_shape {
        true => by_shape,
        // The mean over all of them is that of the phase.
        false if is_one_phase => all(),
        false => by_phase,
    };
    if fewest(&retained) == 0 {
        let of_side = |side: &Recorded| {
            let names: BTreeSet<String> = named_runs(side).into_iter().flatten().map(|(_, name)| name).collect();
            names.into_iter().take(LISTED).collect::<Vec<_>>().join(", ")
        };
        let [control, test] = sides;
        return Err(ExplainReason::NoCommonPhase { control: of_side(control), test: of_side(test) }.into());
    }
    let mut matched = ShapeMatch { retained: [0, 0], of: [0, 0], by_shape: is_by_shape };
    let mut of_runs = retained.iter().zip(&runs);
    for (index, side) in sides.into_iter().enumerate() {
        for run in 0..side.summary.runs {
            let Some((iterations, all)) = of_runs.next() else { break };
            (matched.retained[index], matched.of[index]) =
                (matched.retained[index] + iterations.len(), matched.of[index] + all.len());
            for partial in side.partials_of(run) {
                partial.keep(Reason::OtherPhase, |iteration| iterations.contains(&iteration));
            }
        }
    }
    Ok(Some(matched))
}

/// The iterations that count of each run, with their names, by number; those without a name are left out of it.
pub(super) fn named_runs(side: &Recorded) -> Vec<Vec<(i64, String)>> {
    let mut runs = vec![BTreeMap::new(); side.summary.runs];
    for rank in &side.ranks {
        let Some(at) = rank.recording else { continue };
        let (partial, phases): (&Partial, &Phases) = (&side.partials[at], &side.phases[at]);
        for (iteration, _) in partial.iterations() {
            if let (Some(name), Some(run)) = (phases.get(&iteration), runs.get_mut(rank.run)) {
                run.entry(iteration).or_insert_with(|| name.clone());
            }
        }
    }
    runs.into_iter().map(|run| run.into_iter().collect()).collect()
}

/// The first iterations of each run, of each key as many as the run with the fewest has.
fn common_iterations(runs: &[Vec<(i64, String)>], key: fn(&str) -> String) -> Vec<BTreeSet<i64>> {
    let all: Vec<BTreeMap<String, usize>> = runs.iter().map(|run| counts(run, key)).collect();
    let fewest = |key: &String| all.iter().map(|counts| counts.get(key).copied().unwrap_or(0)).min().unwrap_or(0);
    let of_run = |run: &Vec<(i64, String)>| {
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        let takes = |name: &str| {
            let key = key(name);
            let most = fewest(&key);
            let count = taken.entry(key).or_default();
            *count += 1;
            *count <= most
        };
        let mut takes = takes;
        run.iter().filter(|(_, name)| takes(name)).map(|(iteration, _)| *iteration).collect()
    };
    runs.iter().map(of_run).collect()
}

fn counts(run: &[(i64, String)], key: fn(&str) -> String) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, name) in run {
        *counts.entry(key(name)).or_default() += 1;
    }
    counts
}

/// Phase and request shape: the name.
fn exact(name: &str) -> String {
    name.to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::MatchedBy;
    use super::*;
    use crate::{Explain, Explanation, SelectEvents, TraceSet};
    use trace_testkit::{Stream, TraceBuilder};

    /// A server that serves these steps, each with one kernel of so many µs.
    fn server(steps: &[(&str, i64)]) -> TraceSet {
        let mut trace = TraceBuilder::new();
        for ((name, us), id) in steps.iter().zip(1..) {
            let at = id * 1_000;
            trace = trace
                .annotation(name, at..at + 900)
                .operator("aten::mm", at + 1..at + 9)
                .runtime("cudaLaunchKernel", id, at + 2..at + 4)
                .kernel("gemm", Stream(7), at + 10..at + 10 + us)
                .correlation(id);
        }
        TraceSet::from_bytes(trace.json()).unwrap()
    }

    fn explained(control: &TraceSet, test: &TraceSet) -> Result<Explanation> {
        Explain::new(control, test).marker(Regex::new("^execute_").unwrap()).run()
    }

    fn matched(explanation: &Explanation) -> ([usize; 2], [usize; 2], MatchedBy) {
        let phases = explanation.phases.as_ref().unwrap();
        (phases.retained, phases.of, phases.by)
    }

    const PREFILL: &str = "execute_context_1(512)_generation_0(0)";
    const DECODE: &str = "execute_context_0(0)_generation_4(4)";

    #[test]
    fn steps_are_compared_with_steps_of_their_phase() {
        // Test serves more prefills, which take longer; no step of either phase got slower.
        let decode = [(DECODE, 100); 5];
        let control = server(&[&decode[..], &[(PREFILL, 800)]].concat()).with_label("a");
        let test = server(&[&[(PREFILL, 800); 3][..], &decode].concat()).with_label("b");
        let explanation = explained(&control, &test).unwrap();
        assert_eq!(explanation.step.delta_us, 0.0);
        assert!(explanation.classes.iter().all(|class| class.delta_us == 0.0), "{:?}", explanation.classes);
        assert_eq!(matched(&explanation), ([5, 5], [6, 8], MatchedBy::Shape));
        let left_out: Vec<(&str, i64, u64)> =
            explanation.coverage()[1].reasons().map(|(reason, ns, events)| (reason.word(), ns, events)).collect();
        assert_eq!(left_out, [("another phase", 2_400_000, 3)]);
        let lead = explanation.lead();
        assert!(lead.contains("of 2 phases, of which A is compared; --phase B compares another"), "{lead}");
        assert!(lead.contains("A (execute_context_0(0)_generation_n(n)): 5 + 5"), "{lead}");
        // All of them, as many of each.
        let mean = Explain::new(&control, &test).marker(Regex::new("^execute_").unwrap()).phase("all").run().unwrap();
        assert_eq!(matched(&mean), ([6, 6], [6, 8], MatchedBy::Shape));
        let text = mean.sentences();
        assert!(text.contains("by phase and request shape: 6 of 6 of a and 6 of 8 of b take part"), "{text}");
    }

    #[test]
    fn steps_of_other_shapes_are_compared_by_phase() {
        let control = server(&[("execute_context_0(0)_generation_4(4)", 100), (PREFILL, 800)]);
        let test =
            server(&[("execute_context_0(0)_generation_9(9)", 120), ("execute_context_1(64)_generation_0(0)", 800)]);
        let explanation = explained(&control, &test).unwrap();
        assert_eq!(matched(&explanation), ([1, 1], [2, 2], MatchedBy::Phase));
        assert!(explanation.sentences().contains("by phase only"), "{}", explanation.sentences());
    }

    #[test]
    fn without_a_common_phase_nothing_is_compared() {
        let error =
            explained(&server(&[(DECODE, 1), (DECODE, 1)]), &server(&[(PREFILL, 1), (PREFILL, 1)])).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(DECODE) && text.contains(PREFILL) && text.contains("no phase in common"), "{text}");
    }

    #[test]
    fn markers_of_one_name_are_not_matched() {
        let explanation = explained(&server(&[(DECODE, 5); 3]), &server(&[(DECODE, 5); 5])).unwrap();
        assert_eq!((explanation.phases, explanation.sides[1].samples), (None, 5));
    }
}
