//! The columns of the answer, and its frame.

use super::sums::{Sums, WorkSums};
use crate::Result;
use crate::present::{Field, answer_frame, declared};
use polars::prelude::DataFrame;
use std::ops::Range;
use std::sync::LazyLock;
use trace_view::{Column, Unit};

/// A row of the answer.
pub(super) struct Row<'s> {
    name: &'s str,
    sums: &'s Sums,
    /// The work that counts; `None` if no call of the row has any.
    work: Option<&'s WorkSums>,
}

impl Row<'_> {
    const COLUMNS: [Field<Self>; 20] = [
        Field::name(
            "name",
            "operator or module; by stack the operators around it, too, by shape the shapes of its inputs",
            |row| Some(row.name),
        ),
        Field::whole("count", Unit::Count, "calls", |row| i64::try_from(row.sums.count).ok()),
        Field::time("cpu_total (us)", "time of the calls", |row| Some(row.sums.total)),
        Field::time("cpu_self (us)", "time of the calls without those of other rows inside", |row| Some(row.sums.own)),
        Field::whole("kernels", Unit::Count, "kernels, copies and fills that were launched below", |row| {
            i64::try_from(row.sums.kernels).ok()
        }),
        Field::time("kernel_total (us)", "time of these kernels", |row| Some(row.sums.kernel_total)),
        Field::time("kernel_self (us)", "time of kernels that no call of another row inside launched", |row| {
            Some(row.sums.kernel_own)
        }),
        Field::time("kernel_span (us)", "from the first kernel of a call to the end of its last, added up", |row| {
            Some(row.sums.kernel_span)
        }),
        Field::share("launch_share", "launches below, in percent of cpu_total", |row| Some(row.sums.launch_share())),
        Field::time("forward_kernel (us)", "by module: of kernel_total the forward", |row| Some(row.sums.forward())),
        Field::time(
            "backward_kernel (us)",
            "by module: of kernel_total the backward operators of its operators",
            |row| Some(row.sums.backward),
        ),
        Field::time(
            "recomputed (us)",
            "by module: of kernel_total the forward that ran once more for the backward",
            |row| Some(row.sums.recomputed),
        ),
        Field::time("counted (us)", "with work: time of the operators whose work is counted", |row| Some(row.work?.ns)),
        Field::number(
            "gflop",
            Unit::None,
            "with work: billions of operations; a multiplication and an addition are two",
            |row| Some(row.work?.flops as f64 / 1e9),
        ),
        Field::number("megabytes", Unit::None, "with work: millions of bytes that must at least be moved", |row| {
            Some(row.work?.bytes as f64 / 1e6)
        }),
        Field::number("TFLOP/s", Unit::None, "with work: operations that were reached", |row| {
            Some(row.work?.per_ns(row.work?.flops)? / 1e3)
        }),
        Field::number("GB/s", Unit::GigabytesPerSecond, "with work: traffic that was reached", |row| {
            row.work?.per_ns(row.work?.bytes)
        }),
        Field::number("intensity", Unit::None, "with work: operations for each byte", |row| row.work?.intensity()),
        Field::share(
            "roofline",
            "with work: least time that the device allows, of the time that passed; not cut above 100",
            |row| row.work?.roofline(),
        ),
        Field::time(
            "borrowed (us)",
            "with a companion: of kernel_self that of calls which it lends to graphs",
            |row| Some(row.sums.borrowed),
        ),
    ];
}

/// The answer's columns.
pub(super) const COLUMNS: [Column; 20] = declared(&Row::COLUMNS);

/// The parts of an answer that not every call wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    /// Forward, backward and recomputation of modules.
    pub(super) phases: bool,
    /// Operations, bytes and rates.
    pub(super) work: bool,
    /// What companions lend.
    pub(super) borrowed: bool,
}

impl Shown {
    /// Returns the ranges of the columns of these parts.
    fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        let parts = [(true, 0..9), (self.phases, 9..12), (self.work, 12..19), (self.borrowed, 19..20)];
        parts.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, columns)| columns)
    }
}

/// The columns of all choices of parts.
static CHOICES: LazyLock<Vec<Vec<Column>>> = LazyLock::new(|| {
    let choice = |number: usize| {
        let shown = Shown { phases: number & 1 > 0, work: number & 2 > 0, borrowed: number & 4 > 0 };
        shown.ranges().flat_map(|columns| &COLUMNS[columns]).copied().collect()
    };
    (0..8).map(choice).collect()
});

/// Returns the columns of an answer with these parts.
pub(super) fn columns(shown: Shown) -> &'static [Column] {
    let Shown { phases, work, borrowed } = shown;
    let choice = usize::from(phases) + 2 * usize::from(work) + 4 * usize::from(borrowed);
    CHOICES.get(choice).map_or(&COLUMNS, Vec::as_slice)
}

/// Returns the rows as a frame with the columns of [`columns`]; `is_on_gpu` chooses the work that counts.
pub(super) fn frame(rows: &[(String, Sums)], shown: Shown, is_on_gpu: bool) -> Result<DataFrame> {
    let rows: Vec<Row<'_>> = rows
        .iter()
        .map(|(name, sums)| {
            let work = if is_on_gpu { &sums.work } else { &sums.host_work };
            Row { name, sums, work: Some(work).filter(|work| work.calls > 0) }
        })
        .collect();
    let mut frame = DataFrame::empty_with_height(rows.len());
    for columns in shown.ranges() {
        frame = frame.hstack(answer_frame(&rows, &Row::COLUMNS[columns])?.columns())?;
    }
    Ok(frame)
}
