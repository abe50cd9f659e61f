//! Runs analyses on a loaded trace.

use super::rank_view::TraceContext;
use super::{Analysis, Answer, Merge, RankView, nothing_on};
use crate::exec::checkpoint::{self, Inherited, guarded};
use crate::exec::memory::{Budget, Task};
use crate::filter::Filter;
use crate::write::is_same_file;
use crate::{Compat, Error, Pick, Result, Trace, TraceSet};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use trace_view::format::numbered;

/// Upper bound on the points of a figure over all its lines; more cannot be told apart on a screen.
const MOST_POINTS: usize = 30_000;

/// A loaded trace to analyse: all ranks on one clock, without the last profiler step, which is usually cut off.
///
/// Methods have HTA's names; each takes an analysis with its parameters, whose defaults are HTA's, and returns data frames
/// with HTA's columns. [`TraceAnalysis::ask`] returns figures and notes, too.
///
/// # Source
/// HTA `TraceAnalysis`.
///
/// # Example
/// ```
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let analysis = TraceAnalysis::new(&TraceSet::load("../../notebooks/data/job")?)?;
/// let df = analysis.get_temporal_breakdown()?;
/// assert_eq!(df.height(), 4, "a row per rank");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TraceAnalysis {
    label: String,
    ranks: Arc<Vec<RankView>>,
    /// The selected iterations; `None` selects all rows, those outside of iterations included.
    iterations: Option<Vec<i64>>,
    /// The filters that the rows passed, as text.
    filters: Vec<String>,
}

