//! The phases in words.

use super::choice::PhaseSteps;
use crate::certainty::Sentence;
use trace_view::format::{counted, microseconds as time};

/// Says of which phases the iterations are, how long those of each take, and which one counts.
pub(crate) fn phase_sentence(phases: &[PhaseSteps], compared: usize) -> Option<Sentence> {
    let counts = phases.get(compared)?;
    let has_test = phases.iter().any(|phase| phase.iterations[1] > 0);
    let steps = |phase: &PhaseSteps| {
        let [control, test] = phase.iterations;
        let [one, other] = phase.step_us.map(|us| us.map_or("none".to_owned(), time));
        let name = if phase.name.is_empty() { String::new() } else { format!(" ({})", phase.name) };
        let of = if has_test { format!("{control} + {test}, {one} → {other}") } else { format!("{control}, {one}") };
        format!("{}{name}: {of} a step", phase.letter)
    };
    let all: Vec<String> = phases.iter().map(steps).collect();
    let is_on_all = |phase: &&PhaseSteps| phase.iterations[0] > 0 && (phase.iterations[1] > 0 || !has_test);
    let other = phases.iter().filter(|phase| phase.letter != counts.letter).find(is_on_all);
    let verb = if has_test { "compare" } else { "measure" };
    let hint = other.map_or(String::new(), |phase| format!("; --phase {} {verb}s another", phase.letter));
    let text = format!(
        "Iterations are of {}, of which {} is {verb}d{hint}. {}.",
        counted(phases.len(), "phase"),
        counts.letter,
        all.join("; ")
    );
    let mut sentence = Sentence::new("phase", text).with("phases", phases.len() as f64);
    if let [Some(control), Some(test)] = counts.step_us {
        sentence = sentence.with("control_us", control).with("test_us", test);
    }
    Some(sentence)
}
