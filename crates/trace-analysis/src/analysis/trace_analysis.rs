//! Runs analyses on a loaded trace.

use super::listed::AnswerFiles;
use super::narrowing::Narrowing;
use super::retained_rows::RetainedRows;
use super::{Analysis, Answer, Mapped, Merge, Plan, RankView};
use crate::critical_path::critical_path;
use crate::exec::batches::Batches;
use crate::exec::checkpoint::{self, guarded};
use crate::exec::memory::{Budget, Task};
use crate::filter::Filter;
use crate::frame::columns::INDEX;
use crate::{Compat, CriticalPath, CriticalPathAnswer, Error, FoundSteps, Iteration, Pick, Result, Trace, TraceSet};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// A loaded trace to analyse: all ranks on one clock, without the last profiler step, which is usually cut off.
///
/// Methods have HTA's names; each takes an analysis with its parameters, whose defaults are HTA's, and returns data frames
/// with HTA's columns. [`TraceAnalysis::ask`] returns figures and notes, too.
///
/// Ranks whose events are in memory are prepared once. A rank whose events are in a file is mapped and prepared for each
/// question, as many ranks at a time as the memory budget has room for, and dropped again.
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
    pub(super) plan: Arc<Plan>,
    ranks: Arc<Vec<Prepared>>,
    /// The iterations of the rows, once they are known.
    iterations: Arc<OnceLock<Vec<i64>>>,
    pub(super) traces: TraceSet,
    /// Traces that lend operators to the kernels of graphs.
    companions: Arc<[TraceSet]>,
}

/// A rank to analyse.
#[derive(Debug, Clone)]
struct Prepared {
    trace: Trace,
    /// Its view, kept; `None` if it is made for each question.
    view: Option<RankView>,
    /// Its rows before filters, if its view is not kept.
    whole: RetainedRows,
    companions: Arc<[TraceSet]>,
}

/// Memory for each row of the trace while operators are borrowed, in bytes: two calls and what is known of each.
const BORROWED_BYTES: usize = 256;

impl Prepared {
    /// Returns the number of its rows; before filters, unless its view is kept.
    fn rows(&self) -> usize {
        self.view.as_ref().map_or(self.trace.info().events, |view| view.rows().len())
    }

    /// Returns the bytes that it needs while `bytes_per_row` of working memory are used for each analysed row.
    fn bytes_needed(&self, plan: &Plan, bytes_per_row: usize) -> usize {
        let borrowed = if self.companions.is_empty() { 0 } else { BORROWED_BYTES };
        let bytes_per_row = bytes_per_row.saturating_add(borrowed);
        let with_view = RankView::BYTES_PER_ROW.saturating_add(bytes_per_row);
        match &self.view {
            Some(view) => view.rows().len().saturating_mul(bytes_per_row),
            None if plan.is_filtered() => self.trace.bytes_needed(with_view),
            None => self.trace.bytes_needed_of(&RankView::columns_read(), with_view),
        }
    }

    /// Calls `work` with the view, which is made for the call if it is not kept.
    fn with_view<T>(&self, plan: &Plan, work: impl FnOnce(&RankView) -> Result<T>) -> Result<T> {
        match &self.view {
            Some(view) => work(view),
            None => work(&plan.view_with(&self.trace, &self.whole)?.borrowing_from(&self.companions)),
        }
    }
}

