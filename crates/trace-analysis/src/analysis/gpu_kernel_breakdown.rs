//! GPU time by kernel type, and the longest kernels of each type.

use super::{Analysis, Answer, AnswerTable, Merge, Parameter, ParameterKind, RankView, TableSchema, without_gpu};
use crate::domain::KernelType;
use crate::error::ParameterReason;
use crate::exec::checkpoint::cancellable;
use crate::interval::overlaps;
use crate::present::{Field, answer_frame, declared};
use crate::stats::{Fold, Moments, micros, rounded, total};
use crate::{Compat, Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use trace_view::{Axis, BarMode, Choice, Figure, Mark, Points, Series, Unit};

/// GPU time by kernel type over all ranks, and the longest kernels of each type and rank.
///
/// ```text
/// computation     |--------|
/// communication       |--------|
/// rows            |COMP.| both |COMM.|      both: COMPUTATION overlapping COMMUNICATION
/// ```
///
/// Each moment counts for the set of types that run then, so that no time counts twice. Synchronisation is left out.
///
/// At most `num_kernels` kernels of each rank and type have a row of their own; the rest is folded into `others`, and so are
/// kernels that, sorted by their sums, are above the quantile `duration_ratio` of the cumulative sums.
///
/// # Columns
/// `TYPE_COLUMNS`, the longest first; `KERNEL_COLUMNS`, by type, name and rank.
///
/// # Errors
/// [`Error::WrongParameter`] if `duration_ratio` is not between 0 and 1.
///
/// # Source
/// HTA `TraceAnalysis.get_gpu_kernel_breakdown`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GpuKernelBreakdown {
    /// The quantile of the cumulative sums above which kernels are folded into `others`.
    pub duration_ratio: f64,
    /// The most kernels of a rank and type with a row of their own.
    pub num_kernels: usize,
    /// Whether to include copies and fills.
    pub include_memory_kernels: bool,
}

impl Default for GpuKernelBreakdown {
    fn default() -> Self {
        Self { duration_ratio: 0.8, num_kernels: 10, include_memory_kernels: true }
    }
}

/// The columns of the types.
const TYPE_COLUMNS: [Field<TypeRow>; 3] = [
    Field::word("kernel_type", "the type, or the types that run concurrently", |row| Some(&row.0)),
    Field::number("sum", Unit::Micros, "time during which exactly these types run, over all ranks", |row| Some(row.1)),
    Field::number("percentage", Unit::Percent, "share of the time of all types", |row| Some(row.2)),
];

/// The columns of the kernels.
const KERNEL_COLUMNS: [Field<KernelRow>; 8] = [
    Field::name("name", "name of the kernel; others: all kernels without a row of their own", |row| Some(&row.name)),
    Field::number("sum (us)", Unit::Micros, "sum of durations", |row| Some(row.sum)),
    Field::number("max (us)", Unit::Micros, "longest", |row| Some(row.max)),
    Field::number("min (us)", Unit::Micros, "shortest", |row| Some(row.min)),
    Field::number("stddev", Unit::Micros, "standard deviation of the durations", |row| Some(row.deviation)),
    Field::number("mean (us)", Unit::Micros, "mean duration", |row| Some(row.mean)),
    Field::word("kernel_type", "operation class, by the name of the kernel", |row| Some(row.kind.word())),
    Field::id("rank", "process of the job", |row| Some(row.rank)),
];

/// The analysed types, in HTA's order.
const TYPES: [KernelType; 3] = [KernelType::Computation, KernelType::Communication, KernelType::Memory];

/// The partial result; times and moments in ns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    ranks: BTreeSet<i64>,
    /// Time by the set of running types, as bits of [`overlaps`].
    types: BTreeMap<i64, i64>,
    /// Durations by rank, type and name, the shortest names of each folded into others.
    kernels: BTreeMap<i64, BTreeMap<KernelType, BTreeMap<String, Moments>>>,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        self.ranks.extend(other.ranks);
        for (key, time) in other.types {
            let sum = self.types.entry(key).or_default();
            *sum = sum.saturating_add(time);
        }
        self.kernels.extend(other.kernels);
    }
}

