//! How long a full queue may have held the host up.

use super::nothing_on;
use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema};
use crate::exec::checkpoint::cancellable;
use crate::stats::{micros, total};
use crate::{Compat, Result};
use polars::df;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::{Axis, Column, Figure, Mark, Points, Series, Unit};

/// The time for which the queue of each stream was full, so that a further launch would have waited.
///
/// ```text
/// length        3 |   ·--·
///               2 | ·-·  ·--·          max_queue_length 2: full for this long
///               1 |-·       ·---       ( |-------| )
/// ```
///
/// CUDA takes 1024 launches per stream; then the launching call waits.
///
/// # Columns
/// One row per rank and stream whose queue was ever full: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_time_spent_blocked_on_full_queue`, which keeps one stream per rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeBlockedOnFullQueue {
    /// The ranks; `None` for all.
    pub ranks: Option<Vec<i64>>,
    /// At which length a queue is full.
    pub max_queue_length: i64,
}

impl Default for TimeBlockedOnFullQueue {
    fn default() -> Self {
        Self { ranks: None, max_queue_length: 1024 }
    }
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("stream", Unit::None, "GPU stream"),
    Column::new("duration_at_max_queue_length", Unit::Micros, "time for which the queue was full"),
    Column::new("relative_duration_at_max_queue_length", Unit::None, "share of the rank's whole time, 0 to 1"),
];

/// What one rank says.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    hta: bool,
    /// Whether anything was launched.
    launched: bool,
    /// Ns from the first to the last start of an event.
    whole: i64,
    /// Ns for which the queue of a stream was full, of the streams whose queue ever was.
    full: BTreeMap<i64, i64>,
}

impl Analysis for TimeBlockedOnFullQueue {
    const NAME: &'static str = "time_blocked_on_full_queue";
    const SUMMARY: &'static str = "Show for how long the queue of each stream was full, which holds launches up.";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::new("max_queue_length", ParameterKind::Whole, "length at which a queue is full")];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)];
    const LAUNCHES: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let queues = rank.queue_lengths()?;
        let mut full = BTreeMap::new();
        for (&stream, points) in &queues.streams {
            let is_full = |length: i64| length >= self.max_queue_length;
            if !points.iter().any(|point| is_full(point.length)) {
                continue;
            }
            // The last length holds for nobody knows how long.
            let held = points.windows(2).filter(|pair| is_full(pair[0].length));
            full.insert(stream, total(held.map(|pair| pair[1].ts.saturating_sub(pair[0].ts))));
        }
        let starts = rank.all_events().column(crate::frame::columns::TS)?.i64()?.rechunk().into_owned();
        let starts = || cancellable(rank.rows()).filter_map(|&row| starts.get(row as usize));
        let whole =
            starts().max().zip(starts().min()).map_or(0, |(last, first): (i64, i64)| last.saturating_sub(first));
        let hta = rank.compat() == Compat::Hta;
        Ok(ByRank::of(rank.rank(), State { hta, launched: !queues.streams.is_empty(), whole, full }))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(|result| !result.launched);
        let never = state.ranks_where(|result| result.launched && result.full.is_empty());
        let mut rows = Vec::new();
        for (&rank, said) in &state.0 {
            // Differs from HTA: of a rank's streams it keeps the last.
            let skipped = if said.hta { said.full.len().saturating_sub(1) } else { 0 };
            for (&stream, &time) in said.full.iter().skip(skipped) {
                rows.push((rank, stream, micros(time), (said.whole > 0).then(|| time as f64 / said.whole as f64)));
            }
        }
        let frame = df!(
            "rank" => rows.iter().map(|row| row.0).collect::<Vec<i64>>(),
            "stream" => rows.iter().map(|row| row.1).collect::<Vec<i64>>(),
            "duration_at_max_queue_length" => rows.iter().map(|row| row.2).collect::<Vec<f64>>(),
            "relative_duration_at_max_queue_length" => rows.iter().map(|row| row.3).collect::<Vec<Option<f64>>>(),
        )?;
        let calm = format!("No queue ever held {} launches", trace_view::grouped(self.max_queue_length));
        let notes = [nothing_on(&without, "No launch of a kernel, copy or fill"), nothing_on(&never, &calm)];
        Ok(Answer {
            tables: vec![AnswerTable::new(&Self::TABLES[0], frame)],
            figures: if rows.is_empty() { Vec::new() } else { vec![figure(&rows)] },
            notes: notes.into_iter().flatten().collect(),
            ..Answer::default()
        })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

/// Rank, stream, time in µs, share of the whole.
type Row = (i64, i64, f64, Option<f64>);

fn figure(rows: &[Row]) -> Figure {
    let several = rows.iter().any(|row| row.0 != rows[0].0);
    let place = |row: &Row| if several { format!("rank {} · stream {}", row.0, row.1) } else { row.1.to_string() };
    Figure {
        title: "Time at a full queue".to_owned(),
        x: Axis { title: "Stream".to_owned(), ..Axis::default() },
        y: Axis { title: "Share of the rank's time".to_owned(), unit: Unit::Percent, ..Axis::default() },
        series: vec![Series {
            name: "full".to_owned(),
            mark: Mark::Bar,
            x: Points::Names(rows.iter().map(place).collect()),
            y: rows.iter().map(|row| row.3.map_or(f64::NAN, |share| 100.0 * share)).collect(),
        }],
        ..Figure::default()
    }
}
