//! HTA's filters of events relative to an operator.

use crate::callstack::CallStacks;
use crate::domain::EventKind;
use crate::error::FilterReason;
use crate::frame::RankEvents;
use crate::frame::columns::{END, INDEX};
use crate::{Compat, Error, Pick, Result, Trace};
use polars::prelude::{Expr, Int64Chunked};

/// Events within an operator: on its stream (all CPU events if it has none), starting and ending inside it. `position`
/// selects one of the operators of exactly this name: 0 is the first by start, −1 the last. `include_gpu_kernels` adds the
/// GPU events that the runtime calls among them launched.
///
/// # Errors
/// [`Error::WrongFilter`] if there is no such operator.
///
/// # Source
/// HTA `UnderOperatorFilter`.
pub fn under_operator(trace: &Trace, operator: &str, position: i64, include_gpu_kernels: bool) -> Result<Expr> {
    around(trace, operator, position, include_gpu_kernels, |event, root| event.0 >= root.0 && event.1 <= root.1)
}

/// Events that start when an operator ends, or later; otherwise as [`under_operator`].
///
/// # Errors
/// As [`under_operator`].
///
/// # Source
/// HTA `AfterOperatorFilter`.
pub fn after_operator(trace: &Trace, operator: &str, position: i64, include_gpu_kernels: bool) -> Result<Expr> {
    around(trace, operator, position, include_gpu_kernels, |event, root| event.0 >= root.1)
}

/// Events that end when an operator starts, or earlier; otherwise as [`under_operator`].
///
/// # Errors
/// As [`under_operator`].
///
/// # Source
/// HTA `BeforeOperatorFilter`.
pub fn before_operator(trace: &Trace, operator: &str, position: i64, include_gpu_kernels: bool) -> Result<Expr> {
    around(trace, operator, position, include_gpu_kernels, |event, root| event.1 <= root.0)
}

/// Events within an operator, from the end of one operator in it to the start of another; otherwise as
/// [`under_operator`].
///
/// ```text
/// root       |---------------------------------------------|
///              |preceding|                 |following|
/// selected                |- mm -| |- mm -|                      and optionally their kernels
/// ```
///
/// The root is the first operator of exactly this name, `preceding` the first of its name within the root, `following` the
/// first within the root that starts when `preceding` ends, or later. Without `preceding` the interval starts, and without
/// `following` it ends, with the root. HTA's `stack_depths` are a filter of their own:
/// `combined_operator(..)?.and(stack_depth(&trace, [2, 3])?)`.
///
/// # Errors
/// [`Error::WrongFilter`] if there is no such root, or none of the others in it.
///
/// # Source
/// HTA `CombinedOperatorFilter`.
pub fn combined_operator(
    trace: &Trace,
    root: &str,
    preceding: Option<&str>,
    following: Option<&str>,
    include_gpu_kernels: bool,
) -> Result<Expr> {
    let events = Events::of(trace)?;
    let (row, within) = events.operator(trace, root, 0)?;
    let (mut from, mut until) = within;
    // The first of the name within this interval, on the stream of the root.
    let first = |name: &str, from: i64, until: i64| {
        let inside = |event: &Interval| event.0 >= from && event.1 <= until;
        let on_side = events.named(name).filter(|&other| other != row && events.same_side(other, row));
        let first = on_side.filter_map(|row| events.interval(row).filter(inside)).min();
        first.ok_or_else(|| Error::WrongFilter {
            reason: FilterReason::NotWithin { rank: trace.rank(), operator: name.to_owned(), root: root.to_owned() },
        })
    };
    if let Some(name) = preceding {
        from = first(name, from, until)?.1;
    }
    if let Some(name) = following {
        until = first(name, from, until)?.0;
    }
    let takes = |event: Interval| event.0 >= from && event.1 <= until;
    Ok(events.taken(row, takes, include_gpu_kernels))
}