impl Analysis for GpuKernelBreakdown {
    const NAME: &'static str = "gpu_kernel_breakdown";
    const SUMMARY: &'static str = "Break GPU time down by kernel type, and list the longest kernels.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new(
            "duration_ratio",
            ParameterKind::Number,
            "fold kernels above this quantile of the cumulative sums into others",
        ),
        Parameter::new("num_kernels", ParameterKind::Whole, "kernels of a rank and type with a row of their own"),
        Parameter::new("include_memory_kernels", ParameterKind::Switch, "include copies and fills"),
    ];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("kernel_types", &declared(&TYPE_COLUMNS)),
        TableSchema::new("kernels", &declared(&KERNEL_COLUMNS)).of_named_events(),
    ];
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        let hta = rank.compat() == Compat::Hta;
        let kinds: Vec<_> = self.types().iter().map(|&kind| rank.busy(kind)).collect();
        let mut by_code: BTreeMap<(KernelType, u32), Moments> = BTreeMap::new();
        for event in cancellable(rank.gpu()).filter(|event| self.types().contains(&event.kind)) {
            by_code.entry((event.kind, event.name)).or_default().add(event.dur);
        }
        let mut kernels: BTreeMap<KernelType, BTreeMap<String, Moments>> = BTreeMap::new();
        for ((kind, code), moments) in by_code {
            kernels.entry(kind).or_default().insert(rank.name(code).to_owned(), moments);
        }
        let fold = Fold { most: self.num_kernels, ratio: self.duration_ratio, always: &[], hta };
        for names in kernels.values_mut() {
            *names = fold.rows(names).into_iter().map(|(name, moments)| (name.to_owned(), moments)).collect();
        }
        // HTA truncates every interval to whole µs.
        let types = overlaps(&kinds, if hta { 1000 } else { 1 });
        Ok(State { ranks: [rank.rank()].into(), types, kernels: [(rank.rank(), kernels)].into() })
    }

    fn finish(&self, state: State) -> Result<Answer> {
        if !(0.0..=1.0).contains(&self.duration_ratio) {
            let (value, expected) = (self.duration_ratio.to_string(), "a share from 0 to 1".to_owned());
            let reason = ParameterReason::Invalid { name: "duration_ratio", value, expected };
            return Err(Error::WrongParameter { analysis: Self::NAME, reason });
        }
        let without: Vec<i64> = state.kernels.iter().filter(|(_, kinds)| kinds.is_empty()).map(|(&r, _)| r).collect();
        let types = self.type_table(&state.types);
        let rows = Self::kernel_rows(&state);
        let figures = if rows.is_empty() {
            Vec::new()
        } else {
            vec![types_figure(&types), sums_figure(&rows), durations_figure(&rows)]
        };
        let answer = Answer {
            tables: vec![
                AnswerTable::new(&Self::TABLES[0], answer_frame(&types, &TYPE_COLUMNS)?),
                AnswerTable::new(&Self::TABLES[1], answer_frame(&rows, &KERNEL_COLUMNS)?),
            ],
            figures,
            notes: without_gpu(&without).into_iter().collect(),
            ..Answer::default()
        };
        let kernels = Self::TABLES[1].name;
        let answer = answer.with_heat_map("Sum of durations of kernels on each rank", kernels, &["sum (us)"], 1);
        Ok(answer.with_heat_map("Mean duration of kernels on each rank", kernels, &["mean (us)"], 1))
    }
}

/// Name, time in µs, percentage.
type TypeRow = (String, f64, f64);

/// A kernel of a rank; times in µs.
struct KernelRow {
    name: String,
    sum: f64,
    max: f64,
    min: f64,
    deviation: f64,
    mean: f64,
    kind: KernelType,
    rank: i64,
}

impl KernelRow {
    fn of(rank: i64, kind: KernelType, name: &str, moments: &Moments) -> Self {
        Self {
            name: name.to_owned(),
            sum: micros(moments.sum),
            max: micros(moments.max),
            min: micros(moments.min),
            deviation: moments.deviation().unwrap_or(0.0) / 1e3,
            mean: moments.mean().unwrap_or(0.0) / 1e3,
            kind,
            rank,
        }
    }
}

