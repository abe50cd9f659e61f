//! Search for the call that divides a recording into iterations.

use super::family::{Families, Family};
use super::marker::{LEAST_SHARE, StepMarker};
use super::repeating::repeating;
use super::work::{Thread, Work};
use crate::dataset::MarkedIterations;
use crate::domain::{EventKind, ProposedMarker};
use crate::exec::batches::Batches;
use crate::exec::checkpoint::cancellable;
use crate::exec::memory::{Budget, Task};
use crate::frame::{READ_COLUMNS, RankEvents};
use crate::interval::outermost;
use crate::{Compat, Error, Result, Trace, TraceSet};
use polars::prelude::PlSmallStr;
use regex::Regex;

/// Least number of iterations: two may be two phases of one.
const LEAST_COUNT: usize = 3;
/// Least number of calls around which are no iterations, although others inside of them repeat: a layer is no step.
const LEAST_AROUND: usize = 2;
/// Share of the work by which a call inside of another one may launch less and still be preferred, since it says more.
const LOSS: f64 = 0.05;
/// Least share of the iterations whose own thread launches work.
const LEAST_WORKING: f64 = 0.9;
/// Memory for each event of a rank, in bytes: its family and row, and what it launches.
const BYTES_PER_EVENT: usize = 60;

/// The iterations that recordings without the profiler's steps have.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundSteps {
    /// No call repeats and launches most of the work.
    None,
    /// Calls of several kinds do, or not the same one in all recordings: those of the first recording.
    Several(Vec<StepMarker>),
    /// One call does in all recordings, in this order: its calls in each of them.
    One(Vec<StepMarker>),
}

impl FoundSteps {
    /// Finds the iterations of several recordings, of which each is searched on its first rank of these, by default of all.
    ///
    /// # Errors
    /// If events cannot be read, or memory does not suffice.
    pub fn of(recordings: &[(&TraceSet, Vec<Trace>)]) -> Result<Self> {
        let mut firsts: Vec<&Trace> = Vec::new();
        let mut budget: Option<Budget> = None;
        for (traces, ranks) in recordings {
            let Some(rank) = ranks.first().filter(|_| ranks.iter().all(|rank| rank.elsewhere().is_none())) else {
                return Ok(Self::None);
            };
            let of_traces = traces.budget()?;
            budget = Some(budget.map_or(of_traces, |budget| budget.smaller(of_traces)));
            firsts.push(rank);
        }
        let Some(budget) = budget else { return Ok(Self::None) };
        let columns = READ_COLUMNS.map(PlSmallStr::from_static);
        let need = |rank: &&Trace| rank.bytes_needed_of(&columns, BYTES_PER_EVENT);
        let search = |rank: &&Trace| Ok(found_in(&rank.rank_events(&rank.frame_of(&columns)?, Compat::Exact)?));
        let searched = Batches::within(budget, Task::Answer("iterations")).each(&firsts, need, search)?;
        let Some(first) = searched.first().filter(|fitting| !fitting.is_empty()) else { return Ok(Self::None) };
        if searched.iter().all(|fitting| fitting.len() == 1) {
            for wanted in &first[0] {
                let same = |fitting: &Vec<Vec<StepMarker>>| {
                    fitting[0].iter().find(|marker| marker.pattern == wanted.pattern).cloned()
                };
                let found: Option<Vec<StepMarker>> = searched.iter().map(same).collect();
                if let Some(found) = found
                    && is_on_all_ranks(&found, recordings)?
                {
                    return Ok(Self::One(found));
                }
            }
        }
        Ok(Self::Several(first.iter().filter_map(|chain| chain.first().cloned()).collect()))
    }

    /// Returns the calls that would divide a recording; none if it has the profiler's steps, or if an engine has its events.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn proposed(traces: &TraceSet) -> Result<Vec<ProposedMarker>> {
        if traces.has_profiler_steps() {
            return Ok(Vec::new());
        }
        let found = match Self::of(&[(traces, traces.traces().to_vec())])? {
            Self::None => Vec::new(),
            Self::Several(calls) | Self::One(calls) => calls,
        };
        Ok(found.into_iter().map(ProposedMarker::from).collect())
    }

    /// Returns the error of a requested iteration of a recording without the profiler's steps, with the calls that would divide it.
    pub fn no_iterations(traces: &TraceSet, label: &str, iteration: i64) -> Error {
        match Self::proposed(traces) {
            Ok(calls) => Error::NoIterations { label: label.to_owned(), iteration, calls },
            Err(error @ Error::Interrupted) => error,
            Err(_) => Error::NoIterations { label: label.to_owned(), iteration, calls: Vec::new() },
        }
    }
}

