//! Time by user annotation.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema};
use crate::domain::EventKind;
use crate::error::ParameterReason;
use crate::exec::checkpoint::cancellable;
use crate::present::{Field, answer_frame, declared};
use crate::stats::{Fold, Moments, OTHERS, micros};
use crate::{Compat, Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::format::numbered;
use trace_view::{Axis, BarMode, Figure, Mark, Points, Series, Unit};

/// The time within each user annotation, on the GPU or on the CPU.
///
/// ```text
/// CPU   |-- forward --|                    user_annotation, use_gpu_annotation off
/// GPU        |------ forward ------|       gpu_user_annotation: from its first to its last kernel
/// ```
///
/// At most `num_kernels` annotations of each rank have a row of their own; the rest is folded into `others`, and so are
/// annotations that, sorted by their sums, are above the quantile `duration_ratio` of the cumulative sums.
///
/// # Columns
/// One row per rank and annotation, by rank and name: `Row::COLUMNS`.
///
/// # Errors
/// [`Error::WrongParameter`] if `duration_ratio` is not between 0 and 1.
///
/// # Source
/// HTA `TraceAnalysis.get_gpu_user_annotation_breakdown`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GpuUserAnnotationBreakdown {
    /// Whether to analyse the annotations on the GPU; otherwise those on the CPU.
    pub use_gpu_annotation: bool,
    /// The quantile of the cumulative sums above which annotations are folded into `others`.
    pub duration_ratio: f64,
    /// The most annotations of a rank with a row of their own.
    pub num_kernels: usize,
    /// Annotations whose name contains one of these have a row of their own, whatever their sum.
    pub allowlist_patterns: Option<Vec<String>>,
}

impl Default for GpuUserAnnotationBreakdown {
    fn default() -> Self {
        Self { use_gpu_annotation: true, duration_ratio: 0.8, num_kernels: 1000, allowlist_patterns: None }
    }
}

/// An annotation on a rank, with its durations in ns.
struct Row<'a> {
    rank: i64,
    name: &'a str,
    durations: Moments,
}

impl Row<'_> {
    const COLUMNS: [Field<Self>; 7] = [
        Field::name("name", "the annotation; others: all annotations without a row of their own", |row| Some(row.name)),
        Field::time("sum (us)", "sum of durations", |row| Some(row.durations.sum)),
        Field::time("max (us)", "longest", |row| Some(row.durations.max)),
        Field::time("min (us)", "shortest", |row| Some(row.durations.min)),
        Field::number("stddev", Unit::Micros, "standard deviation of the durations", |row| {
            Some(row.durations.deviation().unwrap_or(0.0) / 1e3)
        }),
        Field::number("mean (us)", Unit::Micros, "mean duration", |row| {
            Some(row.durations.mean().unwrap_or(0.0) / 1e3)
        }),
        Field::id("rank", "process of the job", |row| Some(row.rank)),
    ];
}

/// Number of annotations that are drawn.
const DRAWN: usize = 60;

/// The partial result of a rank: durations in ns by name, the shortest folded into others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durations {
    names: BTreeMap<String, Moments>,
}

