//! Statistics of the memory bandwidth by kind of copy.

use super::summary::summary;
use super::summary_table::bars;
use super::{Analysis, Answer, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::counter::BandwidthPoint;
use crate::stats::describe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::{Axis, Column, Figure, Unit};

/// Statistics of the memory bandwidth of each kind of copy, over the rows of
/// [`MemoryBwTimeSeries`](super::MemoryBwTimeSeries) whose bandwidth is above zero.
///
/// Each row counts once, however long its bandwidth lasts.
///
/// # Columns
/// One row per rank and kind of copy: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_memory_bw_summary`, which counts rounding errors of its sums as bandwidth.
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
    Column::new("memory_bw_gbps.min", Unit::GigabytesPerSecond, "lowest bandwidth"),
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
    /// Statistics of the bandwidths above zero by kind of copy, in GB/s, as `describe` of pandas computes them; `None` if none was recorded.
    type State = ByRank<BTreeMap<String, Option<[Option<f64>; 8]>>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let above_zero = |points: Vec<BandwidthPoint>| {
            let mut values: Vec<f64> = points.iter().map(|point| point.gbps).filter(|&gbps| gbps > 0.0).collect();
            (!values.is_empty()).then(|| describe(&mut values))
        };
        let kinds = rank.memory_bandwidth()?.into_iter().map(|(kind, points)| (kind, above_zero(points)));
        Ok(ByRank::of(rank.rank(), kinds.collect()))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(BTreeMap::is_empty);
        let unknown = state.ranks_where(|kinds| !kinds.is_empty() && kinds.values().all(Option::is_none));
        let mut rows = Vec::new();
        for (&rank, kinds) in &state.0 {
            rows.extend(kinds.iter().filter_map(|(kind, described)| Some((rank, kind.as_str(), (*described)?))));
        }
        let notes = [
            nothing_on(&without, "No memory copy or fill"),
            nothing_on(
                &unknown,
                "No memory bandwidth is recorded with the copies and fills, or it was not loaded (--args bandwidth),",
            ),
        ];
        let figure = Figure {
            title: "Memory bandwidth by kind of copy".to_owned(),
            y: Axis { title: "Bandwidth".to_owned(), unit: Unit::GigabytesPerSecond, ..Axis::default() },
            series: bars(&rows, "highest", |kind, _| kind.to_owned()),
            ..Figure::default()
        };
        let answer = summary(&Self::TABLES[0], &rows, figure, notes.into_iter().flatten())?;
        let drawn = ["memory_bw_gbps.50%", "memory_bw_gbps.max"];
        Ok(answer.with_heat_map("Memory bandwidth by kind of copy", Self::TABLES[0].name, &drawn, 0))
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}