/// The name of a preparation in the message that refuses it.
const PREPARATION: Task<'static> = Task::Answer("a question");

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
        Self::within(traces, include_last_profiler_step, traces.budget()?)
    }

    /// Prepares a trace within a memory budget: views are kept if those of all ranks in memory take at most half of what is
    /// left.
    #[doc(hidden)]
    pub fn within(traces: &TraceSet, include_last_profiler_step: bool, budget: Budget) -> Result<Self> {
        let infos = traces.traces().iter().map(Trace::info);
        Self::planned(traces, Plan::of(traces.label(), traces.compat(), infos, include_last_profiler_step), budget)
    }

    /// Prepares all rows of a trace: the last profiler step, and what is behind it, included. With `own_clock` times are those of
    /// the trace.
    pub(crate) fn of_all_rows(traces: &TraceSet, own_clock: bool) -> Result<Self> {
        let plan = Plan::of(traces.label(), traces.compat(), traces.traces().iter().map(Trace::info), true);
        Self::planned(traces, plan.of_all_rows(own_clock), traces.budget()?)
    }

    fn planned(traces: &TraceSet, plan: Plan, budget: Budget) -> Result<Self> {
        let is_in_memory = |trace: &&Trace| trace.is_in_memory();
        let rows: usize = traces.traces().iter().filter(is_in_memory).map(|trace| trace.info().events).sum();
        let keeps = rows > 0 && rows.saturating_mul(RankView::BYTES_PER_ROW) as u64 <= budget.left() / 2;
        let prepare = |trace: &Trace| {
            let view = if keeps && trace.is_in_memory() { Some(plan.view(trace)?) } else { None };
            let (trace, companions) = (trace.clone(), Arc::default());
            Ok(Prepared { trace, view, whole: RetainedRows::default(), companions })
        };
        let ranks = match keeps {
            true => Batches::within(budget, PREPARATION).each(traces.traces(), |_| 0, prepare)?,
            false => traces.traces().iter().map(prepare).collect::<Result<_>>()?,
        };
        let (traces, companions) = (traces.clone(), Arc::default());
        Ok(Self { plan: Arc::new(plan), ranks: Arc::new(ranks), iterations: Arc::default(), traces, companions })
    }

    /// Takes a recording of the same program without graphs, or of the capture of its graphs, beside others: its operators, with their
    /// modules, shapes and types, count for the kernels of graphs in [`Operators`](super::Operators) and [`Roofline`](super::Roofline). What
    /// is borrowed has a column, and a note says how many kernels borrow.
    ///
    /// # Errors
    /// If an engine reads the events of either trace elsewhere.
    ///
    /// # Example
    /// ```
    /// use trace::analysis::Operators;
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let replay = TraceSet::load("../../notebooks/data/control")?;
    /// let capture = TraceSet::load("../../notebooks/data/test")?;
    /// let answer = TraceAnalysis::new(&replay)?.companion(&capture)?.ask(&Operators::default())?;
    /// assert!(answer.notes[0].starts_with("No operators from"), "the demo launches no graphs");
    /// # Ok(())
    /// # }
    /// ```
    pub fn companion(&self, companion: &TraceSet) -> Result<Self> {
        for trace in self.traces.traces().iter().chain(companion.traces()).filter(|trace| trace.elsewhere().is_some()) {
            trace.frame_of(&[INDEX.into()])?;
        }
        let companions: Arc<[TraceSet]> = self.companions.iter().chain([companion]).cloned().collect();
        let borrowing = |rank: &Prepared| {
            let view = rank.view.clone().map(|view| view.borrowing_from(&companions));
            Prepared { view, companions: Arc::clone(&companions), ..rank.clone() }
        };
        let ranks = Arc::new(self.ranks.iter().map(borrowing).collect());
        Ok(Self { ranks, companions, ..self.clone() })
    }

    /// Returns the ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.plan.ranks()
    }

    /// Returns the plan: what a process needs besides the events of a rank to compute its part of an answer.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the iterations of the analysed rows, ascending: without the last one, unless it was included.
    ///
    /// # Errors
    /// If polars refuses, or the events of a rank cannot be read any more.
    pub fn iterations(&self) -> Result<Vec<i64>> {
        self.iterations_within(self.traces.budget()?)
    }

    fn iterations_within(&self, budget: Budget) -> Result<Vec<i64>> {
        if let Some(known) = self.iterations.get() {
            return Ok(known.clone());
        }
        if self.traces.elsewhere().is_some() {
            let found = self.iterations_elsewhere()?.into_iter().collect();
            return Ok(self.iterations.get_or_init(|| found).clone());
        }
        let of_rank = |rank: &Prepared| match &rank.view {
            None if self.plan.is_whole() => RankView::iterations_of(&rank.trace, self.plan.context()),
            _ => rank.with_view(&self.plan, RankView::iterations),
        };
        let union = |mut one: BTreeSet<i64>, other: BTreeSet<i64>| {
            one.extend(other);
            Ok(one)
        };
        let need = |rank: &Prepared| rank.bytes_needed(&self.plan, 0);
        let found = Batches::within(budget, PREPARATION).merged(&self.ranks, need, of_rank, union)?;
        Ok(self.iterations.get_or_init(|| found.unwrap_or_default().into_iter().collect()).clone())
    }

    /// Selects the rows of these iterations: `analysis.in_iterations([3, 4])?`.
    ///
    /// A CPU event belongs to the `ProfilerStep#N` in which it starts, a GPU event to the step that launched it, even if it
    /// runs later. Analyses therefore see whole iterations, and times from the first to the last of their rows. Rows outside
    /// of all steps are left out. A rank that lacks an iteration has no rows of it.
    ///
    /// # Errors
    /// If no rank has such an iteration, or it is the last profiler step and that is left out; if none is named.
    pub fn in_iterations(&self, iterations: impl Into<Pick<Iteration>>) -> Result<Self> {
        let (wanted, budget) = (iterations.into(), self.traces.budget()?);
        self.plan.check_iterations(&wanted, self.iterations_within(budget)?).map_err(|error| match error {
            Error::NoIterations { label, iteration, .. } => FoundSteps::no_iterations(&self.traces, &label, iteration),
            error => error,
        })?;
        self.narrowed(Narrowing::Iterations(wanted.numbers().to_vec()), budget)
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
        let traces: Vec<Trace> = self.ranks.iter().map(|rank| rank.trace.clone()).collect();
        let filter = filter.into().of(&traces)?;
        if self.ranks.iter().any(|rank| rank.view.is_none()) {
            // Errors come now, not with the first question.
            filter.check()?;
        }
        self.narrowed(Narrowing::Filter(Box::new(filter)), self.traces.budget()?)
    }

    fn narrowed(&self, narrowing: Narrowing, budget: Budget) -> Result<Self> {
        let narrow = |rank: &Prepared| {
            let view = rank.view.as_ref().map(|view| narrowing.of(view)).transpose()?;
            Ok(Prepared { view, ..rank.clone() })
        };
        let ranks = Batches::within(budget, PREPARATION).each(&self.ranks, |_| 0, narrow)?;
        let plan = Arc::new(self.plan.narrowed(narrowing));
        Ok(Self { plan, ranks: Arc::new(ranks), iterations: Arc::default(), ..self.clone() })
    }

    /// Returns the views of the ranks, ascending, one after the other. That of a rank in a file is made when its turn comes;
    /// drop it before the next to keep memory bounded.
    pub fn views(&self) -> impl Iterator<Item = Result<RankView>> {
        self.ranks.iter().map(|rank| guarded(|| rank.with_view(&self.plan, |view| Ok(view.clone()))))
    }

    /// Finds what bounds windows of the recording, and what would help. It sees all rows, the last profiler step included; filters and
    /// selected iterations do not count.
    ///
    /// # Errors
    /// As [`critical_path`](crate::critical_path::critical_path).
    pub fn critical_path(&self, query: &CriticalPath) -> Result<CriticalPathAnswer> {
        critical_path(&self.traces, query)
    }

    /// Returns what `work` makes of the views of these ranks, ascending; of the first rank, or of all, if none is named. It needs
    /// `bytes_per_row` of memory for each analysed row.
    pub(crate) fn each_view<T: Send>(
        &self,
        name: &str,
        (ranks, first_only): (Option<&[i64]>, bool),
        bytes_per_row: usize,
        work: impl Fn(&RankView) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let selected = self.plan.positions(ranks, first_only)?;
        let ranks: Vec<&Prepared> = selected.iter().map(|&at| &self.ranks[at]).collect();
        let need = |rank: &&Prepared| rank.bytes_needed(&self.plan, bytes_per_row);
        let batches = Batches::within(self.traces.budget()?, Task::Answer(name));
        batches.each(&ranks, need, |rank| rank.with_view(&self.plan, &work))
    }

    /// Returns the memory budget of questions to the trace.
    ///
    /// # Errors
    /// If a setting of the budget is not a size.
    #[doc(hidden)]
    pub fn budget(&self) -> Result<Budget> {
        self.traces.budget()
    }

    /// Returns the compatibility mode in which the trace was loaded.
    pub fn compat(&self) -> Compat {
        self.traces.compat()
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
    /// let page = answer.present(); // tables and figures as plain data, which trace_render::bundles renders
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
        self.run_within(analysis, ranks, self.traces.budget()?)
    }

    /// Runs an analysis within a memory budget, cancellable.
    pub(crate) fn run_within<A: Analysis>(
        &self,
        analysis: &A,
        ranks: Option<&[i64]>,
        budget: Budget,
    ) -> Result<Answer> {
        guarded(|| {
            let selected = self.plan.selected(analysis, ranks)?;
            let mapped = self.mapped(analysis, &selected, budget)?;
            checkpoint::check()?;
            let mut answer = self.plan.finish(analysis, &selected, mapped)?;
            answer.notes.extend(self.traces.missing_ranks().map(|missing| format!("{missing}.")));
            checkpoint::check()?;
            Ok(answer)
        })
    }

    /// Computes the merged result of the ranks at these positions.
    fn mapped<A: Analysis>(&self, analysis: &A, ranks: &[usize], budget: Budget) -> Result<Mapped<A::State>> {
        if self.traces.elsewhere().is_some() {
            return self.mapped_elsewhere(analysis, ranks);
        }
        let task = Task::Answer(A::NAME);
        let ranks: Vec<&Prepared> = ranks.iter().map(|&at| &self.ranks[at]).collect();
        let rows: usize = ranks.iter().map(|rank| rank.rows()).sum();
        let is_small = !A::KEEPS_EVENTS || budget.left() >= rows.saturating_mul(A::BYTES_PER_ROW) as u64;
        let files = if is_small { None } else { Some(AnswerFiles::create()?) };
        let need = |rank: &&Prepared| rank.bytes_needed(&self.plan, A::BYTES_PER_ROW);
        let map = |rank: &&Prepared| {
            let mapped = rank.with_view(&self.plan, |view| Mapped::of(analysis, view))?;
            match &files {
                Some(files) => Ok(Mapped { state: analysis.move_to_files(mapped.state, files)?, ..mapped }),
                None => Ok(mapped),
            }
        };
        // Partial results are exact and merging commutes, so the order of ranks does not matter.
        let merge = |mut one: Mapped<A::State>, other| {
            one.merge(other);
            Ok(one)
        };
        Ok(Batches::within(budget, task).merged(&ranks, need, map, merge)?.unwrap_or_default())
    }
}
