//! The tables of an answer as frames.

use super::answer::{BoundWindow, CriticalPathAnswer, Edges, Interval, OnPath, WhatIf};
use crate::Result;
use crate::error::CriticalPathReason;
use crate::present::{Field, answer_frame, declared};
use causal::BoundBy;
use polars::prelude::DataFrame;
use trace_view::{Column, Unit};

const BOUND_BY: &str = "bound_by";
/// The last column of tables of names: they have it with companions only.
pub(super) const BORROWED_OPERATOR: &str = "borrowed_operator";
const INSTANCE: &str = "instance";
const INSTANCE_MEANING: &str =
    "instance of the annotation, from 0 in order of time; the first of several; null for the whole recording";

/// The time of a class in a window.
pub(super) struct ClassTime<'a> {
    window: &'a BoundWindow,
    bound_by: BoundBy,
    ns: i64,
}

impl<'a> ClassTime<'a> {
    /// Columns of the table `summary`.
    pub(super) const COLUMNS: [Field<Self>; 6] = [
        Field::id("rank", "rank", |row| Some(row.window.rank)),
        Field::name("annotation", "annotation that is the window; empty for the whole recording", |row| {
            Some(row.window.annotation.as_str())
        }),
        Field::id(INSTANCE, INSTANCE_MEANING, |row| row.window.instance()),
        Field::word(BOUND_BY, "what bounds this time", |row| Some(row.bound_by.word())),
        Field::bar("duration", "time on the critical path; adds up to the window", |row| Some(row.ns)),
        Field::number("percent", Unit::Percent, "share of the window", |row| {
            Some(share(row.ns, row.window.duration_ns()))
        }),
    ];

    /// Lists the classes of a window in the order of time that `summary` gives them.
    pub(super) fn of(window: &'a BoundWindow) -> impl Iterator<Item = Self> {
        window.summary().into_iter().map(move |(bound_by, ns)| Self { window, bound_by, ns })
    }
}

/// An interval of the path of a window.
struct PathRow<'a> {
    answer: &'a CriticalPathAnswer,
    window: &'a BoundWindow,
    position: usize,
    interval: &'a Interval,
}

impl PathRow<'_> {
    const COLUMNS: [Field<Self>; 16] = [
        Field::id("position", "position on the path, from 0", |row| i64::try_from(row.position).ok()),
        Field::time("start", "start, from the first event of the trace on", |row| {
            Some(row.interval.start - row.answer.origin)
        }),
        Field::bar("duration", "time on the critical path", |row| Some(row.interval.duration())),
        Field::id("rank", "rank on which it is: a path may lead over other ranks", |row| Some(row.interval.rank)),
        Field::id("device", "GPU; null on the CPU", |row| row.interval.device),
        Field::id("pid", "process; null on the GPU", |row| row.interval.pid),
        Field::id("tid", "thread; null on the GPU", |row| row.interval.tid),
        Field::id("stream", "GPU stream; null on the CPU", |row| row.interval.stream),
        Field::id("event", "position of the event in the file's traceEvents; null without one", |row| {
            row.interval.event
        }),
        Field::name("name", "name of the event", |row| row.answer.name(row.interval.name)),
        Field::name("operator", "outermost operator around it, or around its launch", |row| {
            row.answer.name(row.interval.operator)
        }),
        Field::word(BOUND_BY, "what bounds this time", |row| Some(row.interval.bound_by.word())),
        Field::word("because", "what it waited for just before", |row| Some(row.interval.because.word())),
        Field::id("of_rank", "rank of the window", |row| Some(row.window.rank)),
        Field::id(INSTANCE, INSTANCE_MEANING, |row| row.window.instance()),
        Field::name(
            BORROWED_OPERATOR,
            "with a companion: of a kernel of a graph the innermost operator of its capture",
            |row| row.answer.name(row.interval.borrowed_operator),
        ),
    ];
}

/// The events of a name on the path of a window.
pub(super) struct NameRow<'a> {
    pub(super) answer: &'a CriticalPathAnswer,
    pub(super) window: &'a BoundWindow,
    pub(super) of: &'a OnPath,
}

