//! Companions: a recording made without graphs, or of their capture, lends its operators to the kernels of graphs.

use super::loan::LoanCount;
use super::recordings::{Iterations, lending_recording};
use crate::exec::checkpoint;
use crate::{Compat, Result, Trace, TraceSet};
use call_tree::{Companion, Labels, Loan, Portable, Recording};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The companions of a comparison or of a trace, without their traces.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Companions {
    /// Labels of the runs: `eager`, or `capture, eager`.
    labels: String,
    has_stacks: bool,
    /// Ranks by number, of each run.
    runs: Vec<Vec<(i64, Portable<Companion>)>>,
}

/// A rank of a companion, converted.
struct Converted {
    companion: Portable<Companion>,
    has_stacks: bool,
}

impl Companions {
    /// Converts all ranks of companions, one after the other; without companions, nothing.
    ///
    /// # Errors
    /// If events cannot be read.
    pub fn of(companions: &[TraceSet], marker: Option<&Regex>) -> Result<Option<Self>> {
        let mut planned = Self { labels: in_words(companions), has_stacks: false, runs: Vec::new() };
        for run in companions {
            let mut ranks = Vec::new();
            for trace in run.traces() {
                let found = converted(trace, run.compat(), marker)?;
                planned.has_stacks |= found.has_stacks;
                ranks.push((trace.rank(), found.companion.clone()));
            }
            planned.runs.push(ranks);
        }
        Ok(Some(planned).filter(|planned| !planned.runs.is_empty()))
    }

    /// Converts of each companion the rank that lends to this one, and returns these ranks, too.
    ///
    /// # Errors
    /// If events cannot be read.
    pub fn of_rank(companions: &[TraceSet], rank: i64) -> Result<(Self, Vec<Trace>)> {
        let mut planned = Self { labels: in_words(companions), has_stacks: false, runs: Vec::new() };
        let mut ranks = Vec::new();
        for run in companions {
            let Some(trace) = lender(run.traces(), rank, Trace::rank) else { continue };
            let found = converted(trace, run.compat(), None)?;
            planned.has_stacks |= found.has_stacks;
            planned.runs.push(vec![(trace.rank(), found.companion.clone())]);
            ranks.push(trace.clone());
        }
        Ok((planned, ranks))
    }

    /// Returns the labels of the companions, separated by commas.
    pub fn labels(&self) -> &str {
        &self.labels
    }

    /// Tells whether one has frames of Python or modules.
    pub fn has_stacks(&self) -> bool {
        self.has_stacks
    }

    /// Lends operators to a recording: of each run those of the same rank, else of its first one. Returns how many of its kernels of
    /// graphs got operators.
    pub fn lend(&self, to: &mut Recording, labels: &mut Labels) -> LoanCount {
        let rank = to.rank;
        let of_run = |ranks: &Vec<(i64, Portable<Companion>)>| {
            let (_, companion) = lender(ranks, rank, |(rank, _)| *rank)?;
            Some(companion.clone().join(labels))
        };
        let Some(all) = self.runs.iter().filter_map(of_run).reduce(Companion::beside) else {
            return LoanCount::default();
        };
        let Loan { kernels, borrowed, without_inputs, ambiguous } = all.lend(to, labels);
        LoanCount { kernels, with_operators: borrowed, without_shapes: without_inputs, ambiguous }
    }
}

/// Returns the rank of a companion that lends to a rank: that of the same number, else the first one.
fn lender<T>(ranks: &[T], rank: i64, number: impl Fn(&T) -> i64) -> Option<&T> {
    ranks.iter().find(|one| number(one) == rank).or_else(|| ranks.first())
}

/// Returns the labels of companions, separated by commas.
pub fn in_words(companions: &[TraceSet]) -> String {
    companions.iter().map(TraceSet::label).collect::<Vec<&str>>().join(", ")
}

/// Converts a rank of a companion; each iteration of it lends. Of a rank in memory it is found once.
fn converted(trace: &Trace, compat: Compat, marker: Option<&Regex>) -> Result<Arc<Converted>> {
    checkpoint::check()?;
    let convert = || {
        let iterations = Iterations { marker: marker.cloned(), ..Iterations::default() };
        let mut labels = Labels::default();
        let eager = lending_recording(trace, compat, &iterations, &mut labels)?;
        let companion = Companion::of(&eager, &labels);
        let has_stacks = companion.has_stacks(&labels);
        Ok(Converted { companion: Portable::of(companion, &labels), has_stacks })
    };
    if trace.is_stored() || marker.is_some() {
        // Of ranks in files nothing stays in memory.
        return Ok(Arc::new(convert()?));
    }
    trace.derived("companion", |found: &Converted| found.companion.value().bytes(), convert)
}
