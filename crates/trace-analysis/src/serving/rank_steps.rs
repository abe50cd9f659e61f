//! Steps of one rank, found in one pass over its events.

use super::windows::{Mark, TimedStep, Work, timed};
use crate::dataset::MarkedIterations;
use crate::describe::precedence;
use crate::domain::{EventKind, KernelType, is_graph_launch};
use crate::exec::checkpoint::cancellable;
use crate::frame::{READ_COLUMNS, RankEvents};
use crate::interval::{Span, merged};
use crate::{CapturedGraph, Compat, DeviceTime, Result, ServedStep, Trace};
use polars::prelude::PlSmallStr;
use regex::Regex;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Memory for each event of a rank, in bytes: the interval of device work, twice while it is merged, and its launch.
pub(super) const BYTES_PER_ROW: usize = 48;

/// A graph that was captured: size and kind.
pub(super) type Capture = (u64, String);

/// Steps of a rank, and what is known without any.
#[derive(Debug, Default)]
pub(super) struct RankSteps {
    pub(super) rank: i64,
    /// In order of time.
    pub(super) steps: Vec<TimedStep>,
    /// Graphs whose captures are annotated.
    pub(super) captures: BTreeSet<Capture>,
    /// Annotations that begin inside another one and end after it, which are left out.
    pub(super) overlapping: usize,
    /// Whether any kernel communicates.
    pub(super) communicates: bool,
    /// Launches of graphs in the whole recording.
    pub(super) graph_launches: usize,
    /// From the first kernel, copy or fill to the last; nothing without any.
    pub(super) device: Option<DeviceTime>,
}

/// Returns the columns that are read.
pub(super) fn columns() -> [PlSmallStr; 11] {
    READ_COLUMNS.map(PlSmallStr::from_static)
}

impl RankSteps {
    /// Finds the steps that annotations of servers mark; with a marker those that it marks.
    ///
    /// # Errors
    /// If the events cannot be read.
    pub(super) fn of(trace: &Trace, compat: Compat, marker: Option<&Regex>) -> Result<Self> {
        let rows = trace.rank_events(&trace.frame_of(&columns())?, compat)?;
        let mut pass = Pass::over(&rows, compat);
        let mut found = Self {
            rank: trace.rank(),
            captures: std::mem::take(&mut pass.captures),
            graph_launches: pass.graph_launches.len(),
            ..Self::default()
        };
        let marks = match marker {
            Some(marker) => {
                let marked = MarkedIterations::of(trace, marker)?;
                let names = marked.spans().iter().zip(marked.names());
                names.map(|(&(begin, end), name)| Mark { begin, end, name: name.clone(), served: None }).collect()
            }
            None => {
                let is_of_host = !pass.host.is_empty();
                let marks = std::mem::take(if is_of_host { &mut pass.host } else { &mut pass.device });
                if !is_of_host {
                    // What is launched during a step of the device belongs to a later one.
                    (pass.work, pass.graph_launches) = (Vec::new(), Vec::new());
                }
                let (marks, overlapping) = outermost_steps(marks);
                found.overlapping = overlapping;
                let name = |row: u32| rows.text(rows.name(row as usize)).to_owned();
                marks
                    .into_iter()
                    .map(|(begin, end, row, served)| Mark { begin, end, name: name(row), served: Some(served) })
                    .collect()
            }
        };
        let [computation, communication, memory, other] = pass.spans;
        found.communicates = !communication.is_empty();
        let kinds = [computation, communication, memory, other].map(merged);
        let all = || kinds.iter().flatten();
        let ends = all().map(|span| span.start).min().zip(all().map(|span| span.end).max());
        found.device = ends.map(|(first, last)| DeviceTime::within(&kinds, first, last));
        pass.work.sort_unstable();
        pass.graph_launches.sort_unstable();
        found.steps = timed(marks, &pass.work, &pass.graph_launches, &kinds);
        Ok(found)
    }
}

/// Returns the graphs whose captures a rank annotates.
///
/// # Errors
/// If the events cannot be read.
pub(super) fn captures(trace: &Trace) -> Result<BTreeSet<Capture>> {
    let rows = trace.rank_events(&trace.frame_of(&columns())?, Compat::Exact)?;
    let kinds = rows.kinds();
    let mut capture = rows.per_text(CapturedGraph::of_annotation);
    let annotated = cancellable(0..rows.len()).filter(|&row| kinds[row] == EventKind::Annotation);
    Ok(annotated.filter_map(|row| capture(rows.name(row))).map(|graph| (graph.size, graph.kind.to_owned())).collect())
}

/// Begin, end, row and step of an annotation.
type Annotated = (i64, i64, u32, ServedStep);

/// Events of a rank by what a step needs of them.
#[derive(Default)]
struct Pass {
    host: Vec<Annotated>,
    device: Vec<Annotated>,
    captures: BTreeSet<Capture>,
    spans: [Vec<Span>; 4],
    work: Vec<Work>,
    graph_launches: Vec<i64>,
}

impl Pass {
    fn over(rows: &RankEvents, compat: Compat) -> Self {
        let mut pass = Self::default();
        let kinds = rows.kinds();
        let mut served = rows.per_text(ServedStep::of_annotation);
        let mut captured = rows.per_text(CapturedGraph::of_annotation);
        let mut class = rows.per_text(|name| precedence(KernelType::of(name, compat)));
        let mut is_graph = rows.per_text(is_graph_launch);
        for row in cancellable(0..rows.len()) {
            let Some(start) = rows.ts(row) else { continue };
            let end = start.saturating_add(rows.dur(row));
            let kind = kinds[row];
            match kind {
                EventKind::Annotation | EventKind::DeviceAnnotation => {
                    let marks = if kind == EventKind::Annotation { &mut pass.host } else { &mut pass.device };
                    marks.extend(served(rows.name(row)).map(|step| (start, end, row as u32, step)));
                    let graph = captured(rows.name(row));
                    pass.captures.extend(graph.map(|graph| (graph.size, graph.kind.to_owned())));
                }
                EventKind::Kernel | EventKind::Memory if end >= start => {
                    pass.spans[class(rows.name(row))].push(Span { start, end });
                    let launch = rows.partner(row).filter(|&launch| !rows.is_on_device(launch));
                    pass.work.extend(launch.and_then(|launch| rows.ts(launch)).map(|launch| (launch, end)));
                }
                EventKind::Call if is_graph(rows.name(row)) => pass.graph_launches.push(start),
                _ => {}
            }
        }
        pass
    }
}

/// Leaves annotations out that begin inside another one, which they complete, and counts those that end after it.
fn outermost_steps(mut marks: Vec<Annotated>) -> (Vec<Annotated>, usize) {
    marks.sort_unstable_by_key(|&(begin, end, row, _)| (begin, Reverse(end), row));
    let mut outermost: Vec<Annotated> = Vec::new();
    let mut overlapping = 0;
    for (begin, end, row, step) in marks {
        match outermost.last_mut() {
            Some(outer) if begin < outer.1 && end <= outer.1 => outer.3 = outer.3.completed_by(step),
            Some(outer) if begin < outer.1 => overlapping += 1,
            _ => outermost.push((begin, end, row, step)),
        }
    }
    (outermost, overlapping)
}