impl NameRow<'_> {
    /// Columns of the table `by_name`.
    pub(super) const COLUMNS: [Field<Self>; 10] = [
        Field::word(BOUND_BY, "what bounds this time", |row| Some(row.of.bound_by.word())),
        Field::name("name", "name of the events; without one the word of bound_by", |row| {
            Some(row.answer.name_of(row.of))
        }),
        Field::whole("count", Unit::Count, "events on the critical path", |row| i64::try_from(row.of.count).ok()),
        Field::bar("duration", "time on the critical path", |row| Some(row.of.duration_ns)),
        Field::number("percent", Unit::Percent, "share of the window", |row| {
            Some(share(row.of.duration_ns, row.window.duration_ns()))
        }),
        Field::bar(
            "saved_if_twice_as_fast",
            "what the window would lose if all of them took half of the time",
            |row| row.of.saved_ns.map(|[half, _]| half),
        ),
        Field::bar("saved_if_free", "what the window would lose if all of them took no time", |row| {
            row.of.saved_ns.map(|[_, free]| free)
        }),
        Field::id("rank", "rank", |row| Some(row.window.rank)),
        Field::id(INSTANCE, INSTANCE_MEANING, |row| row.window.instance()),
        Field::name(
            BORROWED_OPERATOR,
            "with a companion: of kernels of graphs the innermost operators of their capture, those of most time first",
            |row| row.of.borrowed_operators.as_deref(),
        ),
    ];
}

const WHAT_IF: [Field<WhatIf>; 6] = [
    Field::name("change", "what takes another time, and the factor", |row| Some(row.change.as_str())),
    Field::time("step_before", "length of the window as recorded; of several the mean", |row| Some(row.before_ns)),
    Field::time("step_after", "length of the window with the change", |row| Some(row.after_ns)),
    Field::bar("saved", "step_before − step_after", |row| Some(row.saved_ns())),
    Field::number("percent", Unit::Percent, "what is saved, of step_before", |row| Some(row.percent())),
    Field::word(BOUND_BY, "what bounds most of the step then", |row| Some(row.bound_by.0)),
];

/// An edge, by its position.
struct EdgeRow<'a> {
    edges: &'a Edges,
    at: usize,
}

impl EdgeRow<'_> {
    const COLUMNS: [Field<Self>; 9] = [
        Field::id("from_event", "position of the cause's event in the file; null without one", |row| {
            row.edges.from_event[row.at]
        }),
        Field::id("to_event", "position of the event that waits; null without one", |row| row.edges.to_event[row.at]),
        Field::whole("from_ts", Unit::Nanos, "time of the cause, as recorded", |row| Some(row.edges.from_ts[row.at])),
        Field::whole("to_ts", Unit::Nanos, "time of what waits, as recorded", |row| Some(row.edges.to_ts[row.at])),
        Field::word("type", "why it waits: launch, stream order, event wait, …", |row| {
            Some(row.edges.kind[row.at].word())
        }),
        Field::whole("lag", Unit::Nanos, "time that must pass in between", |row| Some(row.edges.lag[row.at])),
        Field::flag("binding", "whether it is the cause that was waited for last", |row| row.edges.binding[row.at]),
        Field::word(BOUND_BY, "what bounds this time", |row| Some(row.edges.bound_by[row.at].word())),
        Field::id("rank", "rank of what waits", |row| Some(row.edges.rank[row.at])),
    ];
}

/// Columns of the table `summary`.
pub(super) const SUMMARY_COLUMNS: &[Column] = &declared(&ClassTime::COLUMNS);
/// Columns of the table `path`.
pub(super) const PATH_COLUMNS: &[Column] = &declared(&PathRow::COLUMNS);
/// Columns of the table `by_name`.
pub(super) const BY_NAME_COLUMNS: &[Column] = &declared(&NameRow::COLUMNS);
/// Columns of the table `what_if`.
pub(super) const WHAT_IF_COLUMNS: &[Column] = &declared(&WHAT_IF);
/// Columns of the table `edges`.
pub(super) const EDGE_COLUMNS: &[Column] = &declared(&EdgeRow::COLUMNS);

