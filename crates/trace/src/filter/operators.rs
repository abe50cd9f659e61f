//! HTA's filters of events around an operator.

use crate::callstack::CallStacks;
use crate::error::FilterReason;
use crate::frame::EventRows;
use crate::frame::columns::{END, INDEX};
use crate::{Compat, Error, Pick, Result, Trace};
use polars::prelude::{Expr, Int64Chunked};

/// Events while an operator runs: on its stream (of an operator on the CPU: all of the CPU), started and ended inside
/// it. `position` says which of the operators of this very name: 0 is the first by start, −1 the last. With
/// `include_gpu_kernels` the events on the GPU come along that the runtime calls among them launched.
///
/// # Errors
/// [`Error::WrongFilter`] if there is no such operator.
///
/// # Source
/// HTA `UnderOperatorFilter`.
pub fn under_operator(trace: &Trace, operator: &str, position: i64, include_gpu_kernels: bool) -> Result<Expr> {
    around(trace, operator, position, include_gpu_kernels, |event, root| event.0 >= root.0 && event.1 <= root.1)
}

/// Events that start when an operator has ended, or later; otherwise as [`under_operator`].
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
/// taken                   |- mm -| |- mm -|                      and with them what they launched
/// ```
///
/// The root is the first operator of its very name, `preceding` the first one of its name within the root, `following` the
/// first one within the root that starts when `preceding` has ended, or later. Without `preceding` the stretch begins, and
/// without `following` it ends, with the root. HTA's `stack_depths` are a filter of their own:
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
    // The first of the name that lies between these; on the side of the root.
    let first = |name: &str, from: i64, until: i64| {
        let inside = |event: &Stretch| event.0 >= from && event.1 <= until;
        let on_side = events.named(name).filter(|&other| other != row && events.same_side(other, row));
        let first = on_side.filter_map(|row| events.stretch(row).filter(inside)).min();
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
    let takes = |event: Stretch| event.0 >= from && event.1 <= until;
    Ok(events.taken(row, takes, include_gpu_kernels))
}

/// Events that lie this deep in the calls of their thread: 0 is what lies in no other, a kernel lies one deeper than its
/// launch. What lies in no stack, as a kernel without a launch, has no depth.
///
/// Where one thread has the profiler's steps and one other runs `autograd::` functions, the calls of that one lie in the
/// annotation `## backward ##`, or in the step.
///
/// # Errors
/// If polars refuses.
///
/// # Source
/// HTA `CombinedOperatorFilter`, its `stack_depths`.
pub fn stack_depth(trace: &Trace, depths: impl Into<Pick>) -> Result<Expr> {
    let rows = EventRows::of(&trace.events, Compat::Exact)?;
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    let stacks = CallStacks::of(&rows, &all, Compat::Exact);
    let depths = depths.into();
    let is_in = |&row: &usize| stacks.depth(row).is_some_and(|depth| depths.numbers().contains(&i64::from(depth)));
    let wanted = (0..rows.len()).filter(is_in).map(|row| rows.index(row)).collect();
    Ok(super::condition::int_in(INDEX, wanted))
}

/// Start and end.
type Stretch = (i64, i64);

fn around(
    trace: &Trace,
    operator: &str,
    position: i64,
    include_gpu_kernels: bool,
    takes: fn(Stretch, Stretch) -> bool,
) -> Result<Expr> {
    let events = Events::of(trace)?;
    let (row, root) = events.operator(trace, operator, position)?;
    Ok(events.taken(row, |event| takes(event, root), include_gpu_kernels))
}

/// The events of a rank, by row.
struct Events {
    rows: EventRows,
    end: Int64Chunked,
}

impl Events {
    fn of(trace: &Trace) -> Result<Self> {
        let end = trace.events.column(END)?.i64()?.rechunk().into_owned();
        Ok(Self { rows: EventRows::of(&trace.events, Compat::Exact)?, end })
    }

    fn stretch(&self, row: usize) -> Option<Stretch> {
        Some((self.rows.ts(row)?, self.end.get(row)?))
    }

    /// Whether both are of one stream, or of the CPU.
    fn same_side(&self, one: usize, other: usize) -> bool {
        self.rows.stream(one) == self.rows.stream(other)
    }

    /// The rows of this very name.
    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let mut is_named = self.rows.per_text(move |other| other == name);
        (0..self.rows.len()).filter(move |&row| is_named(self.rows.name(row)))
    }

    /// The operator of this name at a place by start, and when it runs.
    fn operator(&self, trace: &Trace, name: &str, position: i64) -> Result<(usize, Stretch)> {
        let mut all: Vec<usize> = self.named(name).collect();
        all.sort_by_key(|&row| self.rows.ts(row));
        let place = if position < 0 { position + all.len() as i64 } else { position };
        let found = usize::try_from(place).ok().and_then(|place| all.get(place)).copied();
        found.and_then(|row| Some((row, self.stretch(row)?))).ok_or_else(|| Error::WrongFilter {
            reason: FilterReason::NoOperatorAt {
                rank: trace.rank(),
                operator: name.to_owned(),
                position,
                count: all.len(),
            },
        })
    }

    /// Events of the root's side whose stretch is taken, and if it is wanted what the runtime calls among them launched.
    fn taken(&self, root: usize, takes: impl Fn(Stretch) -> bool, include_gpu_kernels: bool) -> Expr {
        let rows = &self.rows;
        let mut taken: Vec<bool> =
            (0..rows.len()).map(|row| self.same_side(row, root) && self.stretch(row).is_some_and(&takes)).collect();
        if include_gpu_kernels {
            let mut is_runtime = rows.per_text(|cat| cat.ends_with("_runtime"));
            let calls: Vec<bool> = (0..rows.len()).map(|row| taken[row] && is_runtime(rows.cat(row))).collect();
            for row in (0..rows.len()).filter(|&row| rows.stream(row).is_some()) {
                taken[row] |= rows.partner(row).is_some_and(|launch| calls[launch]);
            }
        }
        let wanted = (0..rows.len()).filter(|&row| taken[row]).map(|row| rows.index(row)).collect();
        super::condition::int_in(INDEX, wanted)
    }
}
