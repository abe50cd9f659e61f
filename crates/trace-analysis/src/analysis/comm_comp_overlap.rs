//! Overlap of communication and computation.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema};
use crate::Result;
use crate::domain::KernelType;
use crate::interval::{length, overlaps};
use crate::stats::percent;
use polars::df;
use serde::{Deserialize, Serialize};
use trace_view::format::numbered;
use trace_view::{Axis, Column, Figure, Mark, Points, Series, Unit};

/// The share of the communication time during which a computation runs.
///
/// ```text
/// computation     |--------|
/// communication       |--------|
/// overlap             |----|            50 %
/// ```
///
/// # Columns
/// One row per rank: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_comm_comp_overlap`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommCompOverlap {}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new(
        "comp_comm_overlap_pctg",
        Unit::Percent,
        "share of the communication time that overlaps computation; none without communication",
    ),
];

impl Analysis for CommCompOverlap {
    const NAME: &'static str = "comm_comp_overlap";
    const SUMMARY: &'static str = "Show how much of each rank's communication is hidden behind computation.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)];
    /// Overlap and communication in ns.
    type State = ByRank<(i64, i64)>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let (computing, communicating) = (rank.busy(KernelType::Computation), rank.busy(KernelType::Communication));
        let communication = length(&communicating);
        let both = overlaps(&[computing, communicating], 1).get(&3).copied().unwrap_or(0);
        Ok(ByRank::of(rank.rank(), (both, communication)))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let ranks: Vec<i64> = state.0.keys().copied().collect();
        let shares: Vec<Option<f64>> = state.0.values().map(|&(both, all)| percent(both, all, 2)).collect();
        let without = state.ranks_where(|&(_, communication)| communication == 0);
        let frame = df!("rank" => &ranks, "comp_comm_overlap_pctg" => &shares)?;
        let figure = Figure {
            title: "Computation-Communication Overlap".to_owned(),
            x: Axis { title: "Rank".to_owned(), ..Axis::default() },
            y: Axis {
                title: "Computation-Communication Overlap Percentage".to_owned(),
                unit: Unit::Percent,
                ..Axis::default()
            },
            series: vec![Series {
                name: "overlap".to_owned(),
                mark: Mark::Bar,
                x: Points::Names(ranks.iter().map(i64::to_string).collect()),
                y: shares.iter().map(|share| share.unwrap_or(f64::NAN)).collect(),
            }],
            ..Figure::default()
        };
        let note = (!without.is_empty()).then(|| {
            format!("No communication kernels on {}: there is nothing to overlap.", numbered("rank", &without))
        });
        let table = AnswerTable::new(&Self::TABLES[0], frame);
        let answer = Answer::of(table, (without.len() < ranks.len()).then_some(figure), note);
        let drawn = ["comp_comm_overlap_pctg"];
        Ok(answer.with_heat_map("Computation-Communication Overlap", Self::TABLES[0].name, &drawn, 0))
    }
}