impl TraceAnalysis {
    /// Prepares a trace without its last profiler step. A trace with at most one step stays whole.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn new(traces: &TraceSet) -> Result<Self> {
        Self::with_last_profiler_step(traces, false)
    }

    /// Prepares a trace, with its last profiler step if `include_last_profiler_step`. MTIA traces always keep it, as in HTA.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn with_last_profiler_step(traces: &TraceSet, include_last_profiler_step: bool) -> Result<Self> {
        let need = traces.event_count().saturating_mul(RankView::BYTES_PER_ROW);
        Budget::now()?.check(Task::Answer("a question"), need)?;
        let info = traces.info();
        let context = TraceContext {
            compat: traces.compat(),
            origin: info.iter().map(|info| info.first_ts).min().unwrap_or(0),
            steps: traces.iterations().len(),
            include_last: include_last_profiler_step,
            mtia: info.first().is_some_and(|info| info.device_type == "MTIA"),
        };
        let here = Inherited::here();
        let view = |trace| here.run(|| checkpoint::check().and_then(|()| RankView::of(trace, context)));
        let ranks = guarded(|| traces.traces().par_iter().map(view).collect::<Result<_>>())?;
        Ok(Self { label: traces.label().to_owned(), ranks: Arc::new(ranks), iterations: None, filters: Vec::new() })
    }

    /// Returns the iterations of the analysed rows, ascending: without the last one, unless it was included.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn iterations(&self) -> Result<Vec<i64>> {
        let mut found = BTreeSet::new();
        guarded(|| {
            self.ranks.iter().try_for_each(|view| {
                found.extend(view.iterations()?);
                Ok(())
            })
        })?;
        Ok(found.into_iter().collect())
    }

    /// Selects the rows of these iterations: `analysis.in_iterations([3, 4])?`.
    ///
    /// A CPU event belongs to the `ProfilerStep#N` in which it starts, a GPU event to the step that launched it, even if it
    /// runs later. Analyses therefore see whole iterations, and times from the first to the last of their rows. Rows outside
    /// of all steps are left out. A rank that lacks an iteration has no rows of it.
    ///
    /// # Errors
    /// If no rank has such an iteration, or it is the last profiler step and that is left out; if none is named.
    pub fn in_iterations(&self, iterations: impl Into<Pick>) -> Result<Self> {
        let wanted = iterations.into();
        let available = self.iterations()?;
        let label = || self.label.clone();
        for &iteration in wanted.numbers() {
            if available.contains(&iteration) {
                continue;
            }
            if self.ranks.iter().all(|view| view.info().iterations.is_empty()) {
                return Err(Error::NoIterations { label: label(), iteration });
            }
            if self.ranks.iter().any(|view| view.info().iterations.contains(&iteration)) {
                return Err(Error::LastIteration { label: label(), iteration, available });
            }
            return Err(Error::UnknownIteration { label: label(), iteration, available });
        }
        if wanted.numbers().is_empty() {
            return Err(Error::NoIterationSelected { label: label(), available });
        }
        let here = Inherited::here();
        let view = |view: &RankView| here.run(|| view.in_iterations(wanted.numbers()));
        let ranks = guarded(|| self.ranks.par_iter().map(view).collect::<Result<_>>())?;
        let iterations = Some(wanted.numbers().to_vec());
        Ok(Self { label: label(), ranks: Arc::new(ranks), iterations, filters: self.filters.clone() })
    }

    /// Selects the rows that pass a filter: a polars expression, or a text in the language of
    /// [`Where`](crate::filter::Where). Filters compose.
    ///
    /// Analyses see no other rows, with two exceptions: a kernel keeps the time of its launch, and an analysis of launches
    /// ([`Analysis::LAUNCHES`]) sees the launches of the kernels that pass, whether they pass themselves or not.
    ///
    /// # Errors
    /// If a text names a column that no rank has, or compares one with a value of another type; if polars refuses.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let analysis = TraceAnalysis::new(&TraceSet::load("../../notebooks/data/job")?)?;
    /// let long = analysis.filter("stream in 7,20 and dur > 100us".parse::<Where>()?)?;
    /// let nccl = analysis.filter(filter::name("nccl")?.and(filter::rank(0)))?;
    /// assert!(long.get_gpu_kernel_breakdown(&Default::default())?.1.height() > 0);
    /// assert_eq!(nccl.get_gpu_kernel_breakdown(&Default::default())?.0.height(), 1, "communication alone");
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter(&self, filter: impl Into<Filter>) -> Result<Self> {
        let filter = filter.into();
        let traces: Vec<Trace> = self.ranks.iter().map(|view| view.trace().clone()).collect();
        let of_trace = filter.of(&traces)?;
        let here = Inherited::here();
        let view = |view: &RankView| here.run(|| checkpoint::check().and_then(|()| view.filter(&of_trace)));
        let ranks = guarded(|| self.ranks.par_iter().map(view).collect::<Result<_>>())?;
        let filters = self.filters.iter().cloned().chain([filter.to_string()]).collect();
        Ok(Self { ranks: Arc::new(ranks), filters, ..self.clone() })
    }

    /// Returns the views of the ranks, ascending.
    pub fn views(&self) -> &[RankView] {
        &self.ranks
    }

    /// Runs an analysis on the ranks that it names; by default on all, or on the first where HTA analyses one.
    ///
    /// # Errors
    /// If a rank does not exist, a parameter is invalid, or the answer does not fit the memory budget.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let analysis = TraceAnalysis::new(&TraceSet::load("../../notebooks/data/job")?)?;
    /// let answer = analysis.ask(&QueueLengthSummary { ranks: Some(vec![0, 2]), ..Default::default() })?;
    /// assert_eq!(answer.tables[0].frame.column("rank")?.unique()?.len(), 2);
    /// let html = answer.present().bundles(); // tables and figures, each as text, HTML, plotly JSON, PNG
    /// # Ok(())
    /// # }
    /// ```
    pub fn ask<A: Analysis>(&self, analysis: &A) -> Result<Answer> {
        self.ask_ranks(analysis, None)
    }

    /// Runs an analysis on these ranks, instead of those that it names; `None` leaves the choice to the analysis.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn ask_ranks<A: Analysis>(&self, analysis: &A, ranks: Option<&[i64]>) -> Result<Answer> {
        self.run_within(analysis, ranks, Budget::now()?)
    }

    /// Runs an analysis within a memory budget, cancellable.
    pub(crate) fn run_within<A: Analysis>(
        &self,
        analysis: &A,
        ranks: Option<&[i64]>,
        budget: Budget,
    ) -> Result<Answer> {
        guarded(|| self.run(analysis, ranks, budget))
    }

    fn run<A: Analysis>(&self, analysis: &A, ranks: Option<&[i64]>, budget: Budget) -> Result<Answer> {
        let views = self.selected_views::<A>(ranks.or(analysis.ranks()))?;
        self.check_streams(analysis.streams().unwrap_or_default(), &views)?;
        let rows: usize = views.iter().map(|view| view.rows().len()).sum();
        budget.check(Task::Answer(A::NAME), rows.saturating_mul(A::BYTES_PER_ROW))?;
        let here = Inherited::here();
        let map = |view: &&RankView| -> Result<A::State> {
            here.run(|| {
                checkpoint::check()?;
                budget.check(Task::Answer(A::NAME), 0)?;
                let with_launches = if A::LAUNCHES { view.with_launches() } else { None };
                analysis.map(with_launches.as_ref().unwrap_or(view))
            })
        };
        // Partial results are exact and merging commutes, so the order of ranks does not matter.
        let state = views.par_iter().map(map).try_reduce(A::State::default, |mut one, other| {
            one.merge(other);
            Ok(one)
        })?;
        checkpoint::check()?;
        let mut answer = analysis.finish(state)?;
        checkpoint::check()?;
        answer.notes.extend(negative_durations(&views)?);
        for copy in &answer.copies {
            if self.ranks.iter().any(|view| is_same_file(Path::new(&view.info().file), &copy.target)) {
                return Err(Error::OwnSource { path: copy.target.clone() });
            }
        }
        let about = self.about(&views);
        answer.title = format!("{} · {about}", A::NAME);
        for figure in &mut answer.figures {
            figure.subtitle.clone_from(&about);
            figure.thin_out(MOST_POINTS);
        }
        Ok(answer)
    }

    /// Returns what was analysed: `control · ranks 0, 1 · iteration 5`.
    fn about(&self, views: &[&RankView]) -> String {
        let ranks: Vec<i64> = views.iter().map(|view| view.rank()).collect();
        let mut about = format!("{} · {}", self.label, numbered("rank", &ranks));
        if let Some(iterations) = &self.iterations {
            about.push_str(&format!(" · {}", numbered("iteration", iterations)));
        }
        for filter in &self.filters {
            about.push_str(&format!(" · {filter}"));
        }
        about
    }

    /// Returns the views of these ranks, or of those that the analysis selects by default.
    fn selected_views<A: Analysis>(&self, ranks: Option<&[i64]>) -> Result<Vec<&RankView>> {
        let available = || self.ranks.iter().map(RankView::rank).collect();
        let Some(wanted) = ranks else {
            let most = if A::FIRST_RANK_ONLY { 1 } else { usize::MAX };
            return Ok(self.ranks.iter().take(most).collect());
        };
        if wanted.is_empty() {
            return Err(Error::NoRankSelected { label: self.label.clone(), available: available() });
        }
        let wanted = Pick::from(wanted);
        let find = |&rank: &i64| {
            let unknown = || Error::UnknownRank { label: self.label.clone(), rank, available: available() };
            self.ranks.iter().find(|view| view.rank() == rank).ok_or_else(unknown)
        };
        wanted.numbers().iter().map(find).collect()
    }

    /// Checks that each of the `wanted` streams exists on one of the analysed ranks, if these have any.
    fn check_streams(&self, wanted: &[i64], views: &[&RankView]) -> Result<()> {
        let available: BTreeSet<i64> = views.iter().flat_map(|view| view.info().streams.iter().copied()).collect();
        match wanted.iter().find(|stream| !available.contains(stream)) {
            Some(&stream) if !available.is_empty() => Err(Error::UnknownStream {
                label: self.label.clone(),
                stream,
                ranks: views.iter().map(|view| view.rank()).collect(),
                available: available.into_iter().collect(),
            }),
            _ => Ok(()),
        }
    }
}

impl TraceSet {
    /// Analyses the trace without its last profiler step: `traces.ask(&TemporalBreakdown::default())`.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn ask<A: Analysis>(&self, analysis: &A) -> Result<Answer> {
        TraceAnalysis::new(self)?.ask(analysis)
    }
}

/// Returns the note on events that end before they start; `None` if there are none, or if HTA's rounding made them.
fn negative_durations(views: &[&RankView]) -> Result<Option<String>> {
    let (mut count, mut ranks) = (0, Vec::new());
    for view in views.iter().filter(|view| view.compat() == Compat::Exact) {
        let negative = view.negative()?;
        if negative > 0 {
            ranks.push(view.rank());
            count += negative;
        }
    }
    let what = if count == 1 {
        "1 event ends before it starts".to_owned()
    } else {
        format!("{count} events end before they start")
    };
    Ok(nothing_on(&ranks, &what).map(|note| format!("{}: each counts with duration 0.", note.trim_end_matches('.'))))
}
