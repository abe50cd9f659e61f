//! Summary of one side of an explanation.

use crate::certainty::Sentence;
use trace_view::format::counted;
use trace_view::grouped;

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

/// What a companion lent to one side.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lending {
    /// Label of the companion, of several separated by commas.
    pub companion: String,
    /// Kernels of graphs in the selected iterations.
    pub kernels: u64,
    /// Those that got the operators of a kernel of the companion.
    pub with_operators: u64,
    /// Those without operators since their graph fits several captures of the companion that differ.
    pub ambiguous: u64,
}

/// Says how many kernels of graphs got operators; nothing without a companion.
pub(super) fn lending_sentence(sides: &[SideSummary; 2]) -> Option<Sentence> {
    let [control, test] = sides.each_ref().map(|side| side.lending.as_ref());
    let (control, test) = (control?, test?);
    if control.kernels + test.kernels == 0 {
        let text = format!("No operators from {}: neither side has kernels that a graph launched.", control.companion);
        return Some(Sentence::new("companion", text));
    }
    let part = |lending: &Lending, side: &str| {
        let of = format!("{} of {}", grouped(lending.with_operators as usize), grouped(lending.kernels as usize));
        (lending.kernels > 0).then(|| format!("{of} in {side}"))
    };
    let parts = [part(control, &sides[0].label), part(test, &sides[1].label)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let ambiguous = match control.ambiguous + test.ambiguous {
        0 => String::new(),
        number => {
            let kernels = counted(number as usize, "kernel");
            format!("; graphs with {kernels} fit several captures that differ, and get none")
        }
    };
    let text = format!("Kernels of graphs with operators from {}: {}{ambiguous}.", control.companion, parts.join(", "));
    let [with, of] = [control.with_operators + test.with_operators, control.kernels + test.kernels];
    Some(Sentence::new("companion", text).with("kernels", of as f64).with("with_operators", with as f64))
}
