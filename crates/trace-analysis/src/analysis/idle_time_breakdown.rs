//! Idle time of streams by cause.

use super::{
    Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema, nothing_on, without_gpu,
};
use crate::exec::checkpoint::cancellable;
use crate::present::{Field, answer_frame, declared};
use crate::stats::{Moments, micros, quantile, rounded, total};
use crate::{Compat, Result};
use polars::prelude::{Column as FrameColumn, DataFrame, NamedFrom, Series as FrameSeries};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::format::numbers;
use trace_view::{Axis, BarMode, Column, Figure, Mark, Points, Series, Unit};

/// The idle time of each stream between its kernels, by cause.
///
/// ```text
/// CPU               |launch b|      |launch c|
/// stream    |-- a --|        .|- b -|          |- c -|
///                   host_wait: b was launched after a had ended
/// ```
///
/// A gap is `host_wait` if the kernel after it was launched after the kernel before it had ended, `kernel_wait` if it is
/// shorter than `consecutive_kernel_delay`, and `other` otherwise; the first kernel of a stream counts as `other`, too.
/// A gap starts when all earlier kernels have ended: overlapping kernels do not count twice, and a kernel within another
/// makes no gap.
///
/// ```text
/// stream    |-- a -------------|     |- c -|
///             |- b -|          < gap >
/// ```
///
/// # Columns
/// One row per rank, stream and category: `Row::COLUMNS`; statistics of the same gaps: `INTERVAL_COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_idle_time_breakdown`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IdleTimeBreakdown {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
    /// The streams, in the order of the answer; `None` for all, in order of appearance.
    pub streams: Option<Vec<i64>>,
    /// Whether the figure shows shares; otherwise times.
    pub visualize_pctg: bool,
    /// Whether to show the table of gaps.
    pub show_idle_interval_stats: bool,
    /// Gap below which two kernels count as consecutive, in µs.
    pub consecutive_kernel_delay: f64,
}

impl Default for IdleTimeBreakdown {
    fn default() -> Self {
        Self {
            ranks: None,
            streams: None,
            visualize_pctg: true,
            show_idle_interval_stats: false,
            consecutive_kernel_delay: 30.0,
        }
    }
}

const CATEGORY: &str = "host_wait: launched too late; kernel_wait: a short gap; other";

/// The columns of the gaps.
const INTERVAL_COLUMNS: &[Column] = &[
    Column::new("idle_category", Unit::None, CATEGORY),
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("stream", Unit::None, "GPU stream"),
    Column::new("count", Unit::Count, "number of gaps"),
    Column::new("mean", Unit::Micros, "mean gap"),
    Column::new("std", Unit::Micros, "standard deviation of the gaps"),
    Column::new("min", Unit::Micros, "shortest gap"),
    Column::new("25%", Unit::Micros, "a quarter of the gaps is shorter"),
    Column::new("50%", Unit::Micros, "half of the gaps are shorter"),
    Column::new("75%", Unit::Micros, "three quarters of the gaps are shorter"),
    Column::new("max", Unit::Micros, "longest gap"),
];

/// Categories, in HTA's order.
const CATEGORIES: [&str; 3] = ["host_wait", "kernel_wait", "other"];
const HOST: usize = 0;
const KERNEL: usize = 1;
const OTHER: usize = 2;

/// The gaps of one stream, by category; `None` if a category does not occur.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Gaps {
    stream: i64,
    /// Sum of all gaps in ns.
    total: i64,
    by_category: [Option<Statistics>; 3],
}

/// The gaps of one category.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Statistics {
    /// Sum in ns.
    total: i64,
    /// See [`describe`].
    described: [Option<f64>; 8],
}

impl Gaps {
    /// Summarizes the gaps in ns of one stream: so few numbers remain of a rank, however many gaps it has.
    fn of(stream: i64, by_category: &[Option<Vec<i64>>; 3]) -> Self {
        let statistics = |gaps: &Vec<i64>| Statistics { total: total(gaps.iter().copied()), described: describe(gaps) };
        let all = by_category.iter().flatten().flatten();
        Self {
            stream,
            total: total(all.copied()),
            by_category: by_category.each_ref().map(|gaps| gaps.as_ref().map(statistics)),
        }
    }
}

