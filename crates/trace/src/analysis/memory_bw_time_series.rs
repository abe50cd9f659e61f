//! The memory bandwidth of each kind of copy over time.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::counter::{Bandwidth, BandwidthPoint};
use crate::present::{RankMap, RankTimeline};
use crate::stats::micros;
use polars::df;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use trace_view::{Axis, Column, Figure, Mark, Points, Series, Unit};

/// The memory bandwidth of each kind of copy over time: the sum over all copies that run at that moment.
///
/// ```text
/// stream 7    |---- DtoH, 2 GB/s ----|
/// stream 20          |-- DtoH, 3 GB/s ---|
/// DtoH        2      5               3   0
/// ```
///
/// A value lasts until the next row of the same name. A copy of duration 0 counts as 1 µs.
///
/// # Columns
/// One table per rank, by name and time: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_memory_bw_time_series`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBwTimeSeries {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("ts", Unit::Micros, "moment, since the first event of all ranks"),
    Column::new("pid", Unit::None, "device"),
    Column::new("name", Unit::None, "kind of copy"),
    Column::new("memory_bw_gbps", Unit::GigabytesPerSecond, "bandwidth of all such copies from this moment on"),
];

/// The bandwidth on one rank, and the origin of the common clock.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    origin: i64,
    kinds: Bandwidth,
}

impl Analysis for MemoryBwTimeSeries {
    const NAME: &'static str = "memory_bw_time_series";
    const SUMMARY: &'static str = "Show the memory bandwidth of copies and fills over time, by kind of copy.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS).per_rank()];
    const FIRST_RANK_ONLY: bool = true;
    // Two points per copy and fill.
    const KEEPS_EVENTS: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let kinds = rank.memory_bandwidth()?;
        Ok(ByRank::of(rank.rank(), State { origin: rank.origin(), kinds }))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(|result| result.kinds.is_empty());
        let table = |(&rank, result): (&i64, &State)| -> Result<AnswerTable> {
            Ok(AnswerTable::new(&Self::TABLES[0], frame(result)?).of_rank(rank))
        };
        let (map, timeline) = by_rank(&state);
        let answer = Answer {
            tables: state.0.iter().map(table).collect::<Result<_>>()?,
            figures: if without.len() == state.0.len() || map.is_large() { Vec::new() } else { vec![figure(&state)] },
            notes: nothing_on(&without, "No memory copy or fill").into_iter().collect(),
            ..Answer::default()
        };
        let draw = |map: &RankMap| timeline.drawn(map, "Memory bandwidth", "bandwidth", Unit::GigabytesPerSecond);
        Ok(if without.len() == state.0.len() { answer } else { answer.with_map(&map, draw, 0) })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

fn frame(result: &State) -> Result<DataFrame> {
    let points = || result.kinds.iter().flat_map(|(kind, points)| points.iter().map(move |point| (kind, point)));
    Ok(df!(
        "ts" => points().map(|(_, point)| micros(point.ts.saturating_sub(result.origin))).collect::<Vec<f64>>(),
        "pid" => points().map(|(_, point)| point.pid).collect::<Vec<Option<i64>>>(),
        "name" => points().map(|(kind, _)| kind.as_str()).collect::<Vec<&str>>(),
        "memory_bw_gbps" => points().map(|(_, point)| point.gbps).collect::<Vec<f64>>(),
    )?)
}

/// Returns the highest bandwidth of each rank by kind of copy, and its bandwidths over time.
fn by_rank(state: &ByRank<State>) -> (RankMap, RankTimeline) {
    let mut map = RankMap::of(state.0.keys().copied());
    let mut timeline = RankTimeline::default();
    if !map.is_large() {
        return (map, timeline);
    }
    for (&rank, State { origin, kinds }) in &state.0 {
        for (kind, points) in kinds {
            let highest = points.iter().map(|point| point.gbps).fold(f64::NAN, f64::max);
            map.set(&format!("highest {kind}"), Unit::GigabytesPerSecond, rank, highest);
            let at = |point: &BandwidthPoint| point.ts.saturating_sub(*origin) as f64 / 1e6;
            timeline.add(rank, points.iter().map(|point| (at(point), point.gbps)).collect());
        }
    }
    (map, timeline)
}

fn figure(state: &ByRank<State>) -> Figure {
    let several = state.0.len() > 1;
    let mut series = Vec::new();
    for (rank, result) in &state.0 {
        for (kind, points) in &result.kinds {
            let name = if several { format!("rank {rank} · {kind}") } else { kind.clone() };
            let at = |point: &BandwidthPoint| point.ts.saturating_sub(result.origin) as f64 / 1e6;
            let x = Points::Numbers(points.iter().map(at).collect());
            let y = points.iter().map(|point| point.gbps).collect();
            series.push(Series { name, mark: Mark::Step, x, y });
        }
    }
    Figure {
        title: "Memory bandwidth".to_owned(),
        x: Axis { title: "Time".to_owned(), unit: Unit::Millis, ..Axis::default() },
        y: Axis { title: "Bandwidth".to_owned(), unit: Unit::GigabytesPerSecond, ..Axis::default() },
        series,
        ..Figure::default()
    }
}
