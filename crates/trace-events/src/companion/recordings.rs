//! Events of a rank → events of a call tree.

use super::batches::batches;
use super::captures::captures;
use crate::collective::{self, Collectives};
use crate::dataset::launch_marks;
use crate::domain::{EventKind, is_collective, is_graph_launch};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::*;
use crate::frame::{IntColumn, READ_COLUMNS, RankEvents, StepName, TextColumn, TrackNumbers, inputs_text};
use crate::interval::outermost;
use crate::serving::CapturedGraph;
use crate::{Compat, Result, Trace};
use call_tree::{Class, Correlation, Event, Kind, LabelId, Labels, Reason, Recording, Window};
use foldhash::HashMap;
use polars::prelude::PlSmallStr;
use regex::Regex;

/// Selection of the iterations of a recording.
#[derive(Debug, Clone, Default)]
pub struct Iterations {
    /// Numbers of the iterations to take; `None` for all.
    pub numbers: Option<Vec<i64>>,
    /// First iterations to leave out.
    pub warmup: usize,
    /// Host events that mark iterations, instead of the profiler's steps.
    pub marker: Option<Regex>,
}

/// Columns that are read, besides those of all events and of collectives.
const COLUMNS: [&str; 3] = [GRAPH_NODE_ID, INDEX_FORWARD, LAUNCHED_KERNEL];
/// Columns of the inputs of calls.
const INPUTS: [&str; 2] = [INPUT_DIMS, INPUT_TYPE];

/// Converts the events of a rank, and finds its iterations; adds its collectives to those of its run. Labels of operators have the shapes
/// and types of inputs, where they were recorded. Maps only the columns that it reads.
///
/// # Errors
/// If events cannot be read.
pub fn recording(
    trace: &Trace,
    compat: Compat,
    iterations: &Iterations,
    labels: &mut Labels,
    collectives: &mut Collectives,
) -> Result<Recording> {
    converted(trace, compat, iterations, labels, collectives, false)
}

/// Converts a rank of a companion as [`recording`] does; annotations of captures are left out.
///
/// # Errors
/// If events cannot be read.
pub(super) fn lending_recording(
    trace: &Trace,
    compat: Compat,
    iterations: &Iterations,
    labels: &mut Labels,
) -> Result<Recording> {
    converted(trace, compat, iterations, labels, &mut Collectives::default(), true)
}

fn converted(
    trace: &Trace,
    compat: Compat,
    iterations: &Iterations,
    labels: &mut Labels,
    collectives: &mut Collectives,
    lends: bool,
) -> Result<Recording> {
    let names = READ_COLUMNS.iter().chain(&COLUMNS).chain(&collective::COLUMNS).chain(&INPUTS);
    let events = trace.frame_of(&names.map(|&name| PlSmallStr::from_static(name)).collect::<Vec<_>>())?;
    let rows = trace.rank_events(&events, compat)?;
    let texts = |column: &str| TextColumn::of(&events, column).ok();
    let mut builder = Builder::of(&rows, INPUTS.map(texts), labels);
    // Replays are in no capture.
    let mut is_capture = rows.per_text(|name| CapturedGraph::of_annotation(name).is_some());
    builder.fill(iterations, |kind, name| !lends || kind != Kind::Annotation || !is_capture(name));
    builder.mark_launches(iterations);
    let (windows, others) = windows(builder.marks, iterations);
    let (converted, labels) = (builder.events, builder.labels);
    let captures = captures(&rows, &converted, texts(LAUNCHED_KERNEL).as_ref(), labels);
    let is_communication = |event: &&Event| event.kind == Kind::Gpu(Class::Communication);
    let communication: Vec<usize> = converted.iter().filter(is_communication).map(|event| event.row as usize).collect();
    collectives.merge(Collectives::of(trace.rank(), &events, &rows, &communication));
    let int = |name: &str| IntColumn::of(&events, name).ok();
    let graph_nodes = int(GRAPH_NODE_ID).map(|nodes| graph_nodes(&converted, &nodes));
    let forward = int(INDEX_FORWARD).map(|forward| forward_operators(&converted, &rows, &forward));
    Ok(Recording {
        rank: trace.rank(),
        batches: batches(&rows, &converted),
        events: converted,
        windows,
        others,
        graph_nodes: graph_nodes.unwrap_or_default(),
        forward: forward.unwrap_or_default(),
        captures,
        ..Recording::default()
    })
}

