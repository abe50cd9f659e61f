//! How many launches wait in each stream, described.

use super::queue_length_time_series::not_paired;
use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, TraceAnalysis, nothing_on};
use crate::Result;
use crate::counter::{Queues, queue_lengths};
use crate::statistics::describe;
use polars::prelude::{Column as FrameColumn, DataFrame, NamedFrom, Series as FrameSeries};
use serde::{Deserialize, Serialize};
use trace_view::{Axis, Column, Figure, Mark, Points, Series, Unit};

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
        Ok(ByRank::of(rank.rank(), State(queue_lengths(rank.all_events(), rank.rows(), rank.compat())?)))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let empty = |(_, State(queues)): &(&i64, &State)| queues.streams.is_empty();
        let without: Vec<i64> = state.0.iter().filter(empty).map(|(&rank, _)| rank).collect();
        let mut rows = Vec::new();
        for (&rank, State(queues)) in &state.0 {
            for (&stream, points) in &queues.streams {
                let mut lengths: Vec<f64> = points.iter().map(|point| point.length as f64).collect();
                rows.push((rank, stream, describe(&mut lengths)));
            }
        }
        let unpaired = state.0.iter().filter_map(|(&rank, State(queues))| not_paired(rank, queues));
        Ok(Answer {
            tables: vec![AnswerTable::new(&Self::TABLES[0], frame(&rows)?)],
            figures: if rows.is_empty() { Vec::new() } else { vec![figure(&rows)] },
            notes: nothing_on(&without, "No launch of a kernel, copy or fill").into_iter().chain(unpaired).collect(),
            ..Answer::default()
        })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

impl TraceAnalysis {
    /// The lengths of the queues described, a row per rank and stream.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_queue_length_summary(&self, question: &QueueLengthSummary) -> Result<DataFrame> {
        Ok(self.ask(question)?.main())
    }
}

/// Rank, stream, and the lengths described.
type Row = (i64, i64, [Option<f64>; 8]);

fn frame(rows: &[Row]) -> Result<DataFrame> {
    let mut columns: Vec<FrameColumn> = vec![
        FrameSeries::new("rank".into(), rows.iter().map(|row| row.0).collect::<Vec<i64>>()).into(),
        FrameSeries::new("stream".into(), rows.iter().map(|row| row.1).collect::<Vec<i64>>()).into(),
    ];
    for (place, column) in COLUMNS[2..].iter().enumerate() {
        let values: Vec<Option<f64>> = rows.iter().map(|row| row.2[place]).collect();
        columns.push(FrameSeries::new(column.name.into(), values).into());
    }
    Ok(DataFrame::new(rows.len(), columns)?)
}

/// Median and longest queue of every stream.
fn figure(rows: &[Row]) -> Figure {
    let several = rows.iter().any(|row| row.0 != rows[0].0);
    let place = |row: &Row| if several { format!("rank {} · stream {}", row.0, row.1) } else { row.1.to_string() };
    let places: Vec<String> = rows.iter().map(place).collect();
    let series = |(name, statistic): (&str, usize)| Series {
        name: name.to_owned(),
        mark: Mark::Bar,
        x: Points::Names(places.clone()),
        y: rows.iter().map(|row| row.2[statistic].unwrap_or(f64::NAN)).collect(),
    };
    Figure {
        title: "Queue length by stream".to_owned(),
        x: Axis { title: "Stream".to_owned(), ..Axis::default() },
        y: Axis { title: "Launched and not begun".to_owned(), unit: Unit::Count, log: false },
        series: [("median", 5), ("longest", 7)].map(series).into(),
        ..Figure::default()
    }
}
