//! The rows of a rank that an explanation counts as GPU work.

use crate::domain::is_device_work;
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::{CAT, DUR, TS};
use crate::frame::{IntColumn, once_per_text};
use crate::{Compat, Result, Trace};
use polars::prelude::{Categorical32Type, DataFrame};

/// Which rows of a rank are GPU work with a time.
pub(super) struct GpuRows(Vec<bool>);

impl GpuRows {
    /// Finds them in events with the columns of categories and begins.
    pub(super) fn of(events: &DataFrame) -> Result<Self> {
        let cats = events.column(CAT)?.as_materialized_series().cat::<Categorical32Type>()?;
        let starts = IntColumn::of(events, TS)?;
        let mut is_work = once_per_text(cats.get_mapping(), is_device_work);
        let rows = cancellable(cats.physical().iter()).enumerate();
        Ok(Self(rows.map(|(row, cat)| cat.is_some_and(&mut is_work) && starts.get(row).is_some()).collect()))
    }

    /// Tells whether a row is one of them.
    pub(super) fn is_gpu(&self, row: u32) -> bool {
        self.0.get(row as usize) == Some(&true)
    }

    /// The rows, ascending.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).filter(|(_, is_gpu)| **is_gpu).map(|(row, _)| row)
    }
}

/// Returns time (ns) and number of the GPU events of a rank.
pub(super) fn device_work(trace: &Trace, compat: Compat) -> Result<(i64, u64)> {
    let events = trace.frame_of(&[CAT.into(), TS.into(), DUR.into()])?;
    let durations = IntColumn::of(&events, DUR)?;
    let (mut ns, mut number) = (0, 0);
    for row in GpuRows::of(&events)?.all() {
        ns += compat.counted(durations.get(row as usize).unwrap_or(0)).max(0);
        number += 1;
    }
    Ok((ns, number))
}
