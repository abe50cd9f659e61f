//! Whom the questions are put to.

use super::{
    Analysis, Answer, CommCompOverlap, GpuKernelBreakdown, IdleTimeBreakdown, Merge, RankView, TemporalBreakdown,
};
use crate::error::numbers;
use crate::{Error, Result, TraceSet};
use polars::prelude::DataFrame;
use rayon::prelude::*;
use std::sync::Arc;

/// A loaded trace to put questions to: all ranks on one clock, without the last profiler step, which is usually cut off.
///
/// Methods are called as HTA's; each takes the question with its parameters, of which `Default` is what HTA does, and
/// returns data frames with HTA's columns. [`TraceAnalysis::ask`] answers with figures, too.
///
/// # Source
/// HTA `TraceAnalysis`.
///
/// # Example
/// ```no_run
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let analysis = TraceAnalysis::new(&TraceSet::load("control")?)?;
/// let df = analysis.get_temporal_breakdown()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TraceAnalysis {
    label: String,
    ranks: Arc<Vec<RankView>>,
}

impl TraceAnalysis {
    /// The trace without its last profiler step. Of a trace with one step, or none, nothing is left out.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn new(traces: &TraceSet) -> Result<Self> {
        Self::with_last_profiler_step(traces, false)
    }

    /// The trace, with the last profiler step if `include_last_profiler_step`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn with_last_profiler_step(traces: &TraceSet, include_last_profiler_step: bool) -> Result<Self> {
        let steps = traces.iterations().len();
        let origin = traces.info().iter().map(|info| info.first_ts).min().unwrap_or(0);
        let view = |trace| RankView::of(trace, traces.compat(), origin, steps, include_last_profiler_step);
        let ranks = traces.traces().par_iter().map(view).collect::<Result<_>>()?;
        Ok(Self { label: traces.label().to_owned(), ranks: Arc::new(ranks) })
    }

    /// The ranks, ascending, as the questions see them.
    pub fn views(&self) -> &[RankView] {
        &self.ranks
    }

    /// Asks the ranks that the question names: by default all, or the first where HTA asks one.
    ///
    /// # Errors
    /// If a rank does not exist or a parameter makes no sense.
    pub fn ask<A: Analysis>(&self, question: &A) -> Result<Answer> {
        self.ask_ranks(question, None)
    }

    /// Asks these ranks, whatever the question names; `None` leaves it to the question.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn ask_ranks<A: Analysis>(&self, question: &A, ranks: Option<&[i64]>) -> Result<Answer> {
        let views = self.chosen::<A>(ranks.or(question.ranks()))?;
        // In any order and grouping: a state is exact, and merging it commutes.
        let state =
            views.par_iter().map(|view| question.map(view)).try_reduce(A::State::default, |mut one, other| {
                one.merge(other);
                Ok(one)
            })?;
        let mut answer = question.finish(state)?;
        let ranks: Vec<i64> = views.iter().map(|view| view.rank()).collect();
        let plural = if ranks.len() == 1 { "" } else { "s" };
        answer.title = format!("{} · {} · rank{plural} {}", A::NAME, self.label, numbers(&ranks));
        for figure in &mut answer.figures {
            figure.subtitle = format!("{} · rank{plural} {}", self.label, numbers(&ranks));
        }
        Ok(answer)
    }

    /// Busy, computing and idle time of the GPU, a row per rank that has GPU events.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn get_temporal_breakdown(&self) -> Result<DataFrame> {
        Ok(pair(self.ask(&TemporalBreakdown {})?).0)
    }

    /// How much of the communication ran while something was computed, a row per rank.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn get_comm_comp_overlap(&self) -> Result<DataFrame> {
        Ok(pair(self.ask(&CommCompOverlap {})?).0)
    }

    /// GPU time by type of kernel over all ranks, and the longest kernels of each rank and type.
    ///
    /// # Errors
    /// If the ratio is no share.
    pub fn get_gpu_kernel_breakdown(&self, question: &GpuKernelBreakdown) -> Result<(DataFrame, DataFrame)> {
        Ok(pair(self.ask(question)?))
    }

    /// Why the streams of a GPU were idle, and the gaps described.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_idle_time_breakdown(&self, question: &IdleTimeBreakdown) -> Result<(DataFrame, DataFrame)> {
        Ok(pair(self.ask(question)?))
    }

    fn chosen<A: Analysis>(&self, ranks: Option<&[i64]>) -> Result<Vec<&RankView>> {
        let available = || self.ranks.iter().map(RankView::rank).collect();
        let Some(wanted) = ranks else {
            let most = if A::FIRST_RANK_ONLY { 1 } else { usize::MAX };
            return Ok(self.ranks.iter().take(most).collect());
        };
        if wanted.is_empty() {
            return Err(Error::NoRankSelected { label: self.label.clone(), available: available() });
        }
        for (place, &rank) in wanted.iter().enumerate() {
            if wanted[..place].contains(&rank) {
                return Err(Error::RepeatedRank { label: self.label.clone(), rank });
            }
        }
        let find = |&rank: &i64| {
            let unknown = || Error::UnknownRank { label: self.label.clone(), rank, available: available() };
            self.ranks.iter().find(|view| view.rank() == rank).ok_or_else(unknown)
        };
        wanted.iter().map(find).collect()
    }
}

impl TraceSet {
    /// Asks a question of the trace without its last profiler step: `traces.ask(&TemporalBreakdown::default())`.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn ask<A: Analysis>(&self, question: &A) -> Result<Answer> {
        TraceAnalysis::new(self)?.ask(question)
    }
}

/// The first two tables of an answer.
fn pair(answer: Answer) -> (DataFrame, DataFrame) {
    let mut frames = answer.tables.into_iter().map(|table| table.frame);
    (frames.next().unwrap_or_default(), frames.next().unwrap_or_default())
}
