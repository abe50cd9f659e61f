//! Idle, computing and non-computing time of each GPU.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, without_gpu};
use crate::Result;
use crate::domain::KernelType;
use crate::exec::checkpoint::cancellable;
use crate::interval::{length, merged};
use crate::stats::{micros, percent};
use polars::df;
use serde::{Deserialize, Serialize};
use trace_view::{Axis, BarMode, Column, Figure, Mark, Points, Series, Unit};

/// How each GPU spends its time: idle, computing, or busy with other work.
///
/// ```text
/// stream 7   |--gemm--|          |--gemm--|
/// stream 20       |--nccl--|
///            compute  |non-|idle | compute
/// ```
///
/// The time spans from the start of the first to the end of the last event that has a stream, synchronisations included.
///
/// # Columns
/// One row per rank that has GPU events: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_temporal_breakdown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemporalBreakdown {}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("idle_time(us)", Unit::Micros, "time during which no stream runs anything"),
    Column::new("compute_time(us)", Unit::Micros, "time during which a computation runs"),
    Column::new("non_compute_time(us)", Unit::Micros, "time during which only other work runs"),
    Column::new("kernel_time(us)", Unit::Micros, "from the first start to the last end"),
    Column::new("idle_time_pctg", Unit::Percent, "idle share of the kernel time"),
    Column::new("compute_time_pctg", Unit::Percent, "computing share of the kernel time"),
    Column::new("non_compute_time_pctg", Unit::Percent, "share of the kernel time spent on other work"),
];

/// Idle, computing and kernel time of one rank in ns; `None` without GPU events.
type Times = Option<[i64; 3]>;

impl Analysis for TemporalBreakdown {
    const NAME: &'static str = "temporal_breakdown";
    const SUMMARY: &'static str = "Break the time of each rank's GPU down: idle, computing, other work.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] =
        &[TableSchema::new("", COLUMNS)
            .joined(&["rank"], &["idle_time(us)", "compute_time(us)", "non_compute_time(us)"])];
    type State = ByRank<Times>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let all = merged(cancellable(rank.gpu()).map(|event| event.span()).collect());
        let times = all.first().zip(all.last()).map(|(first, last)| {
            let kernel = last.end.saturating_sub(first.start);
            let compute = length(&rank.busy(KernelType::Computation));
            let idle = kernel.saturating_sub(length(&all));
            [idle, compute, kernel]
        });
        Ok(ByRank::of(rank.rank(), times))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(Option::is_none);
        let rows: Vec<(i64, [i64; 3])> = state.0.into_iter().filter_map(|(rank, times)| Some((rank, times?))).collect();
        let column = |of: fn(&[i64; 3]) -> i64| rows.iter().map(move |(_, times)| of(times));
        let [idle, compute, other]: [fn(&[i64; 3]) -> i64; 3] =
            [|times| times[0], |times| times[1], |times| times[2].saturating_sub(times[1]).saturating_sub(times[0])];
        let time = |of| column(of).map(micros).collect::<Vec<f64>>();
        let share = |of| column(of).zip(column(|times| times[2])).map(|(time, all)| percent(time, all, 2));
        let ranks: Vec<i64> = rows.iter().map(|(rank, _)| *rank).collect();
        let frame = df!(
            "rank" => &ranks,
            "idle_time(us)" => time(idle),
            "compute_time(us)" => time(compute),
            "non_compute_time(us)" => time(other),
            "kernel_time(us)" => time(|times| times[2]),
            "idle_time_pctg" => share(idle).collect::<Vec<_>>(),
            "compute_time_pctg" => share(compute).collect::<Vec<_>>(),
            "non_compute_time_pctg" => share(other).collect::<Vec<_>>(),
        )?;
        let labels: Vec<String> = ranks.iter().map(i64::to_string).collect();
        let bar = |name: &str, of| Series {
            name: name.to_owned(),
            mark: Mark::Bar,
            x: Points::Names(labels.clone()),
            y: share(of).map(|share| share.unwrap_or(f64::NAN)).collect(),
        };
        let figure = Figure {
            title: "Temporal breakdown across ranks".to_owned(),
            x: Axis { title: "Rank".to_owned(), ..Axis::default() },
            y: Axis { title: "Percentage".to_owned(), unit: Unit::Percent, ..Axis::default() },
            bars: BarMode::Stack,
            series: vec![bar("idle_time", idle), bar("compute_time", compute), bar("non_compute_time", other)],
            ..Figure::default()
        };
        let table = AnswerTable::new(&Self::TABLES[0], frame);
        let answer = Answer::of(table, (!rows.is_empty()).then_some(figure), without_gpu(&without));
        let drawn = ["idle_time(us)", "compute_time(us)", "non_compute_time(us)"];
        Ok(answer.with_heat_map("Temporal breakdown across ranks", Self::TABLES[0].name, &drawn, 0))
    }
}
