//! Statistics of the queue length of each stream.

use super::queue_length_time_series::not_paired;
use super::summary::summary;
use super::summary_table::bars;
use super::{Analysis, Answer, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::counter::QueuePoint;
use crate::stats::describe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::{Axis, Column, Figure, Unit};

/// Statistics of the length of each stream's queue, over the rows of
/// [`QueueLengthTimeSeries`](super::QueueLengthTimeSeries).
///
/// Each row counts once, however long its length lasts.
///
/// # Columns
/// One row per rank and stream: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_queue_length_summary`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLengthSummary {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("stream", Unit::None, "GPU stream"),
    Column::new("queue_length.count", Unit::Count, "number of launches and starts"),
    Column::new("queue_length.mean", Unit::Count, "mean length"),
    Column::new("queue_length.std", Unit::Count, "standard deviation of the lengths"),
    Column::new("queue_length.min", Unit::Count, "shortest"),
    Column::new("queue_length.25%", Unit::Count, "a quarter of the lengths is shorter"),
    Column::new("queue_length.50%", Unit::Count, "half of the lengths are shorter"),
    Column::new("queue_length.75%", Unit::Count, "three quarters of the lengths are shorter"),
    Column::new("queue_length.max", Unit::Count, "longest"),
];

/// The queues of one rank.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// Statistics of the lengths by stream, see [`describe`].
    streams: BTreeMap<i64, [Option<f64>; 8]>,
    /// Number of launches and kernels that could not be paired.
    unpaired: usize,
}

impl Analysis for QueueLengthSummary {
    const NAME: &'static str = "queue_length_summary";
    const SUMMARY: &'static str = "Describe how many launches wait in each stream.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)];
    const FIRST_RANK_ONLY: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let queues = rank.queue_lengths()?;
        let described = |points: Vec<QueuePoint>| {
            describe(&mut points.iter().map(|point| point.length as f64).collect::<Vec<f64>>())
        };
        let streams = queues.streams.into_iter().map(|(stream, points)| (stream, described(points))).collect();
        Ok(ByRank::of(rank.rank(), State { streams, unpaired: queues.unpaired }))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(|result| result.streams.is_empty());
        let mut rows = Vec::new();
        for (&rank, result) in &state.0 {
            rows.extend(result.streams.iter().map(|(&stream, &described)| (rank, stream, described)));
        }
        let unpaired = not_paired(state.0.iter().map(|(&rank, result)| (rank, result.unpaired)));
        let label = |stream: i64, follows_rank: bool| {
            if follows_rank { format!("stream {stream}") } else { stream.to_string() }
        };
        let figure = Figure {
            title: "Queue length by stream".to_owned(),
            x: Axis { title: "Stream".to_owned(), ..Axis::default() },
            y: Axis { title: "Launched and not started".to_owned(), unit: Unit::Count, ..Axis::default() },
            series: bars(&rows, "longest", label),
            ..Figure::default()
        };
        let notes = nothing_on(&without, "No launch of a kernel, copy or fill").into_iter().chain(unpaired);
        let answer = summary(&Self::TABLES[0], &rows, figure, notes)?;
        let drawn = ["queue_length.mean", "queue_length.max"];
        Ok(answer.with_heat_map("Queue length by stream", Self::TABLES[0].name, &drawn, 0))
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}
