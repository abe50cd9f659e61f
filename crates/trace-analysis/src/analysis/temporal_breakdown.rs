//! Idle, computing and non-computing time of each GPU.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, without_gpu};
use crate::Result;
use crate::domain::KernelType;
use crate::exec::checkpoint::cancellable;
use crate::interval::{length, merged};
use crate::present::{Field, answer_frame, declared};
use crate::stats::percent;
use serde::{Deserialize, Serialize};
use trace_view::{Axis, BarMode, Figure, Mark, Points, Series, Unit};

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
/// One row per rank that has GPU events: `Row::COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_temporal_breakdown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemporalBreakdown {}

/// The times of a rank, in ns.
#[derive(Clone, Copy)]
struct Row {
    rank: i64,
    idle: i64,
    compute: i64,
    kernel: i64,
}

impl Row {
    const COLUMNS: [Field<Self>; 8] = [
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::time("idle_time(us)", "time during which no stream runs anything", |row| Some(row.idle)),
        Field::time("compute_time(us)", "time during which a computation runs", |row| Some(row.compute)),
        Field::time("non_compute_time(us)", "time during which only other work runs", |row| Some(row.other())),
        Field::time("kernel_time(us)", "from the first start to the last end", |row| Some(row.kernel)),
        Field::number("idle_time_pctg", Unit::Percent, "idle share of the kernel time", |row| row.share(row.idle)),
        Field::number("compute_time_pctg", Unit::Percent, "computing share of the kernel time", |row| {
            row.share(row.compute)
        }),
        Field::number("non_compute_time_pctg", Unit::Percent, "share of the kernel time spent on other work", |row| {
            row.share(row.other())
        }),
    ];

    fn other(&self) -> i64 {
        self.kernel.saturating_sub(self.compute).saturating_sub(self.idle)
    }

    fn share(&self, time: i64) -> Option<f64> {
        percent(time, self.kernel, 2)
    }
}

/// Idle, computing and kernel time of one rank in ns; `None` without GPU events.
type Times = Option<[i64; 3]>;

impl Analysis for TemporalBreakdown {
    const NAME: &'static str = "temporal_breakdown";
    const SUMMARY: &'static str = "Break the time of each rank's GPU down: idle, computing, other work.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&Row::COLUMNS))
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
        let row =
            |(rank, times): (i64, Times)| times.map(|[idle, compute, kernel]| Row { rank, idle, compute, kernel });
        let rows: Vec<Row> = state.0.into_iter().filter_map(row).collect();
        let frame = answer_frame(&rows, &Row::COLUMNS)?;
        let labels: Vec<String> = rows.iter().map(|row| row.rank.to_string()).collect();
        let bar = |name: &str, of: fn(&Row) -> i64| Series {
            name: name.to_owned(),
            mark: Mark::Bar,
            x: Points::Names(labels.clone()),
            y: rows.iter().map(|row| row.share(of(row)).unwrap_or(f64::NAN)).collect(),
        };
        let figure = Figure {
            title: "Temporal breakdown across ranks".to_owned(),
            x: Axis { title: "Rank".to_owned(), ..Axis::default() },
            y: Axis { title: "Percentage".to_owned(), unit: Unit::Percent, ..Axis::default() },
            bars: BarMode::Stack,
            series: vec![
                bar("idle_time", |row| row.idle),
                bar("compute_time", |row| row.compute),
                bar("non_compute_time", Row::other),
            ],
            ..Figure::default()
        };
        let table = AnswerTable::new(&Self::TABLES[0], frame);
        let answer = Answer::of(table, (!rows.is_empty()).then_some(figure), without_gpu(&without));
        let drawn = ["idle_time(us)", "compute_time(us)", "non_compute_time(us)"];
        Ok(answer.with_heat_map("Temporal breakdown across ranks", Self::TABLES[0].name, &drawn, 0))
    }
}