impl GpuKernelBreakdown {
    fn types(&self) -> &'static [KernelType] {
        if self.include_memory_kernels { &TYPES } else { &TYPES[..2] }
    }

    /// Returns a row per set of running types, the longest first.
    fn type_table(&self, times: &BTreeMap<i64, i64>) -> Vec<TypeRow> {
        let combinations = 1..1_i64 << self.types().len();
        let mut times: Vec<(i64, i64)> =
            combinations.filter_map(|key| Some((key, *times.get(&key)?))).filter(|&(_, time)| time > 0).collect();
        times.sort_by_key(|&(_, time)| std::cmp::Reverse(time));
        let total = total(times.iter().map(|&(_, time)| time));
        let name = |key: i64| {
            let running = self.types().iter().enumerate().filter(|(bit, _)| key >> bit & 1 == 1);
            running.map(|(_, kind)| kind.word()).collect::<Vec<_>>().join(" overlapping ")
        };
        times
            .into_iter()
            .map(|(key, time)| (name(key), micros(time), rounded(100.0 * micros(time) / micros(total), 1)))
            .collect()
    }

    /// Returns the kernels of all ranks, by type, name and rank.
    fn kernel_rows(state: &State) -> Vec<KernelRow> {
        let mut rows = Vec::new();
        for (&rank, kinds) in &state.kernels {
            for (&kind, names) in kinds {
                rows.extend(names.iter().map(|(name, moments)| KernelRow::of(rank, kind, name, moments)));
            }
        }
        rows.sort_by(|one, other| {
            (one.kind.word(), &one.name, one.rank).cmp(&(other.kind.word(), &other.name, other.rank))
        });
        rows
    }
}

fn types_figure(rows: &[TypeRow]) -> Figure {
    Figure {
        title: "Kernel Type Percentage Across All Ranks".to_owned(),
        y: Axis { title: "Percentage".to_owned(), unit: Unit::Percent, ..Axis::default() },
        series: vec![Series {
            name: "percentage".to_owned(),
            mark: Mark::Bar,
            x: Points::Names(rows.iter().map(|row| row.0.clone()).collect()),
            y: rows.iter().map(|row| row.2).collect(),
        }],
        ..Figure::default()
    }
}

/// The label of a statistic in the menu of a figure, and its value.
type Statistic = (&'static str, fn(&KernelRow) -> f64);

/// Draws the sums of the kernels. HTA draws a pie per rank and type, and fails unless the ranks are 0, 1, 2, …
fn sums_figure(rows: &[KernelRow]) -> Figure {
    let figure = Figure {
        title: "Kernel distribution on each rank".to_owned(),
        y: Axis { title: "Sum of durations".to_owned(), unit: Unit::Micros, ..Axis::default() },
        ..Figure::default()
    };
    by_kernel(figure, rows, &[("", |row| row.sum)])
}

/// Draws mean, longest and shortest duration of the kernels. HTA draws a figure per kernel, with the ranks along the axis.
fn durations_figure(rows: &[KernelRow]) -> Figure {
    let figure = Figure {
        title: "Mean, max and min duration of kernels on each rank".to_owned(),
        y: Axis { title: "Duration".to_owned(), unit: Unit::Micros, ..Axis::default() },
        ..Figure::default()
    };
    by_kernel(figure, rows, &[(" · mean", |row| row.mean), (" · max", |row| row.max), (" · min", |row| row.min)])
}

/// Adds the kernels of each type, the largest sum first, with a series per rank; a menu selects type and statistic.
fn by_kernel(figure: Figure, rows: &[KernelRow], statistics: &[Statistic]) -> Figure {
    let (mut series, mut choices) = (Vec::new(), Vec::new());
    let options = TYPES.into_iter().flat_map(|kind| statistics.iter().map(move |statistic| (kind, statistic)));
    for (kind, (label, value)) in options {
        let of_kind = || rows.iter().filter(|row| row.kind == kind);
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        let mut ranks: BTreeMap<i64, BTreeMap<&str, f64>> = BTreeMap::new();
        for row in of_kind() {
            *sums.entry(&row.name).or_default() += row.sum;
            ranks.entry(row.rank).or_default().insert(&row.name, value(row));
        }
        let mut names: Vec<(&str, f64)> = sums.into_iter().collect();
        names.sort_by(|one, other| other.1.total_cmp(&one.1));
        let first = series.len();
        series.extend(ranks.into_iter().map(|(rank, values)| Series {
            name: format!("rank {rank}"),
            mark: Mark::Bar,
            x: Points::Names(names.iter().map(|(name, _)| (*name).to_owned()).collect()),
            y: names.iter().map(|(name, _)| values.get(name).copied().unwrap_or(f64::NAN)).collect(),
        }));
        if series.len() > first {
            choices.push(Choice { name: format!("{}{label}", kind.word()), series: (first..series.len()).collect() });
        }
    }
    Figure { bars: BarMode::Group, series, choices, ..figure }
}