/// Events at these depths of the call stack of their thread: 0 is not nested, a kernel is one deeper than its launch. Events
/// outside of all stacks, such as a kernel without a launch, have no depth.
///
/// If one thread has the profiler steps and exactly one other runs `autograd::` functions, the calls of the latter are
/// nested in the annotation `## backward ##`, or in the step.
///
/// # Errors
/// If polars refuses.
///
/// # Source
/// HTA `CombinedOperatorFilter`, its `stack_depths`.
pub fn stack_depth(trace: &Trace, depths: impl Into<Pick>) -> Result<Expr> {
    let rows = trace.rank_events(&trace.frame()?, Compat::Exact)?;
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    let stacks = CallStacks::of(&rows, &all, Compat::Exact);
    let depths = depths.into();
    let is_in = |&row: &usize| stacks.depth(row).is_some_and(|depth| depths.numbers().contains(&i64::from(depth)));
    let wanted = (0..rows.len()).filter(is_in).map(|row| rows.index(row)).collect();
    Ok(super::condition::int_in(INDEX, wanted))
}

/// Start and end in ns.
type Interval = (i64, i64);

fn around(
    trace: &Trace,
    operator: &str,
    position: i64,
    include_gpu_kernels: bool,
    takes: fn(Interval, Interval) -> bool,
) -> Result<Expr> {
    let events = Events::of(trace)?;
    let (row, root) = events.operator(trace, operator, position)?;
    Ok(events.taken(row, |event| takes(event, root), include_gpu_kernels))
}

/// The events of a rank, by row.
struct Events {
    rows: RankEvents,
    end: Int64Chunked,
}

impl Events {
    fn of(trace: &Trace) -> Result<Self> {
        let events = trace.frame()?;
        let end = events.column(END)?.i64()?.rechunk().into_owned();
        Ok(Self { rows: trace.rank_events(&events, Compat::Exact)?, end })
    }

    fn interval(&self, row: usize) -> Option<Interval> {
        Some((self.rows.ts(row)?, self.end.get(row)?))
    }

    /// Returns whether both are on one stream, or both on the CPU.
    fn same_side(&self, one: usize, other: usize) -> bool {
        self.rows.stream(one) == self.rows.stream(other)
    }

    /// Returns the rows of exactly this name.
    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let mut is_named = self.rows.per_text(move |other| other == name);
        (0..self.rows.len()).filter(move |&row| is_named(self.rows.name(row)))
    }

    /// Returns the operator of this name at a position by start, and its interval.
    fn operator(&self, trace: &Trace, name: &str, position: i64) -> Result<(usize, Interval)> {
        let mut all: Vec<usize> = self.named(name).collect();
        all.sort_by_key(|&row| self.rows.ts(row));
        let index = if position < 0 { position + all.len() as i64 } else { position };
        let found = usize::try_from(index).ok().and_then(|index| all.get(index)).copied();
        found.and_then(|row| Some((row, self.interval(row)?))).ok_or_else(|| Error::WrongFilter {
            reason: FilterReason::NoOperatorAt {
                rank: trace.rank(),
                operator: name.to_owned(),
                position,
                count: all.len(),
            },
        })
    }

    /// Selects the events of the root's stream whose interval passes, and with `include_gpu_kernels` the GPU events that
    /// the runtime calls among them launched.
    fn taken(&self, root: usize, takes: impl Fn(Interval) -> bool, include_gpu_kernels: bool) -> Expr {
        let rows = &self.rows;
        let mut taken: Vec<bool> =
            (0..rows.len()).map(|row| self.same_side(row, root) && self.interval(row).is_some_and(&takes)).collect();
        if include_gpu_kernels {
            let kinds = rows.kinds();
            let calls: Vec<bool> = (0..rows.len()).map(|row| taken[row] && kinds[row] == EventKind::Call).collect();
            for row in (0..rows.len()).filter(|&row| rows.is_on_device(row)) {
                taken[row] |= rows.partner(row).is_some_and(|launch| calls[launch]);
            }
        }
        let wanted = (0..rows.len()).filter(|&row| taken[row]).map(|row| rows.index(row)).collect();
        super::condition::int_in(INDEX, wanted)
    }
}
