//! Rows of ranks that a change selects, by their bound.

use super::change::TimeChange;
use super::ranks::LoadedRank;
use super::short_runs::{SHORT_RUN, ShortRuns};
use crate::exec::checkpoint;
use crate::filter::{Filter, TraceFilter};
use crate::{Result, Trace};
use causal::BoundBy;
use polars::prelude::BooleanChunked;
use polars_arrow::bitmap::Bitmap;

/// The column of what bounds an interval of time.
const BOUND_BY: &str = "bound_by";

/// What a change chooses, for each rank.
pub(super) struct Matched {
    factor: f64,
    /// By the place of the rank, then by class of time.
    ranks: Vec<[ClassMatch; BoundBy::ALL.len()]>,
}

/// What a change chooses of the time of one class on one rank.
#[derive(Clone, Default)]
struct ClassMatch {
    /// Rows of events; `None` for none of them.
    rows: Option<Bitmap>,
    /// Time without an event.
    without_event: bool,
}

impl Matched {
    /// Finds what a change chooses of these ranks.
    ///
    /// # Errors
    /// If the condition names a column that no rank has, or compares one with a value of another type.
    pub(super) fn of(change: &TimeChange, ranks: &[LoadedRank]) -> Result<Self> {
        let condition = change.condition();
        let traces: Vec<Trace> = ranks.iter().map(|rank| rank.trace.clone()).collect();
        let filter = Filter::from(condition).with_text_columns(&traces, &[BOUND_BY, SHORT_RUN])?;
        let (by_class, by_run) = (condition.names_column(BOUND_BY), condition.names_column(SHORT_RUN));
        let ranks = ranks.iter().map(|rank| match (by_class, by_run) {
            (_, true) => by_runs(&filter, &rank.trace, by_class, rank.short_runs()),
            (true, false) => by_classes(&filter, &rank.trace),
            (false, false) => own_times(&filter, &rank.trace),
        });
        Ok(Self { factor: change.factor(), ranks: ranks.collect::<Result<_>>()? })
    }

    /// Returns the factor of an interval of time: 1 if it is not chosen.
    #[inline]
    pub(super) fn factor(&self, rank: usize, row: Option<usize>, class: BoundBy) -> f64 {
        if self.takes(rank, row, class) { self.factor } else { 1.0 }
    }

    /// Tells whether an interval of time is chosen.
    #[inline]
    pub(super) fn takes(&self, rank: usize, row: Option<usize>, class: BoundBy) -> bool {
        let Some(of) = self.ranks.get(rank).map(|classes| &classes[class as usize]) else { return false };
        match row {
            None => of.without_event,
            Some(row) => of.rows.as_ref().is_some_and(|rows| row < rows.len() && rows.get_bit(row)),
        }
    }
}

/// Evaluates a condition on each class of time.
fn by_classes(filter: &TraceFilter, trace: &Trace) -> Result<[ClassMatch; BoundBy::ALL.len()]> {
    let mut found: [ClassMatch; BoundBy::ALL.len()] = Default::default();
    for class in BoundBy::ALL {
        checkpoint::check()?;
        let values = [(BOUND_BY, class.word()), (SHORT_RUN, "")];
        let without_event = filter.takes_without_event(trace.rank(), &values)?;
        let rows = bits(&filter.mask_with(trace, &values)?);
        found[class as usize] = ClassMatch { rows: Some(rows), without_event };
    }
    Ok(found)
}

/// Evaluates a condition on what one launch would replace of runs of short kernels, and, if it names them, on each class of time.
fn by_runs(
    filter: &TraceFilter,
    trace: &Trace,
    by_class: bool,
    runs: &ShortRuns,
) -> Result<[ClassMatch; BoundBy::ALL.len()]> {
    let mut known: Vec<([&str; 2], Bitmap)> = Vec::new();
    let mut mask = |class: &'static str, run: &'static str| -> Result<Bitmap> {
        checkpoint::check()?;
        if let Some((_, found)) = known.iter().find(|(of, _)| *of == [class, run]) {
            return Ok(found.clone());
        }
        let found = bits(&filter.mask_with(trace, &[(BOUND_BY, class), (SHORT_RUN, run)])?);
        known.push(([class, run], found.clone()));
        Ok(found)
    };
    let mut found: [ClassMatch; BoundBy::ALL.len()] = Default::default();
    for class in BoundBy::ALL {
        let word = if by_class { class.word() } else { "" };
        let mut rows = mask(word, "")?;
        for (run, of_run) in runs.replaced(class) {
            rows = &(&rows & &!of_run) | &(&mask(word, run)? & of_run);
        }
        let without_event = filter.takes_without_event(trace.rank(), &[(BOUND_BY, word), (SHORT_RUN, "")])?;
        found[class as usize] = ClassMatch { rows: Some(rows), without_event };
    }
    Ok(found)
}

/// Evaluates a condition on events, of which only the own time is chosen.
fn own_times(filter: &TraceFilter, trace: &Trace) -> Result<[ClassMatch; BoundBy::ALL.len()]> {
    checkpoint::check()?;
    let rows = bits(&filter.mask_with(trace, &[(BOUND_BY, ""), (SHORT_RUN, "")])?);
    let mut found: [ClassMatch; BoundBy::ALL.len()] = Default::default();
    for class in BoundBy::ALL.into_iter().filter(|class| is_own_time(*class)) {
        found[class as usize] = ClassMatch { rows: Some(rows.clone()), without_event: false };
    }
    Ok(found)
}

/// Tells whether time of a class is that of an event itself, not of launching it or of waiting.
const fn is_own_time(class: BoundBy) -> bool {
    match class {
        BoundBy::Cpu
        | BoundBy::DataLoading
        | BoundBy::Python
        | BoundBy::CudaRuntime
        | BoundBy::Compute
        | BoundBy::Communication
        | BoundBy::Memory => true,
        BoundBy::LaunchOverhead
        | BoundBy::KernelKernelOverhead
        | BoundBy::Synchronization
        | BoundBy::WaitingForRank
        | BoundBy::NotRecorded
        | BoundBy::Unexplained => false,
    }
}

fn bits(mask: &BooleanChunked) -> Bitmap {
    mask.rechunk().downcast_as_array().values().clone()
}
