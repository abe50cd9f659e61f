//! How many launches wait in each stream, described.

use super::queue_length_time_series::not_paired;
use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::counter::Queues;
use crate::stats::describe;
use crate::stats::summary_table::{Row, bars, frame};
use serde::{Deserialize, Serialize};
use trace_view::{Axis, Column, Figure, Unit};

/// The lengths of each stream's queue, described: the rows of
/// [`QueueLengthTimeSeries`](super::QueueLengthTimeSeries).
///
/// Every change of the length counts once, however long it holds.
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
pub struct State(Queues);

impl Analysis for QueueLengthSummary {
    const NAME: &'static str = "queue_length_summary";
    const SUMMARY: &'static str = "Describe how many launches wait in each stream.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)];
    const FIRST_RANK_ONLY: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        Ok(ByRank::of(rank.rank(), State(rank.queue_lengths()?)))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(|State(queues)| queues.streams.is_empty());
        let mut rows = Vec::new();
        for (&rank, State(queues)) in &state.0 {
            for (&stream, points) in &queues.streams {
                let mut lengths: Vec<f64> = points.iter().map(|point| point.length as f64).collect();
                rows.push((rank, stream, describe(&mut lengths)));
            }
        }
        let unpaired = state.0.iter().filter_map(|(&rank, State(queues))| not_paired(rank, queues));
        Ok(Answer {
            tables: vec![AnswerTable::new(&Self::TABLES[0], frame(COLUMNS, &rows)?)],
            figures: if rows.is_empty() { Vec::new() } else { vec![figure(&rows)] },
            notes: nothing_on(&without, "No launch of a kernel, copy or fill").into_iter().chain(unpaired).collect(),
            ..Answer::default()
        })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

/// Median and longest queue of every stream.
fn figure(rows: &[Row<i64>]) -> Figure {
    let place = |stream: i64, behind: bool| if behind { format!("stream {stream}") } else { stream.to_string() };
    Figure {
        title: "Queue length by stream".to_owned(),
        x: Axis { title: "Stream".to_owned(), ..Axis::default() },
        y: Axis { title: "Launched and not begun".to_owned(), unit: Unit::Count, ..Axis::default() },
        series: bars(rows, "longest", place),
        ..Figure::default()
    }
}
