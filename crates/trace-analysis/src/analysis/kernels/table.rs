//! Columns of kernels and of savings.

use super::filled::{Filled, Row};
use super::replay::{CHANGES, Change, Step};
use crate::Result;
use crate::present::{Field, answer_frame};
use crate::stats::micros;
use efficiency::{LimitedBy, fused_operators};
use polars::prelude::DataFrame;
use trace_view::Unit;

/// A kernel and its configuration, with the time in which streams are busy.
pub(super) struct KernelRow<'r> {
    of: &'r Row<'r>,
    busy: i64,
}

impl KernelRow<'_> {
    pub(super) const COLUMNS: [Field<Self>; 22] = [
        Field::name("name", "kernel", |row| Some(&row.of.of.name)),
        Field::text("grid", "blocks of the grid in three dimensions", |row| Some(sizes(row.of.launch?.grid))),
        Field::text("block", "threads of a block in three dimensions", |row| Some(sizes(row.of.launch?.block))),
        Field::whole("registers", Unit::Count, "registers of a thread", |row| whole(row.of.of.registers)),
        Field::whole("shared_memory", Unit::Bytes, "shared memory of a block", |row| whole(row.of.of.shared_memory)),
        Field::whole("count", Unit::Count, "kernels", |row| whole(Some(row.of.sums.count))),
        Field::time("time (us)", "their time on their streams, in which nothing runs that began earlier", |row| {
            Some(row.of.sums.own)
        }),
        Field::number("mean (us)", Unit::Micros, "mean duration", |row| {
            Some(micros(row.of.sums.durations) / row.of.sums.count.max(1) as f64)
        }),
        Field::number(
            "share_of_busy",
            Unit::Percent,
            "of the time in which streams are busy with kernels and copies, each stream by itself",
            |row| Some(100.0 * row.of.sums.own as f64 / row.busy.max(1) as f64),
        ),
        Field::whole("threads", Unit::Count, "threads of a block", |row| {
            whole(row.of.launch.map(|launch| launch.threads()))
        }),
        Field::whole("blocks", Unit::Count, "blocks of the grid", |row| i64::try_from(row.of.launch?.blocks()).ok()),
        Field::whole("active_blocks", Unit::Count, "blocks that run on a multiprocessor at once", |row| {
            whole(Some(row.filled()?.active_blocks))
        }),
        Field::number("waves", Unit::None, "waves of blocks; below 1 the grid does not fill the device", |row| {
            row.filled()?.waves
        }),
        Field::number(
            "tail_efficiency",
            Unit::Percent,
            "waves by whole waves: less if the last one is not full",
            |row| percent(row.filled()?.tail_efficiency),
        ),
        Field::number(
            "occupancy",
            Unit::Percent,
            "share of the threads of a multiprocessor that its active blocks have",
            |row| percent(row.filled()?.theoretical),
        ),
        Field::number(
            "achieved",
            Unit::Percent,
            "share that the grid reaches on the average of multiprocessors",
            |row| percent(row.filled().and_then(|filled| filled.achieved)).or(row.estimate()),
        ),
        Field::text("limited_by", "what limits the active blocks", |row| {
            let limits: Vec<&str> = row.filled()?.limited_by.iter().map(|limit| LimitedBy::word(*limit)).collect();
            known(limits.join(", "))
        }),
        Field::word(
            "occupancy_by",
            "origin of the occupancy: recorded limits, computed, or the estimate of the profiler (achieved alone)",
            |row| match row.filled() {
                Some(filled) if filled.is_recorded => Some("recorded"),
                Some(_) => Some("computed"),
                None => row.estimate().map(|_| "estimate"),
            },
        ),
        Field::text("fused", "operators that a compiled kernel fuses, by its name", |row| {
            known(fused_operators(&row.of.of.name)?.join(", "))
        }),
        Field::text("compiled", "compiler and configuration of a compiled kernel", |row| {
            known(row.of.of.compiled.clone())
        }),
        Field::name("source", "file of the source of a compiled kernel", |row| known(row.of.of.file.as_str())),
        Field::name("device", "device", |row| known(row.of.of.device.name.as_str())),
    ];

    fn filled(&self) -> Option<&Filled> {
        self.of.filled.as_ref().ok()
    }

    /// Returns the estimate of the profiler, in percent.
    fn estimate(&self) -> Option<f64> {
        self.of.of.estimate.map(|percent| percent as f64)
    }
}

/// A change of a step that was replayed.
pub(super) struct SavingRow<'r> {
    step: &'r Step,
    change: &'static Change,
    after: i64,
}

impl SavingRow<'_> {
    pub(super) const COLUMNS: [Field<Self>; 7] = [
        Field::name("change", "change, as %what_if takes it", |row| Some(row.change.text)),
        Field::text("meaning", "what takes no time", |row| Some(row.change.meaning.to_owned())),
        Field::name("step", "annotation that is replayed; of several ranks that of the slowest", |row| {
            Some(if row.step.annotation.is_empty() { "recording" } else { &row.step.annotation })
        }),
        Field::time("before (us)", "step as recorded", |row| Some(row.step.before)),
        Field::time("after (us)", "step with the change", |row| Some(row.after)),
        Field::time("saved (us)", "what the change saves", |row| Some(row.saved())),
        Field::number("saved", Unit::Percent, "share of the step", |row| {
            Some(100.0 * row.saved() as f64 / row.step.before.max(1) as f64)
        }),
    ];

    fn saved(&self) -> i64 {
        self.step.before - self.after
    }
}

/// Returns kernels as a frame; `busy` is the time in which streams are busy, in ns.
pub(super) fn kernels(rows: &[Row<'_>], busy: i64) -> Result<DataFrame> {
    answer_frame(&rows.iter().map(|of| KernelRow { of, busy }).collect::<Vec<_>>(), &KernelRow::COLUMNS)
}

/// Returns what changes would save of a step.
pub(super) fn savings(step: Option<&Step>) -> Result<DataFrame> {
    let rows = step.into_iter().flat_map(|step| {
        let changes = CHANGES.iter().zip(step.after);
        changes.map(move |(change, after)| SavingRow { step, change, after })
    });
    answer_frame(&rows.collect::<Vec<_>>(), &SavingRow::COLUMNS)
}

/// Writes sizes in three dimensions without those of 1 at the end: `128×2`.
fn sizes([x, y, z]: [u64; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (y, 1) => format!("{x}×{y}"),
        (y, z) => format!("{x}×{y}×{z}"),
    }
}

fn whole(number: Option<u64>) -> Option<i64> {
    i64::try_from(number?).ok()
}

fn percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| 100.0 * share)
}

/// Returns a text that was recorded.
fn known<T: AsRef<str>>(text: T) -> Option<T> {
    Some(text).filter(|text| !text.as_ref().is_empty())
}