impl Analysis for IdleTimeBreakdown {
    const NAME: &'static str = "idle_time_breakdown";
    const SUMMARY: &'static str =
        "Explain why the streams of a GPU were idle: host, short gaps between kernels, other.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("streams", ParameterKind::Streams, "only these streams, in this order"),
        Parameter::new("visualize_pctg", ParameterKind::Switch, "draw shares rather than times"),
        Parameter::new("show_idle_interval_stats", ParameterKind::Switch, "show statistics of the gaps, too"),
        Parameter::new(
            "consecutive_kernel_delay",
            ParameterKind::Number,
            "gaps shorter than this, in µs, count as kernel_wait",
        ),
    ];
    const TABLES: &'static [TableSchema] =
        &[TableSchema::new("", &declared(&Row::COLUMNS)), TableSchema::new("intervals", INTERVAL_COLUMNS)];
    const FIRST_RANK_ONLY: bool = true;
    type State = ByRank<Vec<Gaps>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let work = || cancellable(rank.gpu()).filter(|event| event.is_work);
        let mut streams: Vec<i64> = Vec::new();
        for event in work() {
            if !streams.contains(&event.stream) {
                streams.push(event.stream);
            }
        }
        if let Some(wanted) = &self.streams {
            streams = wanted.iter().copied().filter(|stream| streams.contains(stream)).collect();
        }
        let launch = rank.launches();
        let delay = self.consecutive_kernel_delay * 1e3;
        let hta = rank.compat() == Compat::Hta;
        let gaps = streams.into_iter().map(|stream| {
            let mut events: Vec<_> = work().filter(|event| event.stream == stream).collect();
            events.sort_by_key(|event| event.ts);
            let mut by_category: [Option<Vec<i64>>; 3] = Default::default();
            // There is no gap before the first kernel, but HTA counts one as `other`.
            by_category[OTHER] = events.first().map(|_| Vec::new());
            let mut latest = i64::MIN;
            for pair in events.windows(2) {
                let event = pair[1];
                latest = latest.max(pair[0].end());
                // Differs from HTA: its gaps start at the end of the previous kernel, so that overlaps make them negative.
                let gap_start = if hta { pair[0].end() } else { latest };
                let gap = event.ts.saturating_sub(gap_start);
                if gap < 0 && !hta {
                    continue;
                }
                let category = if launch(event).is_some_and(|launch| launch > gap_start) {
                    HOST
                } else if (gap as f64) < delay {
                    KERNEL
                } else {
                    OTHER
                };
                by_category[category].get_or_insert_default().push(gap);
            }
            Gaps::of(stream, &by_category)
        });
        Ok(ByRank::of(rank.rank(), gaps.collect()))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(Vec::is_empty);
        let note = match &self.streams {
            Some(streams) => nothing_on(&without, &format!("No kernel, copy or fill in stream {}", numbers(streams))),
            None => without_gpu(&without),
        };
        let mut rows = Vec::new();
        for (&rank, streams) in &state.0 {
            for gaps in streams {
                for (category, gaps_of) in gaps.by_category.iter().enumerate() {
                    let Some(Statistics { total, described }) = gaps_of else { continue };
                    let ratio = (gaps.total != 0).then(|| micros(*total) / micros(gaps.total));
                    let row = Row { rank, stream: gaps.stream, category, time: micros(*total), ratio, described };
                    rows.push(row);
                }
            }
        }
        let figure = self.figure(&rows, state.0.len() > 1);
        let answer = Answer {
            tables: vec![
                AnswerTable::new(&Self::TABLES[0], answer_frame(&rows, &Row::COLUMNS)?),
                AnswerTable::new(&Self::TABLES[1], intervals(&rows)?).shown_if(self.show_idle_interval_stats),
            ],
            figures: if rows.is_empty() { Vec::new() } else { vec![figure] },
            notes: note.into_iter().collect(),
            ..Answer::default()
        };
        let title = "Idle time breakdown per CUDA stream";
        Ok(answer.with_heat_map(title, Self::TABLES[0].name, &["idle_time"], 0))
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }

    fn streams(&self) -> Option<&[i64]> {
        self.streams.as_deref()
    }
}

