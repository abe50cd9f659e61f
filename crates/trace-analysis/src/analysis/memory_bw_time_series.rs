//! The memory bandwidth of each kind of copy over time.

use super::listed::{AnswerFiles, Listed};
use super::over_time::OverTime;
use super::{Analysis, Answer, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::counter::{Bandwidth, BandwidthPoint};
use crate::present::{Field, answer_frame, declared};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use trace_view::Unit;

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
/// One table per rank, by name and time: `Row::COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_memory_bw_time_series`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBwTimeSeries {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
}

/// The bandwidth of a kind of copy from a moment on.
struct Row<'a> {
    kind: &'a str,
    point: &'a BandwidthPoint,
    /// The first event of all ranks, in ns.
    origin: i64,
}

impl Row<'_> {
    const COLUMNS: [Field<Self>; 4] = [
        Field::time("ts", "moment, since the first event of all ranks", |row| {
            Some(row.point.ts.saturating_sub(row.origin))
        }),
        Field::id("pid", "device", |row| row.point.pid),
        Field::word("name", "kind of copy", |row| Some(row.kind)),
        Field::number(
            "memory_bw_gbps",
            Unit::GigabytesPerSecond,
            "bandwidth of all such copies from this moment on",
            |row| Some(row.point.gbps),
        ),
    ];
}

/// The bandwidth on one rank, and the origin of the common clock.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    origin: i64,
    kinds: Listed<Bandwidth>,
}

const DRAWN: OverTime = OverTime {
    key: "name",
    value: "memory_bw_gbps",
    line: str::to_owned,
    largest: |kind| format!("highest {kind}"),
    unit: Unit::GigabytesPerSecond,
    title: "Memory bandwidth",
    axis: "Bandwidth",
    map_title: "Memory bandwidth",
    meaning: "bandwidth",
};

impl Analysis for MemoryBwTimeSeries {
    const NAME: &'static str = "memory_bw_time_series";
    const SUMMARY: &'static str = "Show the memory bandwidth of copies and fills over time, by kind of copy.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&Row::COLUMNS)).per_rank()];
    const FIRST_RANK_ONLY: bool = true;
    // Two points per copy and fill.
    const KEEPS_EVENTS: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let kinds = Listed::Found(rank.memory_bandwidth()?);
        Ok(ByRank::of(rank.rank(), State { origin: rank.origin(), kinds }))
    }

    fn move_to_files(&self, state: Self::State, files: &AnswerFiles) -> Result<Self::State> {
        state.try_map(|rank, State { origin, kinds }| {
            Ok(State { origin, kinds: kinds.moved(rank, files, |kinds| frame(&kinds, origin))? })
        })
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let ranks = state.try_map(|_, State { origin, kinds }| kinds.finished(|kinds| frame(&kinds, origin)))?;
        let without = ranks.ranks_where(|rows| rows.len() == 0);
        let notes = nothing_on(&without, "No memory copy or fill").into_iter().collect();
        let answer = DRAWN.answer(Answer { notes, ..Answer::default() }, &ranks)?;
        Ok(Answer { tables: ranks.into_tables(&Self::TABLES[0]), ..answer })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

fn frame(kinds: &Bandwidth, origin: i64) -> Result<DataFrame> {
    let rows = kinds.iter().flat_map(|(kind, points)| points.iter().map(move |point| Row { kind, point, origin }));
    answer_frame(&rows.collect::<Vec<_>>(), &Row::COLUMNS)
}
