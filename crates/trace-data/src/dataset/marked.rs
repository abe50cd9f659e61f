//! Iterations marked by events whose names match, instead of the profiler's steps.

use super::trace::Trace;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use crate::frame::columns::*;
use crate::interval::outermost;
use crate::{Compat, Result};
use polars::prelude::PlSmallStr;
use regex::Regex;

/// The iterations of a rank: spans of host events that match a marker, by their begins, none inside another; numbered from 0. If no such
/// event matches, from a launch whose first kernel matches to the next one, the last to the last launch of its thread.
pub struct MarkedIterations {
    spans: Vec<(i64, i64)>,
    names: Vec<String>,
}

/// Tells whether events of a kind can mark an iteration.
fn can_mark(kind: EventKind) -> bool {
    matches!(kind, EventKind::Operator | EventKind::Annotation | EventKind::Python)
}

impl MarkedIterations {
    /// Finds the iterations of a rank. Of matches inside one another the outermost counts.
    ///
    /// # Errors
    /// If the events cannot be read.
    pub fn of(trace: &Trace, marker: &Regex) -> Result<Self> {
        let events = trace.frame_of(&columns())?;
        Ok(Self::of_rows(&trace.rank_events(&events, Compat::Exact)?, marker))
    }

    /// Finds the iterations of a rank, and the one of each of its rows: of a CPU event by its start, of a GPU event by that of its
    /// launch, if it has one. Outside of all iterations it is `None`.
    ///
    /// # Errors
    /// If the events cannot be read.
    pub fn by_row(trace: &Trace, marker: &Regex) -> Result<Vec<Option<u32>>> {
        let events = trace.frame_of(&columns())?;
        let rows = trace.rank_events(&events, Compat::Exact)?;
        let marked = Self::of_rows(&rows, marker);
        let iteration = |row: usize| {
            let launch = rows.partner(row).filter(|&launch| rows.is_on_device(row) && !rows.is_on_device(launch));
            marked.at(rows.ts(launch.unwrap_or(row))?)
        };
        Ok(cancellable(0..rows.len()).map(iteration).collect())
    }

    /// Returns the duration of each iteration in ns.
    pub fn durations(&self) -> Vec<i64> {
        self.spans.iter().map(|(start, end)| end - start).collect()
    }

    /// Returns start and end of each iteration in ns, by their starts.
    pub fn spans(&self) -> &[(i64, i64)] {
        &self.spans
    }

    /// Returns the name of the event that marks each iteration.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of iterations.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    fn of_rows(rows: &RankEvents, marker: &Regex) -> Self {
        let kinds = rows.kinds();
        let mut matches = rows.per_text(|name| marker.is_match(name));
        let marks: Vec<(i64, i64, usize)> = cancellable(0..rows.len())
            .filter(|&row| can_mark(kinds[row]) && matches(rows.name(row)))
            .filter_map(|row| Some((rows.ts(row)?, rows.ts(row)?.saturating_add(rows.dur(row)), row)))
            .collect();
        let of_launch = |mark: LaunchMark| (mark.start, mark.end, mark.kernel);
        let marks =
            if marks.is_empty() { launch_marks(rows, marker).into_iter().map(of_launch).collect() } else { marks };
        let marks = outermost(marks, |&(start, end, _)| (start, end));
        Self {
            spans: marks.iter().map(|&(start, end, _)| (start, end)).collect(),
            names: marks.iter().map(|&(.., row)| rows.text(rows.name(row)).to_owned()).collect(),
        }
    }

    fn at(&self, moment: i64) -> Option<u32> {
        let after = self.spans.partition_point(|&(start, _)| start <= moment);
        let at = after.checked_sub(1).filter(|&at| moment < self.spans[at].1)?;
        u32::try_from(at).ok()
    }
}

/// An iteration from one launch to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchMark {
    /// Begin of the launch, in ns.
    pub start: i64,
    /// Begin of the next one; of the last iteration the end of the last launch of its thread.
    pub end: i64,
    /// The row of the launch.
    pub launch: usize,
    /// The row of its first kernel.
    pub kernel: usize,
}

/// Returns the iterations from a launch whose first kernel's name matches to the next one.
pub fn launch_marks(rows: &RankEvents, marker: &Regex) -> Vec<LaunchMark> {
    let kinds = rows.kinds();
    let mut matches = rows.per_text(|name| marker.is_match(name));
    if !(0..rows.len()).any(|row| kinds[row] == EventKind::Kernel && matches(rows.name(row))) {
        return Vec::new();
    }
    // Begin of the launch, launch, begin of the kernel, kernel.
    let kernel = |row: usize| {
        let launch = rows.partner(row).filter(|&launch| !rows.is_on_device(launch))?;
        Some((rows.ts(launch)?, launch, rows.ts(row)?, row))
    };
    let is_kernel = |row: &usize| kinds[*row] == EventKind::Kernel;
    let mut kernels: Vec<_> = cancellable(0..rows.len()).filter(is_kernel).filter_map(kernel).collect();
    kernels.sort_unstable();
    kernels.dedup_by_key(|kernel| kernel.1);
    let begins: Vec<_> = kernels.iter().filter(|kernel| matches(rows.name(kernel.3))).collect();
    let Some(last) = begins.last() else { return Vec::new() };
    let of_thread = kernels.iter().rfind(|kernel| rows.thread(kernel.1) == rows.thread(last.1));
    let end = of_thread.map_or(last.0, |kernel| kernel.0.saturating_add(rows.dur(kernel.1).max(1)));
    let ends = begins.iter().skip(1).map(|next| next.0).chain([end]);
    let mark = |(&&(start, launch, _, kernel), end)| LaunchMark { start, end, launch, kernel };
    begins.iter().zip(ends).map(mark).collect()
}

/// The columns of [`RankEvents`].
fn columns() -> [PlSmallStr; 11] {
    EVENT_ROWS.map(Into::into)
}

const EVENT_ROWS: [&str; 11] = [INDEX, NAME, CAT, TS, DUR, PID, TID, STREAM, CORRELATION, INDEX_CORRELATION, ITERATION];
