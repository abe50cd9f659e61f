//! The queue length of each stream over time.

use super::listed::{AnswerFiles, Listed};
use super::over_time::OverTime;
use super::{Analysis, Answer, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::counter::{QueuePoint, Queues};
use crate::present::{Field, MOST_RANKS, answer_frame, declared};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::Unit;
use trace_view::format::numbered;

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
/// One table per rank, by stream and time: `Row::COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_queue_length_time_series`, which fails where launches share a correlation id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLengthTimeSeries {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
}

/// The length of a queue from a moment on.
struct Row<'a> {
    stream: i64,
    point: &'a QueuePoint,
    /// The first event of all ranks, in ns.
    origin: i64,
}

impl Row<'_> {
    const COLUMNS: [Field<Self>; 6] = [
        Field::id("index", "position in traceEvents of the launch or the kernel", |row| Some(row.point.index)),
        Field::time("ts", "moment, since the first event of all ranks", |row| {
            Some(row.point.ts.saturating_sub(row.origin))
        }),
        Field::id("pid", "device of the kernel", |row| row.point.pid),
        Field::id("tid", "thread of the kernel: its stream", |row| row.point.tid),
        Field::id("stream", "GPU stream", |row| Some(row.stream)),
        Field::whole("queue_length", Unit::Count, "launched and not started, from this moment on", |row| {
            Some(row.point.length)
        }),
    ];
}

/// The queues of one rank, and the origin of the common clock.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    origin: i64,
    streams: Listed<Streams>,
    /// Number of launches and kernels that could not be paired.
    unpaired: usize,
}

/// The points of each stream, by time.
type Streams = BTreeMap<i64, Vec<QueuePoint>>;

const DRAWN: OverTime = OverTime {
    key: "stream",
    value: "queue_length",
    line: |stream| format!("stream {stream}"),
    largest: |stream| format!("longest queue of stream {stream}"),
    unit: Unit::Count,
    title: "Queue length by stream",
    axis: "Launched and not started",
    map_title: "Queue length",
    meaning: "longest queue",
};

impl Analysis for QueueLengthTimeSeries {
    const NAME: &'static str = "queue_length_time_series";
    const SUMMARY: &'static str = "Show how many launches wait in each stream over time.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&Row::COLUMNS)).per_rank()];
    const FIRST_RANK_ONLY: bool = true;
    // A point per launch and per kernel.
    const KEEPS_EVENTS: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let Queues { streams, unpaired } = rank.queue_lengths()?;
        Ok(ByRank::of(rank.rank(), State { origin: rank.origin(), streams: Listed::Found(streams), unpaired }))
    }

    fn move_to_files(&self, state: Self::State, files: &AnswerFiles) -> Result<Self::State> {
        state.try_map(|rank, State { origin, streams, unpaired }| {
            Ok(State { origin, streams: streams.moved(rank, files, |streams| frame(&streams, origin))?, unpaired })
        })
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let unpaired = not_paired(state.0.iter().map(|(&rank, result)| (rank, result.unpaired)));
        let ranks =
            state.try_map(|_, State { origin, streams, .. }| streams.finished(|streams| frame(&streams, origin)))?;
        let without = ranks.ranks_where(|rows| rows.len() == 0);
        let notes = nothing_on(&without, "No launch of a kernel, copy or fill").into_iter().chain(unpaired).collect();
        let answer = DRAWN.answer(Answer { notes, ..Answer::default() }, &ranks)?;
        Ok(Answer { tables: ranks.into_tables(&Self::TABLES[0]), ..answer })
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

fn frame(streams: &Streams, origin: i64) -> Result<DataFrame> {
    let rows =
        streams.iter().flat_map(|(&stream, points)| points.iter().map(move |point| Row { stream, point, origin }));
    answer_frame(&rows.collect::<Vec<_>>(), &Row::COLUMNS)
}
