//! How much memory is moved, described.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::stats::describe;
use crate::stats::summary_table::{Row, bars, frame};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::{Axis, Column, Figure, Unit};

/// The memory bandwidths of each kind of copy, described: the rows of
/// [`MemoryBwTimeSeries`](super::MemoryBwTimeSeries) in which something is moved.
///
/// Every change of the bandwidth counts once, however long it holds.
///
/// # Columns
/// One row per rank and kind of copy: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_memory_bw_summary`. Rounding errors of HTA's sums count there as bandwidths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBwSummary {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("name", Unit::None, "kind of copy"),
    Column::new("memory_bw_gbps.count", Unit::Count, "number of bandwidths above zero"),
    Column::new("memory_bw_gbps.mean", Unit::GigabytesPerSecond, "mean bandwidth"),
    Column::new("memory_bw_gbps.std", Unit::GigabytesPerSecond, "standard deviation of the bandwidths"),
    Column::new("memory_bw_gbps.min", Unit::GigabytesPerSecond, "least bandwidth"),
    Column::new("memory_bw_gbps.25%", Unit::GigabytesPerSecond, "a quarter of the bandwidths is lower"),
    Column::new("memory_bw_gbps.50%", Unit::GigabytesPerSecond, "half of the bandwidths are lower"),
    Column::new("memory_bw_gbps.75%", Unit::GigabytesPerSecond, "three quarters of the bandwidths are lower"),
    Column::new("memory_bw_gbps.max", Unit::GigabytesPerSecond, "highest bandwidth"),
];

impl Analysis for MemoryBwSummary {
    const NAME: &'static str = "memory_bw_summary";
    const SUMMARY: &'static str = "Describe the memory bandwidth of copies and fills, by kind of copy.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)];
    const FIRST_RANK_ONLY: bool = true;
    /// Bandwidths above zero by kind of copy, in GB/s; empty of a kind of which none is known.
    type State = ByRank<BTreeMap<String, Vec<f64>>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let kinds = rank.memory_bandwidth()?;
        let above = kinds
            .into_iter()
            .map(|(kind, points)| (kind, points.iter().map(|point| point.gbps).filter(|&gbps| gbps > 0.0).collect()));
        Ok(ByRank::of(rank.rank(), above.collect()))
    }

    fn finish(&self, mut state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(BTreeMap::is_empty);
        let unknown = state.ranks_where(|kinds| !kinds.is_empty() && kinds.values().all(Vec::is_empty));
        let mut rows = Vec::new();
        for (&rank, kinds) in &mut state.0 {
            for (kind, values) in kinds.iter_mut().filter(|(_, values)| !values.is_empty()) {
                rows.push((rank, kind.as_str(), describe(values)));
            }
        }
        let notes = [
            nothing_on(&without, "No memory copy or fill"),
            nothing_on(
                &unknown,
                "No memory bandwidth is recorded with the copies and fills, or it was not loaded (--args bandwidth),",
            ),
        ];
        Ok(Answer {
            tables: vec![AnswerTable::new(&Self::TABLES[0], frame(COLUMNS, &rows)?)],
            figures: if rows.is_empty() { Vec::new() } else { vec![figure(&rows)] },
            notes: notes.into_iter().flatten().collect(),
            ..Answer::default()
        })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

/// Median and highest bandwidth of every kind of copy.
fn figure(rows: &[Row<&str>]) -> Figure {
    Figure {
        title: "Memory bandwidth by kind of copy".to_owned(),
        y: Axis { title: "Bandwidth".to_owned(), unit: Unit::GigabytesPerSecond, ..Axis::default() },
        series: bars(rows, "highest", |kind, _| kind.to_owned()),
        ..Figure::default()
    }
}
