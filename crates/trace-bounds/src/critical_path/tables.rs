//! The tables of an answer as frames.

use super::answer::{BoundWindow, CriticalPathAnswer};
use crate::Result;
use crate::error::CriticalPathReason;
use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use trace_view::Unit;

/// What bounds an interval of time.
const BOUND_BY: trace_view::Column = trace_view::Column::new("bound_by", Unit::None, "what bounds this time");
const RANK: trace_view::Column = trace_view::Column::new("rank", Unit::None, "rank");
const INSTANCE: trace_view::Column = trace_view::Column::new(
    "instance",
    Unit::None,
    "instance of the annotation, from 0 in order of time; the first of several; null for the whole recording",
);

/// Columns of the table `summary`.
pub(super) const SUMMARY_COLUMNS: &[trace_view::Column] = &[
    RANK,
    trace_view::Column::new("annotation", Unit::None, "annotation that is the window; empty for the whole recording"),
    INSTANCE,
    BOUND_BY,
    trace_view::Column::new("duration", Unit::Micros, "time on the critical path; adds up to the window"),
    trace_view::Column::new("percent", Unit::Percent, "share of the window"),
];

/// Columns of the table `path`.
pub(super) const PATH_COLUMNS: &[trace_view::Column] = &[
    trace_view::Column::new("position", Unit::None, "place on the path, from 0"),
    trace_view::Column::new("start", Unit::Micros, "start, from the first event of the trace on"),
    trace_view::Column::new("duration", Unit::Micros, "time on the critical path"),
    trace_view::Column::new("rank", Unit::None, "rank on which it is: a path may lead over other ranks"),
    trace_view::Column::new("device", Unit::None, "GPU; null on the CPU"),
    trace_view::Column::new("pid", Unit::None, "process; null on the GPU"),
    trace_view::Column::new("tid", Unit::None, "thread; null on the GPU"),
    trace_view::Column::new("stream", Unit::None, "GPU stream; null on the CPU"),
    trace_view::Column::new("event", Unit::None, "position of the event in the file's traceEvents; null without one"),
    trace_view::Column::new("name", Unit::None, "name of the event"),
    trace_view::Column::new("operator", Unit::None, "outermost operator around it, or around its launch"),
    BOUND_BY,
    trace_view::Column::new("because", Unit::None, "what it waited for just before"),
    trace_view::Column::new("of_rank", Unit::None, "rank of the window"),
    INSTANCE,
];

/// Columns of the table `by_name`.
pub(super) const BY_NAME_COLUMNS: &[trace_view::Column] = &[
    BOUND_BY,
    trace_view::Column::new("name", Unit::None, "name of the events; without one the word of bound_by"),
    trace_view::Column::new("count", Unit::Count, "events on the critical path"),
    trace_view::Column::new("duration", Unit::Micros, "time on the critical path"),
    trace_view::Column::new("percent", Unit::Percent, "share of the window"),
    trace_view::Column::new(
        "saved_if_twice_as_fast",
        Unit::Micros,
        "what the window would lose if all of them took half of the time",
    ),
    trace_view::Column::new("saved_if_free", Unit::Micros, "what the window would lose if all of them took no time"),
    RANK,
    INSTANCE,
];

/// Columns of the table `what_if`.
pub(super) const WHAT_IF_COLUMNS: &[trace_view::Column] = &[
    trace_view::Column::new("change", Unit::None, "what takes another time, and the factor"),
    trace_view::Column::new("step_before", Unit::Micros, "length of the window as recorded; of several the mean"),
    trace_view::Column::new("step_after", Unit::Micros, "length of the window with the change"),
    trace_view::Column::new("saved", Unit::Micros, "step_before − step_after"),
    trace_view::Column::new("percent", Unit::Percent, "what is saved, of step_before"),
    trace_view::Column::new("bound_by", Unit::None, "what bounds most of the step then"),
];