impl CriticalPathAnswer {
    /// Returns what bounds each window: a row per window and class of time, in µs. The durations of a window add up to its length to
    /// the nanosecond.
    ///
    /// # Columns
    /// `rank`, `annotation`, `instance`, `bound_by`, `duration` (µs), `percent`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn summary(&self) -> Result<DataFrame> {
        let mut rows = Vec::new();
        for window in &self.windows {
            let mut of_window: Vec<ClassTime<'_>> = ClassTime::of(window).collect();
            of_window.sort_by(|one, other| other.ns.cmp(&one.ns).then(one.bound_by.cmp(&other.bound_by)));
            rows.append(&mut of_window);
        }
        answer_frame(&rows, &ClassTime::COLUMNS)
    }

    /// Returns the critical paths, interval by interval in order of time, those of several windows one after the other. Times in µs.
    ///
    /// # Columns
    /// `position`, `start` (from the first event of the trace on), `duration`, `rank`, `device`, `pid`, `tid`, `stream`, `event`,
    /// `name`, `operator`, `bound_by`, `because`, `of_rank`, `instance` (of the window); with companions `borrowed_operator`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn path(&self) -> Result<DataFrame> {
        let rows = self.windows.iter().flat_map(|window| {
            let intervals = window.intervals.iter().enumerate();
            intervals.map(move |(position, interval)| PathRow { answer: self, window, position, interval })
        });
        answer_frame(&rows.collect::<Vec<_>>(), self.but_borrowed(&PathRow::COLUMNS))
    }

    /// Returns the time on the path by name, the longest first, and what it would save, by replay, if all events of the name took half
    /// of their time there, or none; null for those that are not among the longest. Times in µs.
    ///
    /// # Columns
    /// `bound_by`, `name`, `count`, `duration`, `percent`, `saved_if_twice_as_fast`, `saved_if_free`, `rank`, `instance`; with companions `borrowed_operator`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn by_name(&self) -> Result<DataFrame> {
        let rows: Vec<NameRow<'_>> = self.windows.iter().flat_map(|window| self.name_rows(window)).collect();
        answer_frame(&rows, self.but_borrowed(&NameRow::COLUMNS))
    }

    /// Returns columns without that of borrowed operators, unless there are companions.
    fn but_borrowed<'c, R>(&self, columns: &'c [Field<R>]) -> &'c [Field<R>] {
        let is_borrowed = |field: &Field<R>| field.column.name == BORROWED_OPERATOR;
        match columns.split_last() {
            Some((last, others)) if is_borrowed(last) && !self.borrows => others,
            _ => columns,
        }
    }

    /// Lists the names on the path of a window.
    pub(super) fn name_rows<'a>(&'a self, window: &'a BoundWindow) -> impl Iterator<Item = NameRow<'a>> {
        window.names.iter().map(move |of| NameRow { answer: self, window, of })
    }

    /// Returns what the changes of the question would do, each alone, then all together. Times in µs; of several windows means.
    ///
    /// # Columns
    /// `change`, `step_before`, `step_after`, `saved`, `percent`, `bound_by`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn what_if(&self) -> Result<DataFrame> {
        answer_frame(&self.what_if, &WHAT_IF)
    }

    /// Returns the edges of the graph that matter to the windows, times in ns as recorded.
    ///
    /// # Columns
    /// `from_event`, `to_event`, `from_ts`, `to_ts`, `type`, `lag`, `binding`, `bound_by`, `rank`.
    ///
    /// # Errors
    /// If they were not kept: [`CriticalPath::edges`](crate::CriticalPath).
    pub fn edges(&self) -> Result<DataFrame> {
        let edges = self.edges.as_ref().ok_or(CriticalPathReason::EdgesNotRetained)?;
        let rows: Vec<EdgeRow<'_>> = (0..edges.rank.len()).map(|at| EdgeRow { edges, at }).collect();
        answer_frame(&rows, &EdgeRow::COLUMNS)
    }
}

impl BoundWindow {
    /// The first instance.
    fn instance(&self) -> Option<i64> {
        i64::try_from(self.instances?.0).ok()
    }
}

/// A share in percent; of nothing 0.
fn share(part: i64, whole: i64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
