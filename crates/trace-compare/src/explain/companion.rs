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

/// The companions of a comparison, without their traces.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlannedCompanion {
    /// Labels of the runs: `eager`, or `capture, eager`.
    labels: String,
    has_stacks: bool,
    /// Ranks by number, of each run.
    runs: Vec<Vec<(i64, Portable<Companion>)>>,
}

impl PlannedCompanion {
    /// Converts all ranks of companions, one after the other; without companions, nothing.
    ///
    /// # Errors
    /// If events cannot be read.
    pub(super) fn of(companions: &[LabeledTrace], marker: Option<&Regex>) -> Result<Option<Self>> {
        // Every iteration of it lends.
        let iterations = Iterations { marker: marker.cloned(), ..Iterations::default() };
        let labels: Vec<&str> = companions.iter().map(LabeledTrace::label).collect();
        let mut planned = Self { labels: labels.join(", "), has_stacks: false, runs: Vec::new() };
        for run in companions {
            let (compat, mut ranks) = (run.trace().compat(), Vec::new());
            for trace in run.trace().traces() {
                checkpoint::check()?;
                let mut labels = Labels::default();
                let eager = recording(trace, compat, &iterations, &mut labels, &mut Collectives::default())?;
                let companion = Companion::of(&eager, &labels);
                planned.has_stacks |= companion.has_stacks(&labels);
                ranks.push((trace.rank(), Portable::of(companion, &labels)));
            }
            planned.runs.push(ranks);
        }
        Ok(Some(planned).filter(|planned| !planned.runs.is_empty()))
    }

    pub(super) fn has_stacks(&self) -> bool {
        self.has_stacks
    }

    /// Lends operators to a recording: of each run those of the same rank, else of its first one. Returns how many of its kernels of
    /// graphs got operators.
    pub(super) fn lend(&self, to: &mut Recording, labels: &mut Labels) -> LoanCount {
        let of_rank = |ranks: &[(i64, Portable<Companion>)]| {
            let rank = ranks.iter().find(|(rank, _)| *rank == to.rank).or_else(|| ranks.first());
            rank.map(|(_, companion)| companion.clone().join(labels))
        };
        let all = self.runs.iter().map(Vec::as_slice).filter_map(of_rank).reduce(Companion::beside);
        let Some(all) = all else { return LoanCount::default() };
        let Loan { kernels, borrowed, ambiguous } = all.lend(to, labels);
        LoanCount { kernels, with_operators: borrowed, ambiguous }
    }

    pub(super) fn lending(&self, LoanCount { kernels, with_operators, ambiguous }: LoanCount) -> Lending {
        Lending { companion: self.labels.clone(), kernels, with_operators, ambiguous }
    }
}