/// Converts the launches of graphs of a rank and its GPU events, and finds all of its iterations. Maps only the columns that it reads.
///
/// # Errors
/// If events cannot be read.
pub(super) fn graphs(trace: &Trace, rows: &RankEvents, labels: &mut Labels) -> Result<Recording> {
    let events = trace.frame_of(&[PlSmallStr::from_static(GRAPH_NODE_ID)])?;
    let iterations = Iterations::default();
    let mut builder = Builder::of(rows, [None, None], labels);
    builder.fill(&iterations, |kind, _| kind.is_gpu() || kind == Kind::GraphLaunch);
    let (windows, others) = windows(builder.marks, &iterations);
    let nodes = IntColumn::of(&events, GRAPH_NODE_ID).ok();
    let graph_nodes = nodes.map(|nodes| graph_nodes(&builder.events, &nodes)).unwrap_or_default();
    let (rank, events) = (trace.rank(), builder.events);
    let batches = batches(rows, &events);
    Ok(Recording { rank, events, windows, others, graph_nodes, batches, ..Recording::default() })
}

/// The GPU events that ran as nodes of a graph.
fn graph_nodes(events: &[Event], nodes: &IntColumn) -> Vec<(u32, i64)> {
    let gpu = events.iter().filter(|event| event.kind.is_gpu());
    gpu.filter_map(|event| Some((event.row, nodes.get(event.row as usize)?))).collect()
}

/// The backward operators, each with its forward operator, by their places among the events.
fn forward_operators(events: &[Event], rows: &RankEvents, forward: &IntColumn) -> Vec<(u32, u32)> {
    let position = |row: u32| events.binary_search_by_key(&row, |event| event.row).ok();
    let operators = (0..).zip(events).filter(|(_, event)| event.kind == Kind::Operator);
    let pair = |(at, event): (u32, &Event)| {
        let row = rows.row_of(forward.get(event.row as usize)?)?;
        Some((at, position(row as u32)? as u32))
    };
    operators.filter_map(pair).collect()
}

/// A stream of a device, or a thread of a process.
type Track = (bool, Option<i64>, Option<i64>);

struct Builder<'r> {
    rows: &'r RankEvents,
    inputs: [Option<TextColumn>; 2],
    labels: &'r mut Labels,
    /// Labels by code of the name, role and codes of the inputs.
    known: HashMap<(u32, Kind, [Option<u32>; 2]), LabelId>,
    tracks: TrackNumbers<Track>,
    events: Vec<Event>,
    /// Iterations: number, begin, end and thread.
    marks: Vec<Window>,
}

impl<'r> Builder<'r> {
    fn of(rows: &'r RankEvents, inputs: [Option<TextColumn>; 2], labels: &'r mut Labels) -> Self {
        let (known, tracks) = (HashMap::default(), TrackNumbers::default());
        let events = Vec::with_capacity(rows.len());
        Self { rows, inputs, labels, known, tracks, events, marks: Vec::new() }
    }

