//! The sides of a comparison: the ranks of their runs as recordings.

use super::collectives::Met;
use super::explanation::SideSummary;
use super::gpu_rows::device_work;
use super::recordings::{Iterations, recording};
use crate::collective::Collectives;
use crate::exec::checkpoint;
use crate::{Error, Iteration, LabeledTrace, Pick, Rank, Result, Trace};
use call_tree::{Coverage, Labels, Reason, Recording, Window};
use regex::Regex;
use std::collections::BTreeMap;

/// What is selected of a side.
pub(super) struct SideQuery<'q> {
    pub(super) runs: &'q [LabeledTrace],
    pub(super) ranks: Option<&'q Pick<Rank>>,
    pub(super) iterations: Option<&'q Pick<Iteration>>,
    pub(super) warmup: usize,
    pub(super) marker: Option<&'q Regex>,
    /// Of each iteration only its slowest rank counts.
    pub(super) slowest: bool,
}

/// One side, ready to be compared.
pub(super) struct Recorded {
    pub(super) recordings: Vec<Recording>,
    pub(super) ranks: Vec<RecordedRank>,
    pub(super) summary: SideSummary,
    /// GPU work of ranks that have no recording, as left out.
    pub(super) others: Coverage,
}

/// A rank of a run.
#[derive(Debug, Clone)]
pub(super) struct RecordedRank {
    /// Place of the run in its side.
    pub(super) run: usize,
    pub(super) rank: i64,
    /// Its events, until they are no longer needed.
    pub(super) trace: Option<Trace>,
    /// Place of its recording in its side; `None` if the rank is not selected.
    pub(super) recording: Option<usize>,
}

impl RecordedRank {
    /// Gives up the events.
    pub(super) fn forget(&mut self) {
        self.trace = None;
    }
}