/// A row of both tables. Only the tables are rounded, as in HTA, so that the bars of the figure add up.
struct Row<'a> {
    rank: i64,
    stream: i64,
    category: usize,
    time: f64,
    ratio: Option<f64>,
    described: &'a [Option<f64>; 8],
}

impl Row<'_> {
    /// The columns of the breakdown.
    const COLUMNS: [Field<Self>; 5] = [
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::id("stream", "GPU stream", |row| Some(row.stream)),
        Field::word("idle_category", CATEGORY, |row| Some(CATEGORIES[row.category])),
        Field::number("idle_time", Unit::Micros, "sum of the gaps", |row| Some(rounded(row.time, 2))),
        Field::number("idle_time_ratio", Unit::None, "share of the idle time of the stream, 0 to 1", |row| {
            row.ratio.map(|ratio| rounded(ratio, 2))
        }),
    ];
}

/// Returns the statistics of the gaps as a frame.
fn intervals(rows: &[Row<'_>]) -> Result<DataFrame> {
    let mut columns: Vec<FrameColumn> = vec![
        FrameSeries::new("idle_category".into(), rows.iter().map(|row| CATEGORIES[row.category]).collect::<Vec<_>>())
            .into(),
        FrameSeries::new("rank".into(), rows.iter().map(|row| row.rank).collect::<Vec<_>>()).into(),
        FrameSeries::new("stream".into(), rows.iter().map(|row| row.stream).collect::<Vec<_>>()).into(),
    ];
    for (index, column) in INTERVAL_COLUMNS[3..].iter().enumerate() {
        let values: Vec<Option<f64>> = rows.iter().map(|row| row.described[index]).collect();
        columns.push(FrameSeries::new(column.name.into(), values).into());
    }
    Ok(DataFrame::new(rows.len(), columns)?)
}

/// Returns count, mean, deviation, minimum, quartiles and maximum of the gaps, in µs.
fn describe(gaps: &[i64]) -> [Option<f64>; 8] {
    let mut moments = Moments::default();
    gaps.iter().for_each(|&gap| moments.add(gap));
    let mut ascending: Vec<f64> = gaps.iter().map(|&gap| micros(gap)).collect();
    ascending.sort_by(f64::total_cmp);
    let [first, second, third] = [0.25, 0.5, 0.75].map(|share| quantile(&ascending, share));
    let in_micros = |value: Option<f64>| value.map(|value| value / 1e3);
    let (mean, deviation) = (in_micros(moments.mean()), in_micros(moments.deviation()));
    [
        Some(gaps.len() as f64),
        mean,
        deviation,
        ascending.first().copied(),
        first,
        second,
        third,
        ascending.last().copied(),
    ]
    .map(|value| value.map(|value| rounded(value, 2)))
}

impl IdleTimeBreakdown {
    fn figure(&self, rows: &[Row<'_>], several: bool) -> Figure {
        let label = |row: &Row<'_>| {
            if several { format!("rank {} · stream {}", row.rank, row.stream) } else { row.stream.to_string() }
        };
        let mut labels: Vec<String> = rows.iter().map(label).collect();
        labels.dedup();
        let series = |category: usize| {
            let of_category = rows.iter().filter(|row| row.category == category);
            let values: BTreeMap<String, f64> = of_category
                .map(|row| {
                    let share = row.ratio.map_or(f64::NAN, |ratio| 100.0 * ratio);
                    (label(row), if self.visualize_pctg { share } else { row.time })
                })
                .collect();
            Series {
                name: CATEGORIES[category].to_owned(),
                mark: Mark::Bar,
                x: Points::Names(labels.clone()),
                y: labels.iter().map(|label| values.get(label).copied().unwrap_or(f64::NAN)).collect(),
            }
        };
        let y = if self.visualize_pctg { ("Percentage", Unit::Percent) } else { ("Idle time", Unit::Micros) };
        Figure {
            title: "Idle time breakdown per CUDA stream".to_owned(),
            x: Axis { title: "Stream".to_owned(), ..Axis::default() },
            y: Axis { title: y.0.to_owned(), unit: y.1, ..Axis::default() },
            bars: BarMode::Stack,
            series: (0..CATEGORIES.len()).map(series).collect(),
            ..Figure::default()
        }
    }
}
