//! Companions: a recording made without graphs, or of their capture, lends its operators to the kernels of graphs.

use super::loan::LoanCount;
use super::recordings::{Iterations, lending_recording};
use crate::exec::checkpoint;
use crate::{Compat, Result, Trace, TraceSet};
use call_tree::{Companion, Labels, Loan, Portable, Recording};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::sync::Arc;

/// The companions of a comparison or of a trace, without their traces.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Companions {
    /// Labels of the runs: `eager`, or `capture, eager`.
    labels: String,
    has_stacks: bool,
    /// Ranks of each run.
    runs: Vec<Vec<Lender>>,
}

/// A rank of a companion.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Lender {
    rank: i64,
    /// Of annotations of nodes the file to whose graphs they belong.
    annotates: Option<String>,
    companion: Portable<Companion>,
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
                ranks.push(Lender::of(trace, &found));
            }
            planned.runs.push(ranks);
        }
        Ok(Some(planned).filter(|planned| !planned.runs.is_empty()))
    }

    /// Converts of each companion the rank that lends to this one, and returns these ranks, too.
    ///
    /// # Errors
    /// If events cannot be read.
    pub fn of_rank(companions: &[TraceSet], to: &Trace) -> Result<(Self, Vec<Trace>)> {
        let mut planned = Self { labels: in_words(companions), has_stacks: false, runs: Vec::new() };
        let mut ranks = Vec::new();
        for run in companions {
            let Some(trace) = lending_rank(run, to) else { continue };
            let found = converted(trace, run.compat(), None)?;
            planned.has_stacks |= found.has_stacks;
            planned.runs.push(vec![Lender::of(trace, &found)]);
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

    /// Lends operators to the recording of a rank: of each run those of the same rank, else of its first one; annotations of nodes lend to
    /// their own file only. Returns how many of its kernels of graphs got operators.
    pub fn lend(&self, trace: &Trace, to: &mut Recording, labels: &mut Labels) -> LoanCount {
        let of_run = |ranks: &Vec<Lender>| {
            let lender = lender(ranks, trace, |lender| (lender.rank, lender.annotates.as_deref()))?;
            Some(lender.companion.clone().join(labels))
        };
        let all = self.runs.iter().filter_map(of_run).reduce(Companion::beside).unwrap_or_default();
        let Loan { kernels, borrowed, without_inputs, ambiguous, unmatched } = all.lend(to, labels);
        LoanCount { kernels, with_operators: borrowed, without_shapes: without_inputs, ambiguous, unmatched }
    }
}

impl Lender {
    fn of(trace: &Trace, found: &Converted) -> Self {
        let annotates = trace.annotated_file().map(str::to_owned);
        Self { rank: trace.rank(), annotates, companion: found.companion.clone() }
    }
}

/// Returns the rank of a companion that lends to a rank.
pub(super) fn lending_rank<'r>(run: &'r TraceSet, to: &Trace) -> Option<&'r Trace> {
    lender(run.traces(), to, |trace| (trace.rank(), trace.annotated_file()))
}

/// Returns what companions tell of a rank in memory: found once, and kept with it until memory is wanted. Of ranks in files nothing stays.
/// `about` is what is found; it keeps the ranks that lend.
///
/// # Errors
/// Those of `make`.
pub(super) fn retained<T: Any + Send + Sync>(
    trace: &Trace,
    (about, compat): (&str, Compat),
    companions: &[TraceSet],
    bytes: impl FnOnce(&T) -> usize,
    make: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let lenders: Vec<(&str, &Trace)> =
        companions.iter().filter_map(|run| Some((run.label(), lending_rank(run, trace)?))).collect();
    if trace.is_stored() || lenders.iter().any(|(_, lender)| lender.is_stored()) {
        return make().map(Arc::new);
    }
    let lenders: Vec<(&str, usize)> = lenders.into_iter().map(|(label, lender)| (label, lender.identity())).collect();
    trace.derived(&format!("{about} {compat:?} {} {lenders:?}", in_words(companions)), bytes, make)
}

/// Returns the rank of a companion that lends to a rank: that of the same number, else the first one. `about` tells its number, and the file
/// that it annotates: such a rank lends to no other file.
fn lender<'r, T>(ranks: &'r [T], to: &Trace, about: impl Fn(&T) -> (i64, Option<&str>)) -> Option<&'r T> {
    let lends = |one: &&T| about(one).1.is_none_or(|file| file == to.info().file);
    let of_rank = ranks.iter().filter(lends).find(|one| about(one).0 == to.rank());
    of_rank.or_else(|| ranks.iter().find(lends))
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
