//! Summary of one side of an explanation.

use crate::certainty::Sentence;
use crate::companion::{Lending, borrowed_in_words};

/// Summary of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SideSummary {
    /// Label; of several runs their labels, joined by commas.
    pub label: String,
    /// Number of runs.
    pub runs: usize,
    /// Name of the group of its runs, if it has one.
    pub group: Option<String>,
    /// Ranks, ascending.
    pub ranks: Vec<i64>,
    /// Iterations, ascending; empty if the whole recording counts as one.
    pub iterations: Vec<i64>,
    /// First iterations of each run that were left out as warm-up because of their step times; 0 where the query says how many.
    pub warm_up: Vec<usize>,
    /// Number of samples: iterations of all ranks of all runs.
    pub samples: usize,
    /// Number of collectives that several ranks recorded.
    pub collectives: usize,
    /// Number of those that do not overlap on all their ranks; if more than one in twenty, the clocks do not agree, and
    /// communication is not divided.
    pub collectives_apart: usize,
    /// What a companion lent to it; `None` without one.
    pub lending: Option<Lending>,
}

impl SideSummary {
    /// Returns the label: of several runs that of their group, or else of more than two the first and the last one.
    pub(super) fn name(&self) -> String {
        if let Some(group) = &self.group {
            return group.clone();
        }
        match self.label.split(',').collect::<Vec<_>>()[..] {
            [first, .., last] if self.runs > 2 => format!("{first} … {last}"),
            _ => self.label.replace(',', ", "),
        }
    }
}

/// Says how many kernels of graphs got operators; nothing without a companion.
pub(super) fn lending_sentence(sides: &[SideSummary; 2]) -> Option<Sentence> {
    let [control, test] = sides.each_ref().map(|side| Some((side.lending.as_ref()?, side.label.as_str())));
    let sides = [control?, test?];
    let sentence = Sentence::new("companion", borrowed_in_words(&sides));
    let [kernels, with_operators]: [u64; 2] =
        [sides.iter().map(|(one, _)| one.kernels).sum(), sides.iter().map(|(one, _)| one.with_operators).sum()];
    if kernels == 0 {
        return Some(sentence);
    }
    Some(sentence.with("kernels", kernels as f64).with("with_operators", with_operators as f64))
}
