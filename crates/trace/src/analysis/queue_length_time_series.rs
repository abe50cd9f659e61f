//! The queue length of each stream over time.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::counter::{QueuePoint, Queues};
use crate::present::{MOST_RANKS, RankMap, RankTimeline};
use crate::stats::micros;
use polars::df;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use trace_view::format::numbered;
use trace_view::{Axis, Column, Figure, Mark, Points, Series, Unit};

/// The length of each stream's queue over time: the number of launched kernels that have not started.
///
/// ```text
/// CPU         |launch a| |launch b|
/// stream 7           |---- a ----||-- b --|
/// length      1      0   1        0
/// ```
///
/// Launches are those of kernels, copies and fills (`cudaLaunchKernel`, `cudaMemcpyAsync`, `hipLaunchKernel`, …). A value
/// lasts until the next row of the same stream; at the same moment launches come before kernels. A negative length means
/// that the clock of a kernel is ahead of that of its launch.
///
/// # Columns
/// One table per rank, by stream and time: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_queue_length_time_series`, which fails where launches share a correlation id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLengthTimeSeries {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("index", Unit::None, "position in traceEvents of the launch or the kernel"),
    Column::new("ts", Unit::Micros, "moment, since the first event of all ranks"),
    Column::new("pid", Unit::None, "device of the kernel"),
    Column::new("tid", Unit::None, "thread of the kernel: its stream"),
    Column::new("stream", Unit::None, "GPU stream"),
    Column::new("queue_length", Unit::Count, "launched and not started, from this moment on"),
];

/// The queues of one rank, and the origin of the common clock.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    origin: i64,
    queues: Queues,
}

impl Analysis for QueueLengthTimeSeries {
    const NAME: &'static str = "queue_length_time_series";
    const SUMMARY: &'static str = "Show how many launches wait in each stream over time.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS).per_rank()];
    const FIRST_RANK_ONLY: bool = true;
    // A point per launch and per kernel.
    const KEEPS_EVENTS: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let queues = rank.queue_lengths()?;
        Ok(ByRank::of(rank.rank(), State { origin: rank.origin(), queues }))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(|result| result.queues.streams.is_empty());
        let table = |(&rank, result): (&i64, &State)| -> Result<AnswerTable> {
            Ok(AnswerTable::new(&Self::TABLES[0], frame(result)?).of_rank(rank))
        };
        let unpaired = not_paired(state.0.iter().map(|(&rank, result)| (rank, result.queues.unpaired)));
        let (map, timeline) = by_rank(&state);
        let answer = Answer {
            notes: nothing_on(&without, "No launch of a kernel, copy or fill").into_iter().chain(unpaired).collect(),
            tables: state.0.iter().map(table).collect::<Result<_>>()?,
            figures: if without.len() == state.0.len() || map.is_large() { Vec::new() } else { vec![figure(&state)] },
            ..Answer::default()
        };
        let draw = |map: &RankMap| timeline.drawn(map, "Queue length", "longest queue", Unit::Count);
        Ok(if without.len() == state.0.len() { answer } else { answer.with_map(&map, draw, 0) })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

/// Returns the notes on launches that could not be paired: one for each rank, of many ranks one for all.
pub(super) fn not_paired(ranks: impl Iterator<Item = (i64, usize)>) -> Vec<String> {
    let unpaired: Vec<(i64, usize)> = ranks.filter(|&(_, unpaired)| unpaired > 0).collect();
    let note = |count: usize, of: &str| {
        format!(
            "{} launches or kernels of {of} share a correlation id with others and have no counterpart: they are left out.",
            trace_view::grouped(count)
        )
    };
    if unpaired.len() > MOST_RANKS {
        let of: Vec<i64> = unpaired.iter().map(|(rank, _)| *rank).collect();
        return vec![note(unpaired.iter().map(|(_, count)| count).sum(), &numbered("rank", &of))];
    }
    unpaired.into_iter().map(|(rank, count)| note(count, &format!("rank {rank}"))).collect()
}

/// Returns the longest and the mean queue of each rank, and its queues over time.
fn by_rank(state: &ByRank<State>) -> (RankMap, RankTimeline) {
    let mut map = RankMap::of(state.0.keys().copied());
    let mut timeline = RankTimeline::default();
    if !map.is_large() {
        return (map, timeline);
    }
    for (&rank, State { origin, queues }) in &state.0 {
        for (stream, points) in &queues.streams {
            let longest = points.iter().map(|point| point.length).max().unwrap_or(0);
            map.set(&format!("longest queue of stream {stream}"), Unit::Count, rank, longest as f64);
            let at = |point: &QueuePoint| point.ts.saturating_sub(*origin) as f64 / 1e6;
            timeline.add(rank, points.iter().map(|point| (at(point), point.length as f64)).collect());
        }
    }
    (map, timeline)
}

fn frame(result: &State) -> Result<DataFrame> {
    let streams = &result.queues.streams;
    let points = || streams.iter().flat_map(|(&stream, points)| points.iter().map(move |point| (stream, point)));
    Ok(df!(
        "index" => points().map(|(_, point)| point.index).collect::<Vec<i64>>(),
        "ts" => points().map(|(_, point)| micros(point.ts.saturating_sub(result.origin))).collect::<Vec<f64>>(),
        "pid" => points().map(|(_, point)| point.pid).collect::<Vec<Option<i64>>>(),
        "tid" => points().map(|(_, point)| point.tid).collect::<Vec<Option<i64>>>(),
        "stream" => points().map(|(stream, _)| stream).collect::<Vec<i64>>(),
        "queue_length" => points().map(|(_, point)| point.length).collect::<Vec<i64>>(),
    )?)
}

fn figure(state: &ByRank<State>) -> Figure {
    let several = state.0.len() > 1;
    let mut series = Vec::new();
    for (rank, result) in &state.0 {
        for (stream, points) in &result.queues.streams {
            let name = if several { format!("rank {rank} · stream {stream}") } else { format!("stream {stream}") };
            let at = |point: &QueuePoint| point.ts.saturating_sub(result.origin) as f64 / 1e6;
            let x = Points::Numbers(points.iter().map(at).collect());
            let y = points.iter().map(|point| point.length as f64).collect();
            series.push(Series { name, mark: Mark::Step, x, y });
        }
    }
    Figure {
        title: "Queue length by stream".to_owned(),
        x: Axis { title: "Time".to_owned(), unit: Unit::Millis, ..Axis::default() },
        y: Axis { title: "Launched and not started".to_owned(), unit: Unit::Count, ..Axis::default() },
        series,
        ..Figure::default()
    }
}