/// Columns of the table `edges`.
pub(super) const EDGE_COLUMNS: &[trace_view::Column] = &[
    trace_view::Column::new("from_event", Unit::None, "position of the cause's event in the file; null without one"),
    trace_view::Column::new("to_event", Unit::None, "position of the event that waits; null without one"),
    trace_view::Column::new("from_ts", Unit::Nanos, "time of the cause, as recorded"),
    trace_view::Column::new("to_ts", Unit::Nanos, "time of what waits, as recorded"),
    trace_view::Column::new("type", Unit::None, "why it waits: launch, stream order, event wait, …"),
    trace_view::Column::new("lag", Unit::Nanos, "time that must pass in between"),
    trace_view::Column::new("binding", Unit::None, "whether it is the cause that was waited for last"),
    BOUND_BY,
    trace_view::Column::new("rank", Unit::None, "rank of what waits"),
];

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
        let rows = || {
            self.windows.iter().flat_map(|window| {
                let mut summary = window.summary();
                summary.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
                summary.into_iter().map(move |(bound_by, ns)| (window, bound_by, ns))
            })
        };
        frame(vec![
            ints("rank", rows().map(|(window, ..)| Some(window.rank))),
            texts("annotation", rows().map(|(window, ..)| Some(window.annotation.as_str()))),
            ints("instance", rows().map(|(window, ..)| window.instance())),
            texts("bound_by", rows().map(|(_, bound_by, _)| Some(bound_by.word()))),
            micros("duration", rows().map(|(.., ns)| Some(ns))),
            shares("percent", rows().map(|(window, _, ns)| (ns, window.duration_ns()))),
        ])
    }

    /// Returns the critical paths, interval by interval in order of time, those of several windows one after the other. Times in µs.
    ///
    /// # Columns
    /// `position`, `start` (from the first event of the trace on), `duration`, `rank`, `device`, `pid`, `tid`, `stream`, `event`,
    /// `name`, `operator`, `bound_by`, `because`, `of_rank`, `instance` (of the window).
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn path(&self) -> Result<DataFrame> {
        let rows = || {
            self.windows.iter().flat_map(|window| {
                window.intervals.iter().enumerate().map(move |(at, interval)| (window, at, interval))
            })
        };
        frame(vec![
            ints("position", rows().map(|(_, at, _)| i64::try_from(at).ok())),
            micros("start", rows().map(|(.., interval)| Some(interval.start - self.origin))),
            micros("duration", rows().map(|(.., interval)| Some(interval.duration()))),
            ints("rank", rows().map(|(.., interval)| Some(interval.rank))),
            ints("device", rows().map(|(.., interval)| interval.device)),
            ints("pid", rows().map(|(.., interval)| interval.pid)),
            ints("tid", rows().map(|(.., interval)| interval.tid)),
            ints("stream", rows().map(|(.., interval)| interval.stream)),
            ints("event", rows().map(|(.., interval)| interval.event)),
            texts("name", rows().map(|(.., interval)| self.name(interval.name))),
            texts("operator", rows().map(|(.., interval)| self.name(interval.operator))),
            texts("bound_by", rows().map(|(.., interval)| Some(interval.bound_by.word()))),
            texts("because", rows().map(|(.., interval)| Some(interval.because.word()))),
            ints("of_rank", rows().map(|(window, ..)| Some(window.rank))),
            ints("instance", rows().map(|(window, ..)| window.instance())),
        ])
    }

    /// Returns the time on the path by name, the longest first, and what it would save, by replay, if all events of the name took half
    /// of their time there, or none; null for those that are not among the longest. Times in µs.
    ///
    /// # Columns
    /// `bound_by`, `name`, `count`, `duration`, `percent`, `saved_if_twice_as_fast`, `saved_if_free`, `rank`, `instance`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn by_name(&self) -> Result<DataFrame> {
        let rows = || self.windows.iter().flat_map(|window| window.names.iter().map(move |row| (window, row)));
        frame(vec![
            texts("bound_by", rows().map(|(_, row)| Some(row.bound_by.word()))),
            texts("name", rows().map(|(_, row)| Some(self.name_of(row)))),
            ints("count", rows().map(|(_, row)| i64::try_from(row.count).ok())),
            micros("duration", rows().map(|(_, row)| Some(row.duration_ns))),
            shares("percent", rows().map(|(window, row)| (row.duration_ns, window.duration_ns()))),
            micros("saved_if_twice_as_fast", rows().map(|(_, row)| row.saved_ns.map(|saved| saved[0]))),
            micros("saved_if_free", rows().map(|(_, row)| row.saved_ns.map(|saved| saved[1]))),
            ints("rank", rows().map(|(window, _)| Some(window.rank))),
            ints("instance", rows().map(|(window, _)| window.instance())),
        ])
    }

    /// Returns what the changes of the question would do, each alone, then all together. Times in µs; of several windows means.
    ///
    /// # Columns
    /// `change`, `step_before`, `step_after`, `saved`, `percent`, `bound_by`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn what_if(&self) -> Result<DataFrame> {
        let rows = || self.what_if.iter();
        frame(vec![
            texts("change", rows().map(|row| Some(row.change.as_str()))),
            micros("step_before", rows().map(|row| Some(row.before_ns))),
            micros("step_after", rows().map(|row| Some(row.after_ns))),
            micros("saved", rows().map(|row| Some(row.saved_ns()))),
            Series::new("percent".into(), rows().map(|row| row.percent()).collect::<Vec<_>>()).into(),
            texts("bound_by", rows().map(|row| Some(row.bound_by.0))),
        ])
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
        frame(vec![
            Series::new("from_event".into(), &edges.from_event).into(),
            Series::new("to_event".into(), &edges.to_event).into(),
            Series::new("from_ts".into(), &edges.from_ts).into(),
            Series::new("to_ts".into(), &edges.to_ts).into(),
            texts("type", edges.kind.iter().map(|kind| Some(kind.word()))),
            Series::new("lag".into(), &edges.lag).into(),
            Series::new("binding".into(), &edges.binding).into(),
            texts("bound_by", edges.bound_by.iter().map(|bound_by| Some(bound_by.word()))),
            Series::new("rank".into(), &edges.rank).into(),
        ])
    }
}

impl BoundWindow {
    /// The first instance.
    fn instance(&self) -> Option<i64> {
        i64::try_from(self.instances?.0).ok()
    }
}

fn frame(columns: Vec<Column>) -> Result<DataFrame> {
    Ok(DataFrame::new(columns.first().map_or(0, Column::len), columns)?)
}

fn ints(name: &str, values: impl Iterator<Item = Option<i64>>) -> Column {
    Series::new(name.into(), values.collect::<Vec<_>>()).into()
}

fn texts<'a>(name: &str, values: impl Iterator<Item = Option<&'a str>>) -> Column {
    Series::new(name.into(), values.collect::<Vec<_>>()).into()
}

/// Times in µs.
fn micros(name: &str, values: impl Iterator<Item = Option<i64>>) -> Column {
    Series::new(name.into(), values.map(|ns| ns.map(|ns| ns as f64 / 1e3)).collect::<Vec<_>>()).into()
}

/// Shares in percent; of nothing 0.
fn shares(name: &str, values: impl Iterator<Item = (i64, i64)>) -> Column {
    let share = |(part, whole): (i64, i64)| if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    Series::new(name.into(), values.map(share).collect::<Vec<_>>()).into()
}