impl Analysis for GpuUserAnnotationBreakdown {
    const NAME: &'static str = "gpu_user_annotation_breakdown";
    const SUMMARY: &'static str = "Break time down by user annotation, on the GPU or on the CPU.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new(
            "use_gpu_annotation",
            ParameterKind::Switch,
            "analyse the annotations on the GPU; otherwise those on the CPU",
        ),
        Parameter::new(
            "duration_ratio",
            ParameterKind::Number,
            "fold annotations above this quantile of the cumulative sums into others",
        ),
        Parameter::new("num_kernels", ParameterKind::Whole, "annotations of a rank with a row of their own"),
        Parameter::new(
            "allowlist_patterns",
            ParameterKind::Texts,
            "never fold annotations whose name contains one of these into others",
        ),
    ];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&Row::COLUMNS)).of_named_events()];
    type State = ByRank<Durations>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let rows = rank.rank_events();
        let wanted = if self.use_gpu_annotation { EventKind::DeviceAnnotation } else { EventKind::Annotation };
        let kinds = rows.kinds();
        let mut by_code: BTreeMap<u32, Moments> = BTreeMap::new();
        for row in cancellable(rank.rows()).map(|&row| row as usize).filter(|&row| kinds[row] == wanted) {
            by_code.entry(rows.name(row)).or_default().add(rows.dur(row));
        }
        let all = by_code.into_iter().map(|(code, moments)| (rows.text(code).to_owned(), moments)).collect();
        let always = self.allowlist_patterns.as_deref().unwrap_or_default();
        let hta = rank.compat() == Compat::Hta;
        let fold = Fold { most: self.num_kernels, ratio: self.duration_ratio, always, hta };
        let names = fold.rows(&all).into_iter().map(|(name, moments)| (name.to_owned(), moments)).collect();
        Ok(ByRank::of(rank.rank(), Durations { names }))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        if !(0.0..=1.0).contains(&self.duration_ratio) {
            let (value, expected) = (self.duration_ratio.to_string(), "a share from 0 to 1".to_owned());
            let reason = ParameterReason::Invalid { name: "duration_ratio", value, expected };
            return Err(Error::WrongParameter { analysis: Self::NAME, reason });
        }
        let without = state.ranks_where(|result| result.names.is_empty());
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (&rank, Durations { names }) in &state.0 {
            rows.extend(names.iter().map(|(name, &durations)| Row { rank, name, durations }));
        }
        let note = (!without.is_empty()).then(|| self.without_annotations(&without));
        let table = AnswerTable::new(&Self::TABLES[0], answer_frame(&rows, &Row::COLUMNS)?);
        let answer = Answer::of(table, (!rows.is_empty()).then(|| figure(&rows)), note);
        let title = "User annotation distribution on each rank";
        Ok(answer.with_heat_map(title, Self::TABLES[0].name, &["sum (us)"], 0))
    }
}

impl GpuUserAnnotationBreakdown {
    /// Returns the note on ranks without annotations, with a hint.
    fn without_annotations(&self, ranks: &[i64]) -> String {
        let on = numbered("rank", ranks);
        if self.use_gpu_annotation {
            return format!(
                "No user annotations on the GPU of {on}; use_gpu_annotation=false (--use-gpu-annotation=false) analyses those on the CPU."
            );
        }
        format!("No user annotations on the CPU of {on}.")
    }
}

/// Draws the sums of the annotations, the longest first, with a series per rank. HTA draws a pie per rank and a figure per
/// annotation.
fn figure(rows: &[Row<'_>]) -> Figure {
    let mut longest: BTreeMap<&str, i64> = BTreeMap::new();
    let mut ranks: BTreeMap<i64, BTreeMap<&str, i64>> = BTreeMap::new();
    for &Row { rank, name, durations: moments } in rows {
        let sum = longest.entry(name).or_default();
        *sum = sum.saturating_add(moments.sum);
        ranks.entry(rank).or_default().insert(name, moments.sum);
    }
    let mut names: Vec<(&str, i64)> = longest.into_iter().collect();
    // `others` comes last.
    names.sort_by_key(|&(name, sum)| (name == OTHERS, std::cmp::Reverse(sum)));
    names.truncate(DRAWN);
    let series = ranks.into_iter().map(|(rank, sums)| Series {
        name: format!("rank {rank}"),
        mark: Mark::Bar,
        x: Points::Names(names.iter().map(|(name, _)| (*name).to_owned()).collect()),
        y: names.iter().map(|(name, _)| sums.get(name).map_or(f64::NAN, |&sum| micros(sum))).collect(),
    });
    Figure {
        title: "User annotation distribution on each rank".to_owned(),
        y: Axis { title: "Sum of durations".to_owned(), unit: Unit::Micros, ..Axis::default() },
        bars: BarMode::Group,
        series: series.collect(),
        ..Figure::default()
    }
}