impl SideQuery<'_> {
    /// Returns the selected ranks of all runs.
    pub(super) fn picked(&self) -> Result<Vec<Trace>> {
        Ok(self.runs.iter().map(|run| self.picked_of(run)).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn picked_of(&self, run: &LabeledTrace) -> Result<Vec<Trace>> {
        match self.ranks {
            Some(ranks) => run.ranks_picked(Some(ranks)),
            None => Ok(run.trace().traces().to_vec()),
        }
    }

    /// Converts the selected ranks, and adds up the GPU work of all others.
    pub(super) fn record(&self, labels: &mut Labels) -> Result<Recorded> {
        let (mut recordings, mut ranks, mut others) = (Vec::new(), Vec::new(), Coverage::default());
        let mut met = Met::default();
        let iterations = Iterations {
            numbers: self.iterations.map(|pick| pick.numbers().to_vec()),
            warmup: self.warmup,
            marker: self.marker.cloned(),
        };
        for (number, run) in self.runs.iter().enumerate() {
            if self.marker.is_none() && self.iterations.is_some() {
                // Names those there are.
                run.window(self.iterations)?;
            }
            let (picked, compat) = (self.picked_of(run)?, run.trace().compat());
            let (first, mut collectives) = (recordings.len(), Collectives::default());
            for trace in run.trace().traces() {
                checkpoint::check()?;
                let is_picked = picked.iter().any(|picked| picked.rank() == trace.rank());
                let rank =
                    |recording| RecordedRank { run: number, rank: trace.rank(), trace: Some(trace.clone()), recording };
                if !is_picked {
                    let (ns, events) = device_work(trace, compat)?;
                    others.leave_out(Reason::AnotherRank, ns, events);
                    ranks.push(rank(None));
                    continue;
                }
                let recording = recording(trace, compat, &iterations, labels, &mut collectives)?;
                self.check_steps(run, &recording)?;
                ranks.push(rank(Some(recordings.len())));
                recordings.push(recording);
            }
            self.check_selected(run, &recordings[first..])?;
            met.add(&collectives, &mut recordings[first..]);
            if self.slowest {
                keep_slowest(&mut recordings[first..]);
            }
        }
        let summary = self.summary(&recordings, &ranks, &met);
        Ok(Recorded { recordings, ranks, summary, others })
    }

    fn summary(&self, recordings: &[Recording], ranks: &[RecordedRank], met: &Met) -> SideSummary {
        // A recording without iterations is one sample.
        let samples = |recording: &Recording| match recording.windows.len() {
            0 if recording.others.is_empty() => 1,
            windows => windows,
        };
        let counts = |rank: &&RecordedRank| rank.recording.is_some_and(|at| samples(&recordings[at]) > 0);
        let mut all: Vec<i64> = ranks.iter().filter(counts).map(|rank| rank.rank).collect();
        let windows = recordings.iter().flat_map(|recording| &recording.windows);
        let mut numbers: Vec<i64> = windows.map(|window| window.iteration).collect();
        for list in [&mut all, &mut numbers] {
            list.sort_unstable();
            list.dedup();
        }
        SideSummary {
            label: self.runs.iter().map(LabeledTrace::label).collect::<Vec<_>>().join(","),
            runs: self.runs.len(),
            ranks: all,
            iterations: numbers,
            samples: recordings.iter().map(samples).sum(),
            collectives: met.matched,
            collectives_apart: met.apart,
        }
    }

    /// Refuses a rank without iterations, unless no rank of its run has some: then a recording counts as one.
    fn check_steps(&self, run: &LabeledTrace, recording: &Recording) -> Result<()> {
        if !recording.windows.is_empty() || !recording.others.is_empty() {
            return Ok(());
        }
        let label = run.label().to_owned();
        if let Some(marker) = self.marker {
            return Err(Error::NoMarker { label, marker: marker.as_str().to_owned() });
        }
        let available = run.iterations();
        if available.is_empty() {
            return Ok(());
        }
        Err(Error::NoIterationLeft { label, warmup: self.warmup, available })
    }

    /// Refuses iterations that no rank has, and a selection without any.
    fn check_selected(&self, run: &LabeledTrace, recordings: &[Recording]) -> Result<()> {
        let windows = |recording: &Recording| -> Vec<i64> {
            let others = recording.others.iter().map(|(window, _)| window);
            recording.windows.iter().chain(others).map(|window| window.iteration).collect()
        };
        let mut available: Vec<i64> = recordings.iter().flat_map(windows).collect();
        available.sort_unstable();
        available.dedup();
        let label = run.label().to_owned();
        if available.is_empty() {
            return Ok(());
        }
        let wanted = self.iterations.map_or(&[][..], Pick::numbers);
        if let Some(&iteration) = wanted.iter().find(|number| !available.contains(number)) {
            return Err(Error::UnknownIteration { label, iteration, available });
        }
        if recordings.iter().all(|recording| recording.windows.is_empty()) {
            return Err(Error::NoIterationLeft { label, warmup: self.warmup, available });
        }
        Ok(())
    }
}

/// Leaves the iterations of all ranks of a run out, but the slowest of each number; of equal ones that of the first rank. Whole
/// recordings count as one iteration.
fn keep_slowest(ranks: &mut [Recording]) {
    if ranks.iter().all(|recording| recording.windows.is_empty() && recording.others.is_empty()) {
        let span = |recording: &Recording| {
            let starts = recording.events.iter().map(|event| event.start).min();
            recording.events.iter().map(|event| event.end).max().unwrap_or(0) - starts.unwrap_or(0)
        };
        let longest = ranks.iter().map(span).max();
        let slowest = ranks.iter().position(|recording| Some(span(recording)) == longest);
        for (_, recording) in ranks.iter_mut().enumerate().filter(|(rank, _)| Some(*rank) != slowest) {
            let whole = Window { iteration: 0, start: i64::MIN, end: i64::MAX, thread: 0 };
            recording.others.push((whole, Reason::AnotherRank));
        }
        return;
    }
    let mut slowest: BTreeMap<i64, (i64, usize)> = BTreeMap::new();
    for (rank, recording) in ranks.iter().enumerate() {
        for window in &recording.windows {
            let length = window.end - window.start;
            let known = slowest.entry(window.iteration).or_insert((length, rank));
            if length > known.0 {
                *known = (length, rank);
            }
        }
    }
    for (rank, recording) in ranks.iter_mut().enumerate() {
        let keeps = |iteration| slowest.get(&iteration).is_some_and(|&(_, slowest)| slowest == rank);
        let (kept, left): (Vec<_>, Vec<_>) =
            recording.windows.iter().copied().partition(|window| keeps(window.iteration));
        recording.windows = kept;
        recording.others.extend(left.into_iter().map(|window| (window, Reason::AnotherRank)));
        recording.others.sort_by_key(|(window, _)| window.start);
    }
}
