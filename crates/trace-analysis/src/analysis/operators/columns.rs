//! The columns of the answer, and its frame.

use super::sums::{Sums, WorkSums};
use crate::Result;
use crate::stats::micros;
use polars::df;
use polars::prelude::DataFrame;
use std::sync::LazyLock;
use trace_view::{Column, Unit};

/// The answer's columns.
pub(super) const COLUMNS: &[Column] = &[
    Column::new(
        "name",
        Unit::None,
        "operator or module; by stack the operators around it, too, by shape the shapes of its inputs",
    ),
    Column::new("count", Unit::Count, "calls"),
    Column::new("cpu_total (us)", Unit::Micros, "time of the calls"),
    Column::new("cpu_self (us)", Unit::Micros, "time of the calls without those of other rows inside"),
    Column::new("kernels", Unit::Count, "kernels, copies and fills that were launched below"),
    Column::new("kernel_total (us)", Unit::Micros, "time of these kernels"),
    Column::new("kernel_self (us)", Unit::Micros, "time of kernels that no call of another row inside launched"),
    Column::new("kernel_span (us)", Unit::Micros, "from the first kernel of a call to the end of its last, added up"),
    Column::new("launch_share", Unit::Percent, "launches below, in percent of cpu_total"),
    Column::new("forward_kernel (us)", Unit::Micros, "by module: of kernel_total the forward"),
    Column::new(
        "backward_kernel (us)",
        Unit::Micros,
        "by module: of kernel_total the backward operators of its operators",
    ),
    Column::new(
        "recomputed (us)",
        Unit::Micros,
        "by module: of kernel_total the forward that ran once more for the backward",
    ),
    Column::new("counted (us)", Unit::Micros, "with work: time of the operators whose work is counted"),
    Column::new("gflop", Unit::None, "with work: billions of operations; a multiplication and an addition are two"),
    Column::new("megabytes", Unit::None, "with work: millions of bytes that must at least be moved"),
    Column::new("TFLOP/s", Unit::None, "with work: operations that were reached"),
    Column::new("GB/s", Unit::GigabytesPerSecond, "with work: traffic that was reached"),
    Column::new("intensity", Unit::None, "with work: operations for each byte"),
    Column::new(
        "roofline",
        Unit::Percent,
        "with work: least time that the device allows, of the time that passed; not cut above 100",
    ),
    Column::new(
        "borrowed (us)",
        Unit::Micros,
        "with a companion: of kernel_self that of calls which it lends to graphs",
    ),
];

/// Number of columns that each answer has, of those with the phases of modules, and of those with work, too.
const ALWAYS: usize = 9;
const WITH_PHASES: usize = 12;
const WITH_WORK: usize = 19;

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

/// The columns of all choices of parts.
static CHOICES: LazyLock<Vec<Vec<Column>>> = LazyLock::new(|| {
    let choice = |number: usize| {
        let part = |bit: usize, columns: std::ops::Range<usize>| if number & bit > 0 { columns } else { 0..0 };
        let parts = [
            0..ALWAYS,
            part(1, ALWAYS..WITH_PHASES),
            part(2, WITH_PHASES..WITH_WORK),
            part(4, WITH_WORK..COLUMNS.len()),
        ];
        parts.into_iter().flat_map(|columns| &COLUMNS[columns]).copied().collect()
    };
    (0..8).map(choice).collect()
});

/// Returns the columns of an answer with these parts.
pub(super) fn columns(shown: Shown) -> &'static [Column] {
    let Shown { phases, work, borrowed } = shown;
    CHOICES.get(usize::from(phases) + 2 * usize::from(work) + 4 * usize::from(borrowed)).map_or(COLUMNS, Vec::as_slice)
}

/// Returns the rows as a frame with the columns of [`columns`]; `is_on_gpu` chooses the work that counts.
pub(super) fn frame(rows: &[(String, Sums)], shown: Shown, is_on_gpu: bool) -> Result<DataFrame> {
    let Shown { phases, work, borrowed } = shown;
    let time = |of: fn(&Sums) -> i64| rows.iter().map(|(_, sums)| micros(of(sums))).collect::<Vec<f64>>();
    let mut frame = df!(
        COLUMNS[0].name => rows.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        COLUMNS[1].name => rows.iter().map(|(_, sums)| sums.count as i64).collect::<Vec<_>>(),
        COLUMNS[2].name => time(|sums| sums.total),
        COLUMNS[3].name => time(|sums| sums.own),
        COLUMNS[4].name => rows.iter().map(|(_, sums)| sums.kernels as i64).collect::<Vec<_>>(),
        COLUMNS[5].name => time(|sums| sums.kernel_total),
        COLUMNS[6].name => time(|sums| sums.kernel_own),
        COLUMNS[7].name => time(|sums| sums.kernel_span),
        COLUMNS[8].name => rows.iter().map(|(_, sums)| sums.launch_share()).collect::<Vec<f64>>(),
    )?;
    if phases {
        let added = df!(
            COLUMNS[9].name => time(Sums::forward),
            COLUMNS[10].name => time(|sums| sums.backward),
            COLUMNS[11].name => time(|sums| sums.recomputed),
        )?;
        frame = frame.hstack(added.columns())?;
    }
    if work {
        let value = |of: &dyn Fn(&WorkSums) -> Option<f64>| {
            let work = rows.iter().map(|(_, sums)| if is_on_gpu { &sums.work } else { &sums.host_work });
            work.map(|work| of(work).filter(|_| work.calls > 0)).collect::<Vec<Option<f64>>>()
        };
        let added = df!(
            COLUMNS[12].name => value(&|work| Some(micros(work.ns))),
            COLUMNS[13].name => value(&|work| Some(work.flops as f64 / 1e9)),
            COLUMNS[14].name => value(&|work| Some(work.bytes as f64 / 1e6)),
            COLUMNS[15].name => value(&|work| Some(work.per_ns(work.flops)? / 1e3)),
            COLUMNS[16].name => value(&|work| work.per_ns(work.bytes)),
            COLUMNS[17].name => value(&WorkSums::intensity),
            COLUMNS[18].name => value(&WorkSums::roofline),
        )?;
        frame = frame.hstack(added.columns())?;
    }
    if borrowed {
        frame = frame.hstack(df!(COLUMNS[19].name => time(|sums| sums.borrowed))?.columns())?;
    }
    Ok(frame)
}
