//! Companions: a recording made without graphs lends its operators to the kernels of graphs.

use super::explanation::Explanation;
use super::plan::wrong;
use super::recordings::{Iterations, recording};
use crate::collective::Collectives;
use crate::exec::checkpoint;
use crate::{LabeledTrace, Result};
use call_tree::{Companion, Labels, Loan, Recording};
use regex::Regex;
use serde::{Deserialize, Serialize};
use trace_view::grouped;

/// What a companion lent to one side.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lending {
    /// Label of the companion.
    pub companion: String,
    /// Kernels of graphs in the selected iterations.
    pub kernels: u64,
    /// Those that got the operators of a kernel of the companion.
    pub with_operators: u64,
}

/// A companion, without its traces.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlannedCompanion {
    label: String,
    has_stacks: bool,
    /// Its ranks as bytes.
    ranks: Vec<(i64, Vec<u8>)>,
}

impl PlannedCompanion {
    /// Converts all ranks of a companion, one after the other.
    ///
    /// # Errors
    /// If events cannot be read.
    pub(super) fn of(run: &LabeledTrace, marker: Option<&Regex>) -> Result<Self> {
        // Every iteration of it lends.
        let iterations = Iterations { marker: marker.cloned(), ..Iterations::default() };
        let mut planned = Self { label: run.label().to_owned(), has_stacks: false, ranks: Vec::new() };
        for trace in run.trace().traces() {
            checkpoint::check()?;
            let mut labels = Labels::default();
            let compat = run.trace().compat();
            let eager = recording(trace, compat, &iterations, &mut labels, &mut Collectives::default())?;
            let companion = Companion::of(&eager, &labels);
            planned.has_stacks |= companion.has_stacks(&labels);
            planned.ranks.push((trace.rank(), companion.to_bytes(&labels)));
        }
        Ok(planned)
    }

    pub(super) fn has_stacks(&self) -> bool {
        self.has_stacks
    }

    /// Lends operators to a recording: those of the same rank, else of the first one. Returns the number of its kernels of graphs,
    /// and of those that got operators.
    ///
    /// # Errors
    /// If the companion was changed outside.
    pub(super) fn lend(&self, to: &mut Recording, labels: &mut Labels) -> Result<(u64, u64)> {
        let rank = self.ranks.iter().find(|(rank, _)| *rank == to.rank).or_else(|| self.ranks.first());
        let Some((_, bytes)) = rank else { return Ok((0, 0)) };
        let companion = Companion::from_bytes(bytes, labels).map_err(|error| wrong(error.to_string()))?;
        let Loan { kernels, lent } = companion.lend(to, labels);
        Ok((kernels, lent))
    }

    pub(super) fn lending(&self, (kernels, with_operators): (u64, u64)) -> Lending {
        Lending { companion: self.label.clone(), kernels, with_operators }
    }
}

impl Explanation {
    /// Says how many kernels of graphs got operators; nothing without a companion.
    pub(super) fn lending_sentence(&self) -> Option<String> {
        let [control, test] = self.sides.each_ref().map(|side| side.lending.as_ref());
        let (control, test) = (control?, test?);
        if control.kernels + test.kernels == 0 {
            return Some(format!(
                "{} lends no operators: neither side has kernels that a graph launched.",
                control.companion
            ));
        }
        let part = |lending: &Lending, side: &str| {
            let of = format!("{} of {}", grouped(lending.with_operators as usize), grouped(lending.kernels as usize));
            (lending.kernels > 0).then(|| format!("{of} in {side}"))
        };
        let parts = [part(control, &self.sides[0].label), part(test, &self.sides[1].label)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        Some(format!("Kernels of graphs with operators from {}: {}.", control.companion, parts.join(", ")))
    }
}
