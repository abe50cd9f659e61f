//! Times of events from the start of a recording.

use super::columns::{END, TS};
use crate::Result;
use polars::prelude::{ChunkApply, DataFrame, IntoColumn, IntoSeries};

/// Counts `ts` and `end` of events from `origin`, in ns on the clock of the trace.
///
/// # Errors
/// If the frame lacks one of them.
pub fn count_from(events: &mut DataFrame, origin: i64) -> Result<()> {
    for name in [TS, END] {
        let shifted = events.column(name)?.i64()?.apply_values(|moment| moment.saturating_sub(origin));
        events.with_column(shifted.into_series().into_column())?;
    }
    Ok(())
}
