//! HTA's filters of events.

use super::Where;
use super::condition::{anchored, holds, int_in, searched, text_is};
use crate::domain::EventKind;
use crate::error::FilterReason;
use crate::frame::columns::*;
use crate::{Error, Iteration, Pick, Rank, Result, Stream, TraceSet};
use polars::prelude::{Expr, col, lit};
use std::ops::Range;

/// Events of these iterations. HTA `IterationFilter`.
pub fn iteration(numbers: impl Into<Pick<Iteration>>) -> Expr {
    int_in(ITERATION, numbers.into().numbers().to_vec())
}

/// Events of the iterations at these positions in the trace: 0 is the first. HTA `IterationIndexFilter`.
///
/// # Errors
/// [`Error::WrongFilter`] if the trace has fewer iterations.
pub fn iteration_index(traces: &TraceSet, positions: impl Into<Pick>) -> Result<Expr> {
    let iterations = traces.iterations();
    let at = |&position: &i64| {
        let number = usize::try_from(position).ok().and_then(|index| iterations.get(index));
        number.copied().ok_or_else(|| Error::WrongFilter {
            reason: FilterReason::NoIterationAt { label: traces.label().to_owned(), position, count: iterations.len() },
        })
    };
    let numbers = positions.into().numbers().iter().map(at).collect::<Result<Vec<_>>>()?;
    Ok(iteration(numbers))
}

/// Events of the first iteration. HTA `FirstIterationFilter`.
///
/// # Errors
/// [`Error::WrongFilter`] if the trace has none.
pub fn first_iteration(traces: &TraceSet) -> Result<Expr> {
    iteration_index(traces, 0)
}

/// Events of these ranks, in a frame that has the column `rank`. HTA `RankFilter`.
pub fn rank(numbers: impl Into<Pick<Rank>>) -> Expr {
    int_in(RANK, numbers.into().numbers().to_vec())
}

/// GPU events of these streams.
pub fn stream(numbers: impl Into<Pick<Stream>>) -> Expr {
    int_in(STREAM, numbers.into().numbers().to_vec())
}

/// Events entirely within an interval, in nanoseconds on the clock of the frame. HTA `TimeRangeFilter`.
///
/// # Errors
/// [`Error::WrongFilter`] if it ends before it starts.
pub fn time_range(span: Range<i64>) -> Result<Expr> {
    if span.end < span.start {
        return Err(Error::WrongFilter { reason: FilterReason::ReversedRange { start: span.start, end: span.end } });
    }
    let Range { start, end } = span;
    let from = holds(TS, "ts", move |ts| ts >= start);
    Ok(from.and(holds(END, "end", move |last| last <= end)))
}

/// Events whose name contains a match of a regular expression, like `str.contains` and `~` of [`Where`].
///
/// # Errors
/// [`Error::WrongFilter`] if it is not a regular expression.
pub fn name(pattern: &str) -> Result<Expr> {
    searched(NAME, pattern)
}

/// Events whose name starts with a match of a regular expression. HTA `NameFilter`.
///
/// # Errors
/// [`Error::WrongFilter`] if it is not a regular expression.
pub fn name_starts(pattern: &str) -> Result<Expr> {
    anchored(NAME, pattern)
}

/// Events that pass an expression in the language of [`Where`]. HTA `QueryFilter`, whose language is that of pandas.
///
/// # Errors
/// [`Error::BadWhere`], with a mark at the mistake.
pub fn query(text: &str) -> Result<Expr> {
    Ok(text.parse::<Where>()?.expr())
}

/// Events of duration 0. HTA's `ZeroDurationFilter` keeps all other events: `zero_duration().not()`.
pub fn zero_duration() -> Expr {
    holds(DUR, "dur", |dur| dur <= 0)
}

/// GPU events: those with a stream and a correlation, and synchronisations. HTA `GPUKernelFilter`.
pub fn gpu_kernel() -> Expr {
    let tied = col(STREAM).is_not_null().and(col(CORRELATION).is_not_null());
    tied.or(text_is(NAME, ["Event Sync", "Context Sync"]))
}

/// CPU events: all except [`gpu_kernel`]. HTA `CPUOperatorFilter`.
pub fn cpu_operator() -> Expr {
    gpu_kernel().not()
}

/// Copies of exactly this name: `Memcpy DtoH (Device -> Pageable)`. HTA `MemCopyEventFilter`.
pub fn mem_copy_event(name: &str) -> Expr {
    text_is(NAME, [name]).and(text_is(CAT, EventKind::Memory.categories()))
}

/// Events that pass all of these filters; every event if there is none. HTA `CompositeFilter`.
pub fn composite(filters: impl IntoIterator<Item = Expr>) -> Expr {
    filters.into_iter().reduce(Expr::and).unwrap_or_else(|| lit(true))
}
