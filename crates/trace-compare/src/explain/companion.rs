//! Companions: a recording made without graphs, or of their capture, lends its operators to the kernels of graphs.

use super::recordings::{Iterations, recording};
use super::side_summary::Lending;
use super::state::LoanCount;
use crate::collective::Collectives;
use crate::exec::checkpoint;
use crate::{LabeledTrace, Result};
use call_tree::{Companion, Labels, Loan, Portable, Recording};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// A companion, without its traces.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlannedCompanion {
    label: String,
    has_stacks: bool,
    ranks: Vec<(i64, Portable<Companion>)>,
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
            planned.ranks.push((trace.rank(), Portable::of(companion, &labels)));
        }
        Ok(planned)
    }

    pub(super) fn has_stacks(&self) -> bool {
        self.has_stacks
    }

    /// Lends operators to a recording: those of the same rank, else of the first one. Returns how many of its kernels of graphs
    /// got operators.
    pub(super) fn lend(&self, to: &mut Recording, labels: &mut Labels) -> LoanCount {
        let rank = self.ranks.iter().find(|(rank, _)| *rank == to.rank).or_else(|| self.ranks.first());
        let Some((_, companion)) = rank else { return LoanCount::default() };
        let Loan { kernels, borrowed, ambiguous } = companion.clone().join(labels).lend(to, labels);
        LoanCount { kernels, with_operators: borrowed, ambiguous }
    }

    pub(super) fn lending(&self, LoanCount { kernels, with_operators, ambiguous }: LoanCount) -> Lending {
        Lending { companion: self.label.clone(), kernels, with_operators, ambiguous }
    }
}
