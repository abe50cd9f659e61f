//! The plan of questions about a trace: what all ranks share, from facts that are known without events.

use super::narrowing::Narrowing;
use super::rank_view::{RankView, TraceContext};
use super::retained_rows::RetainedRows;
use super::{Analysis, Answer, Mapped, nothing_on};
use crate::error::DistributedReason;
use crate::filter::TraceFilter;
use crate::write::is_same_file;
use crate::{Compat, Error, Iteration, Pick, Rank, RankInfo, Result, Trace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use trace_view::format::numbered;

/// Upper bound on the points of a figure over all its lines; more cannot be told apart on a screen.
pub(super) const MOST_POINTS: usize = 30_000;

/// What questions about a trace need to know of all its ranks before they look at one: the clock, the number of steps, the
/// selected iterations and filters. It is made from [`RankInfo`]s alone and has a serialized form, so that the ranks can be
/// mapped ([`Entry::map`](super::Entry::map)) by any process on any machine.
///
/// A filter must be a text to be serialized, not a polars expression.
///
/// # Example
/// ```
/// use serde_json::Map;
/// use trace::analysis::{CATALOG, Plan, TraceAnalysis};
/// use trace::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let analysis = TraceAnalysis::new(&job)?;
/// let sent = serde_json::to_string(analysis.plan())?;
///
/// // On any machine that has the rank:
/// let entry = CATALOG.iter().find(|entry| entry.name == "temporal_breakdown").ok_or("no such analysis")?;
/// let plan: Plan = serde_json::from_str(&sent)?;
/// let mut states = Vec::new();
/// for rank in entry.ranks(&plan, Map::new(), None)? {
///     states.push(entry.map(&plan.view(&job.rank(rank)?)?, Map::new())?);
/// }
///
/// let merged = entry.merge(Map::new(), &states)?;
/// let answer = entry.finish(&plan, Map::new(), None, &merged)?;
/// assert_eq!(answer.tables[0].frame, entry.ask(&analysis, Map::new(), None)?.tables[0].frame);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    label: String,
    context: TraceContext,
    ranks: Vec<PlannedRank>,
    narrowings: Vec<Narrowing>,
}

/// What is known of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlannedRank {
    rank: i64,
    file: String,
    streams: Vec<i64>,
    iterations: Vec<i64>,
}