/// Tells whether a marker finds these calls on the ranks that were searched, and some on all others.
fn is_on_all_ranks(found: &[StepMarker], recordings: &[(&TraceSet, Vec<Trace>)]) -> Result<bool> {
    for (found, (_, ranks)) in found.iter().zip(recordings) {
        let Ok(marker) = Regex::new(&found.pattern) else { return Ok(false) };
        for (at, rank) in ranks.iter().enumerate() {
            let count = MarkedIterations::of(rank, &marker)?.len();
            if count == 0 || at == 0 && count != found.count {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// A call that fits.
struct Candidate {
    marker: StepMarker,
    is_annotation: bool,
    is_module: bool,
    spans: Vec<(i64, i64)>,
    ns: i64,
}

/// Returns the calls that fit; where there are none, the launches of a kernel with which the same launches begin again and again.
fn found_in(rows: &RankEvents) -> Vec<Vec<StepMarker>> {
    let calls = fitting(rows);
    if calls.is_empty() { repeating(rows).into_iter().map(|marker| vec![marker]).collect() } else { calls }
}

/// Returns the calls that fit, of those inside one another the outermost; each with calls inside of it that divide the recording
/// alike, annotations first, which say more, then modules. Calls inside of a module, or of two calls that launch the work, do not fit.
fn fitting(rows: &RankEvents) -> Vec<Vec<StepMarker>> {
    let work = Work::of(rows);
    let mut candidates = candidates(rows, &work);
    candidates.sort_by_key(|one| std::cmp::Reverse(one.ns));
    let mut chains: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates {
        let is_around = |chain: &&mut Vec<Candidate>| candidate.is_inside(&chain[0].spans);
        match chains.iter_mut().find(is_around) {
            Some(chain) if chain[0].marker.count == candidate.marker.count => chain.push(candidate),
            Some(_) => {}
            None => chains.push(vec![candidate]),
        }
    }
    chains.retain(|chain| chain[0].marker.count >= LEAST_COUNT);
    for chain in &mut chains {
        let least = chain.iter().map(|one| one.marker.share).fold(0.0, f64::max) - LOSS;
        chain.sort_by_key(|one| {
            (one.marker.share < least, !one.is_annotation, !one.is_module, std::cmp::Reverse(one.ns))
        });
    }
    chains.into_iter().map(|chain| chain.into_iter().map(|one| one.marker).collect()).collect()
}

impl Candidate {
    fn is_inside(&self, outer: &[(i64, i64)]) -> bool {
        self.spans.iter().all(|&(start, end)| {
            let after = outer.partition_point(|&(begin, _)| begin <= start);
            after.checked_sub(1).is_some_and(|at| end <= outer[at].1)
        })
    }
}

/// Calls: the number of the family, and the row.
type Calls = Vec<(u32, u32)>;

fn candidates(rows: &RankEvents, work: &Work) -> Vec<Candidate> {
    let (mut annotations, mut frames) = (Families::default(), Families::default());
    let (mut annotated, mut framed): (Calls, Calls) = (Vec::new(), Vec::new());
    let kinds = rows.kinds();
    {
        let mut annotation = rows.per_text(|name| Family::of_annotation(name).map(|family| annotations.number(family)));
        let mut frame = rows.per_text(|name| frames.number(Family::of_frame(name)));
        for row in cancellable(0..rows.len()) {
            match kinds[row] {
                EventKind::Annotation => {
                    annotated.extend(annotation(rows.name(row)).map(|family| (family, row as u32)));
                }
                EventKind::Python => framed.push((frame(rows.name(row)), row as u32)),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for (families, mut calls, is_annotation) in [(annotations, annotated, true), (frames, framed, false)] {
        let mut counts = vec![0_usize; families.len()];
        calls.iter().for_each(|&(family, _)| counts[family as usize] += 1);
        calls.retain(|&(family, _)| counts[family as usize] >= least_around(families.get(family)));
        calls.sort_unstable();
        for of_family in calls.chunk_by(|one, other| one.0 == other.0) {
            let family = families.get(of_family[0].0);
            found.extend(candidate(rows, work, of_family, family, is_annotation));
        }
    }
    found
}

fn is_module(family: &Family) -> bool {
    family.name.starts_with("nn.Module:")
}

/// Returns how many calls are no iterations, but have none inside of them either: one of a module, two of others.
fn least_around(family: &Family) -> usize {
    if is_module(family) { 1 } else { LEAST_AROUND }
}

fn candidate(
    rows: &RankEvents,
    work: &Work,
    calls: &[(u32, u32)],
    family: &Family,
    is_annotation: bool,
) -> Option<Candidate> {
    let span = |&(_, row): &(u32, u32)| -> Option<(i64, i64, Thread)> {
        let start = rows.ts(row as usize)?;
        Some((start, start.saturating_add(rows.dur(row as usize)), rows.thread(row as usize)))
    };
    let spans = outermost(calls.iter().filter_map(span).collect(), |&(start, end, _)| (start, end));
    if spans.len() < least_around(family) {
        return None;
    }
    let share = work.share(spans.iter().map(|&(start, end, _)| (start, end)));
    let is_working = |&&(start, end, thread): &&(i64, i64, Thread)| work.is_launched_by(thread, (start, end));
    let working = spans.iter().filter(is_working).count() as f64 / spans.len() as f64;
    (share >= LEAST_SHARE && working >= LEAST_WORKING).then(|| Candidate {
        marker: StepMarker { name: family.name.clone(), pattern: family.pattern.clone(), count: spans.len(), share },
        is_annotation,
        is_module: is_module(family),
        ns: spans.iter().map(|(start, end, _)| end - start).sum(),
        spans: spans.into_iter().map(|(start, end, _)| (start, end)).collect(),
    })
}
