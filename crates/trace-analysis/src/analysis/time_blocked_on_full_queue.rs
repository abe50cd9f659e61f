//! Time for which the queue of each stream was full.

use super::nothing_on;
use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema};
use crate::exec::checkpoint::cancellable;
use crate::present::{Field, answer_frame, declared};
use crate::stats::{micros, total};
use crate::{Compat, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

/// The time for which the queue of each stream was full, so that a further launch would have blocked.
///
/// ```text
/// length        3 |   ·--·
///               2 | ·-·  ·--·          max_queue_length 2: full for this long
///               1 |-·       ·---       ( |-------| )
/// ```
///
/// CUDA queues 1024 launches per stream; then the launching call blocks.
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
    /// The length at which a queue is full.
    pub max_queue_length: i64,
}

impl Default for TimeBlockedOnFullQueue {
    fn default() -> Self {
        Self { ranks: None, max_queue_length: 1024 }
    }
}

/// The answer's columns.
const COLUMNS: [Field<Row>; 4] = [
    Field::id("rank", "process of the job", |row| Some(row.0)),
    Field::id("stream", "GPU stream", |row| Some(row.1)),
    Field::number("duration_at_max_queue_length", Unit::Micros, "time for which the queue was full", |row| Some(row.2)),
    Field::number(
        "relative_duration_at_max_queue_length",
        Unit::None,
        "share of the rank's total time, 0 to 1",
        |row| row.3,
    ),
];

/// The partial result of one rank.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    hta: bool,
    /// Whether anything was launched.
    launched: bool,
    /// Time from the first to the last start of an event, in ns.
    span: i64,
    /// Time for which the queue was full, in ns, by stream; only streams whose queue ever was.
    full: BTreeMap<i64, i64>,
}

impl Analysis for TimeBlockedOnFullQueue {
    const NAME: &'static str = "time_blocked_on_full_queue";
    const SUMMARY: &'static str = "Show for how long the queue of each stream was full, which blocks launches.";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::new("max_queue_length", ParameterKind::Whole, "length at which a queue is full")];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&COLUMNS))];
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
            // How long the last length lasts is unknown.
            let full_intervals = points.windows(2).filter(|pair| is_full(pair[0].length));
            full.insert(stream, total(full_intervals.map(|pair| pair[1].ts.saturating_sub(pair[0].ts))));
        }
        let starts = rank.all_events().column(crate::frame::columns::TS)?.i64()?.rechunk().into_owned();
        let starts = || cancellable(rank.rows()).filter_map(|&row| starts.get(row as usize));
        let span = starts().max().zip(starts().min()).map_or(0, |(last, first): (i64, i64)| last.saturating_sub(first));
        let hta = rank.compat() == Compat::Hta;
        Ok(ByRank::of(rank.rank(), State { hta, launched: !queues.streams.is_empty(), span, full }))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(|result| !result.launched);
        let never = state.ranks_where(|result| result.launched && result.full.is_empty());
        let mut rows = Vec::new();
        for (&rank, State { hta, span, full, .. }) in &state.0 {
            // Differs from HTA: it keeps only the last stream of a rank.
            let skipped = if *hta { full.len().saturating_sub(1) } else { 0 };
            for (&stream, &time) in full.iter().skip(skipped) {
                rows.push((rank, stream, micros(time), (*span > 0).then(|| time as f64 / *span as f64)));
            }
        }
        let frame = answer_frame(&rows, &COLUMNS)?;
        let never_full = format!("No queue ever held {} launches", trace_view::grouped(self.max_queue_length));
        let notes = [nothing_on(&without, "No launch of a kernel, copy or fill"), nothing_on(&never, &never_full)];
        let table = AnswerTable::new(&Self::TABLES[0], frame);
        let answer = Answer::of(table, (!rows.is_empty()).then(|| figure(&rows)), notes.into_iter().flatten());
        let drawn = ["duration_at_max_queue_length"];
        Ok(answer.with_heat_map("Time at a full queue", Self::TABLES[0].name, &drawn, 0))
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

/// Rank, stream, time in µs, share of the span.
type Row = (i64, i64, f64, Option<f64>);

fn figure(rows: &[Row]) -> Figure {
    let several = rows.iter().any(|row| row.0 != rows[0].0);
    let label = |row: &Row| if several { format!("rank {} · stream {}", row.0, row.1) } else { row.1.to_string() };
    Figure {
        title: "Time at a full queue".to_owned(),
        x: Axis { title: "Stream".to_owned(), ..Axis::default() },
        y: Axis { title: "Share of the rank's time".to_owned(), unit: Unit::Percent, ..Axis::default() },
        series: vec![Series {
            name: "full".to_owned(),
            mark: Mark::Bar,
            x: Points::Names(rows.iter().map(label).collect()),
            y: rows.iter().map(|row| row.3.map_or(f64::NAN, |share| 100.0 * share)).collect(),
        }],
        ..Figure::default()
    }
}