impl Plan {
    /// Plans questions about the ranks of one trace, with its last profiler step if `include_last_profiler_step`; `compat`
    /// is how they were loaded.
    pub fn of<'i>(
        label: &str,
        compat: Compat,
        ranks: impl IntoIterator<Item = &'i RankInfo>,
        include_last_profiler_step: bool,
    ) -> Self {
        let (mut planned, mut steps) = (Vec::new(), BTreeSet::new());
        let (mut origin, mut mtia) = (None::<i64>, None);
        for info in ranks {
            steps.extend(info.iterations.iter().copied());
            origin = Some(origin.map_or(info.first_ts, |origin| origin.min(info.first_ts)));
            mtia.get_or_insert(info.device_type == "MTIA");
            let RankInfo { rank, file, streams, iterations, .. } = info;
            let (file, streams, iterations) = (file.clone(), streams.clone(), iterations.clone());
            planned.push(PlannedRank { rank: *rank, file, streams, iterations });
        }
        let context = TraceContext {
            compat,
            origin: origin.unwrap_or(0),
            steps: steps.len(),
            include_last: include_last_profiler_step,
            mtia: mtia.unwrap_or(false),
        };
        Self { label: label.to_owned(), context, ranks: planned, narrowings: Vec::new() }
    }

    /// Returns the label of the trace.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Makes all rows count, on the clock of the trace if `own_clock`.
    pub(super) fn of_all_rows(self, own_clock: bool) -> Self {
        let origin = if own_clock { 0 } else { self.context.origin };
        Self { context: TraceContext { steps: 0, include_last: true, origin, ..self.context }, ..self }
    }

    /// Returns one of the ranks as analyses see it.
    ///
    /// # Errors
    /// If its events cannot be read, or a filter does not fit them.
    pub fn view(&self, trace: &Trace) -> Result<RankView> {
        self.narrowed_view(RankView::of(trace, self.context, None)?)
    }

    /// Returns one of the ranks as analyses see it; `whole` keeps the rows before filters, once they are known.
    ///
    /// # Errors
    /// As [`Self::view`].
    pub(super) fn view_with(&self, trace: &Trace, whole: &RetainedRows) -> Result<RankView> {
        // Rows refer to columns as they are in the file.
        if self.context.changes_columns() {
            return self.view(trace);
        }
        let view = RankView::of(trace, self.context, whole.rows())?;
        whole.keep(view.rows());
        self.narrowed_view(view)
    }

    fn narrowed_view(&self, whole: RankView) -> Result<RankView> {
        self.narrowings.iter().try_fold(whole, |view, narrowing| narrowing.of(&view))
    }

    /// Whether a filter is applied, which may read any column.
    pub(super) fn is_filtered(&self) -> bool {
        self.narrowings.iter().any(|narrowing| narrowing.filter().is_some())
    }

    /// Returns the plan as processes need it that map single ranks, as JSON: without the list of all ranks, which would go to each.
    ///
    /// # Errors
    /// If a filter is a polars expression.
    pub(super) fn for_ranks(&self) -> Result<Value> {
        let plan = Self { ranks: Vec::new(), ..self.clone() };
        serde_json::to_value(&plan).map_err(|error| DistributedReason::Plan { reason: error.to_string() }.into())
    }

    /// Returns the iterations of the rows of a rank that analyses see.
    ///
    /// # Errors
    /// As [`Self::view`].
    pub fn iterations_of(&self, trace: &Trace) -> Result<BTreeSet<i64>> {
        if self.is_whole() { RankView::iterations_of(trace, self.context) } else { self.view(trace)?.iterations() }
    }

    /// Returns the ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.ranks.iter().map(|planned| planned.rank).collect()
    }

    pub(super) fn context(&self) -> TraceContext {
        self.context
    }

    /// Whether all rows count that the context leaves.
    pub(super) fn is_whole(&self) -> bool {
        self.narrowings.is_empty()
    }

    /// Returns the plan for the rows that also pass `narrowing`.
    pub(super) fn narrowed(&self, narrowing: Narrowing) -> Self {
        let mut plan = self.clone();
        plan.narrowings.push(narrowing);
        plan
    }

    /// Checks that all of the `wanted` iterations are `available`, those of the rows.
    pub(super) fn check_iterations(&self, wanted: &Pick<Iteration>, available: Vec<i64>) -> Result<()> {
        let label = || self.label.clone();
        for &iteration in wanted.numbers() {
            if available.contains(&iteration) {
                continue;
            }
            if self.ranks.iter().all(|rank| rank.iterations.is_empty()) {
                return Err(Error::NoIterations { label: label(), iteration, calls: Vec::new() });
            }
            if self.ranks.iter().any(|rank| rank.iterations.contains(&iteration)) {
                return Err(Error::LastIteration { label: label(), iteration, available });
            }
            return Err(Error::UnknownIteration { label: label(), iteration, available });
        }
        if wanted.numbers().is_empty() {
            return Err(Error::NoIterationSelected { label: label(), available });
        }
        Ok(())
    }

    /// Returns the positions of these ranks, or of those that the analysis selects by default.
    ///
    /// # Errors
    /// If a rank does not exist, or none of them has a stream that the parameters name.
    pub(super) fn selected<A: Analysis>(&self, analysis: &A, ranks: Option<&[i64]>) -> Result<Vec<usize>> {
        let selected = self.positions(ranks.or(analysis.ranks()), A::FIRST_RANK_ONLY)?;
        self.check_streams(analysis.streams().unwrap_or_default(), &selected)?;
        Ok(selected)
    }

    /// Returns the positions of these ranks; without any, of the first or of all.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub(super) fn positions(&self, ranks: Option<&[i64]>, first_only: bool) -> Result<Vec<usize>> {
        match ranks {
            None if first_only => Ok((0..self.ranks.len().min(1)).collect()),
            None => Ok((0..self.ranks.len()).collect()),
            Some([]) => Err(Error::NoRankSelected { label: self.label.clone(), available: self.ranks() }),
            Some(wanted) => {
                let find = |&rank: &i64| {
                    let (label, available) = (self.label.clone(), self.ranks());
                    let unknown = Error::UnknownRank { label, rank, available };
                    self.ranks.iter().position(|planned| planned.rank == rank).ok_or(unknown)
                };
                Pick::<Rank>::from(wanted).numbers().iter().map(find).collect()
            }
        }
    }

    /// Checks that each of the `wanted` streams exists on one of the analysed ranks, if these have any.
    fn check_streams(&self, wanted: &[i64], ranks: &[usize]) -> Result<()> {
        let planned = || ranks.iter().map(|&at| &self.ranks[at]);
        let available: BTreeSet<i64> = planned().flat_map(|rank| rank.streams.iter().copied()).collect();
        match wanted.iter().find(|stream| !available.contains(stream)) {
            Some(&stream) if !available.is_empty() => Err(Error::UnknownStream {
                label: self.label.clone(),
                stream,
                ranks: planned().map(|rank| rank.rank).collect(),
                available: available.into_iter().collect(),
            }),
            _ => Ok(()),
        }
    }

    /// Computes the answer from the merged result of the ranks at these positions.
    ///
    /// # Errors
    /// If a parameter is invalid, or the answer would overwrite a file of the trace.
    pub(super) fn finish<A: Analysis>(
        &self,
        analysis: &A,
        ranks: &[usize],
        mapped: Mapped<A::State>,
    ) -> Result<Answer> {
        let mut answer = analysis.finish(mapped.state)?;
        answer.notes.extend(negative_durations(&mapped.negative.0));
        for copy in &answer.copies {
            if self.ranks.iter().any(|rank| is_same_file(Path::new(&rank.file), &copy.target)) {
                return Err(Error::OwnSource { path: copy.target.clone() });
            }
        }
        let about = self.about(ranks);
        answer.title = format!("{} · {about}", A::NAME);
        for figure in &mut answer.figures {
            // Figures of lines that are not in memory together were thinned out while they were drawn.
            let thinned = std::mem::replace(&mut figure.subtitle, about.clone());
            if thinned.is_empty() {
                figure.thin_out(MOST_POINTS);
            } else {
                figure.subtitle = format!("{about} · {thinned}");
            }
        }
        for map in &mut answer.heat_maps {
            map.subtitle = format!("{about} · {}", map.subtitle);
        }
        Ok(answer)
    }

    /// Returns what was analysed: `control · ranks 0, 1 · iteration 5`.
    fn about(&self, ranks: &[usize]) -> String {
        let ranks: Vec<i64> = ranks.iter().map(|&at| self.ranks[at].rank).collect();
        let mut about = format!("{} · {}", self.label, numbered("rank", &ranks));
        let iterations = self.narrowings.iter().rev().find_map(Narrowing::iterations);
        if let Some(iterations) = iterations {
            about.push_str(&format!(" · {}", numbered("iteration", iterations)));
        }
        for filter in self.narrowings.iter().filter_map(Narrowing::filter) {
            about.push_str(&format!(" · {}", TraceFilter::text(filter)));
        }
        about
    }
}

/// Returns the note on events that end before they start, by rank; `None` if there are none.
fn negative_durations(negative: &std::collections::BTreeMap<i64, usize>) -> Option<String> {
    let ranks: Vec<i64> = negative.keys().copied().collect();
    let count: usize = negative.values().sum();
    let what = if count == 1 {
        "1 event ends before it starts".to_owned()
    } else {
        format!("{count} events end before they start")
    };
    nothing_on(&ranks, &what).map(|note| format!("{}: each counts with duration 0.", note.trim_end_matches('.')))
}