    /// Adds the events of the wanted kinds and codes of names, and the marks of iterations.
    fn fill(&mut self, iterations: &Iterations, mut is_wanted: impl FnMut(Kind, u32) -> bool) {
        let rows = self.rows;
        let kinds = rows.kinds();
        let mut is_collective = rows.per_text(is_collective);
        let mut is_module = rows.per_text(|name| name.starts_with("nn.Module:"));
        let mut is_graph = rows.per_text(is_graph_launch);
        let mut step = rows.per_text(|name| match StepName::of(name) {
            StepName::Number(number) => Some(number),
            _ => None,
        });
        let mut marks = rows.per_text(|name| iterations.marker.as_ref().is_some_and(|marker| marker.is_match(name)));
        for row in cancellable(0..rows.len()) {
            let Some(start) = rows.ts(row) else { continue };
            let name = rows.name(row);
            let kind = match kinds[row] {
                EventKind::Operator => Kind::Operator,
                EventKind::Annotation => Kind::Annotation,
                EventKind::Python if is_module(name) => Kind::Module,
                EventKind::Python => Kind::Python,
                EventKind::Call if is_graph(name) => Kind::GraphLaunch,
                EventKind::Call => Kind::Launch,
                EventKind::Kernel | EventKind::Memory if is_collective(name) => Kind::Gpu(Class::Communication),
                EventKind::Memory => Kind::Gpu(Class::Copy),
                EventKind::Kernel => Kind::Gpu(Class::Compute),
                // Not part of a call tree: flows, copies of annotations on the GPU, synchronisation, spans.
                EventKind::Sync | EventKind::DeviceAnnotation | EventKind::Span | EventKind::Other => continue,
            };
            let end = start + rows.dur(row);
            if is_wanted(kind, name) {
                let thread = self.thread(row, kind);
                let label = self.label(row, name, kind);
                let has_correlation = matches!(kind, Kind::Launch | Kind::GraphLaunch | Kind::Gpu(_));
                let correlation = rows.correlation(row).filter(|_| has_correlation).and_then(Correlation::of);
                self.events.push(Event { kind, start, end, thread, label, correlation, row: row as u32 });
            }
            if iterations.marker.is_some() {
                if !kind.is_gpu() && kind != Kind::Launch && marks(name) {
                    let thread = self.thread(row, kind);
                    self.marks.push(Window { iteration: 0, start, end, thread });
                }
            } else if kind == Kind::Annotation
                && let Some(iteration) = step(name)
            {
                let thread = self.thread(row, kind);
                self.marks.push(Window { iteration, start, end, thread });
            }
        }
    }

    /// Marks iterations by launches of kernels whose names match, where no event of the host does.
    fn mark_launches(&mut self, iterations: &Iterations) {
        let Some(marker) = iterations.marker.as_ref().filter(|_| self.marks.is_empty()) else { return };
        for mark in launch_marks(self.rows, marker) {
            let thread = self.thread(mark.launch, Kind::Launch);
            self.marks.push(Window { iteration: 0, start: mark.start, end: mark.end, thread });
        }
    }

    fn thread(&mut self, row: usize, kind: Kind) -> u32 {
        let (one, other) = if kind.is_gpu() { self.rows.device_and_stream(row) } else { self.rows.thread(row) };
        self.tracks.number((kind.is_gpu(), one, other))
    }

    fn label(&mut self, row: usize, name: u32, kind: Kind) -> LabelId {
        let has_inputs = kind == Kind::Operator;
        let code = |texts: &Option<TextColumn>| texts.as_ref().filter(|_| has_inputs)?.code(row);
        let inputs = self.inputs.each_ref().map(code);
        let (labels, rows) = (&mut *self.labels, self.rows);
        *self.known.entry((name, kind, inputs)).or_insert_with(|| {
            let inputs = inputs_text(inputs.into_iter().flatten().map(|code| rows.text(code)));
            labels.add(kind, rows.text(name), &inputs)
        })
    }
}

/// The selected iterations, by their begins, none inside another; and those that are left out, with the reason.
fn windows(marks: Vec<Window>, iterations: &Iterations) -> (Vec<Window>, Vec<(Window, Reason)>) {
    let mut windows = outermost(marks, |mark| (mark.start, mark.end));
    if iterations.marker.is_some() {
        for (number, window) in windows.iter_mut().enumerate() {
            window.iteration = number as i64;
        }
    }
    let (mut selected, mut others) = (Vec::new(), Vec::new());
    for (index, window) in windows.into_iter().enumerate() {
        match &iterations.numbers {
            _ if index < iterations.warmup => others.push((window, Reason::WarmUp)),
            Some(numbers) if !numbers.contains(&window.iteration) => others.push((window, Reason::AnotherIteration)),
            _ => selected.push(window),
        }
    }
    (selected, others)
}
