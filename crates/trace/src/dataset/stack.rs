//! The events of several ranks as one frame.

use crate::frame::columns::{EVENT_COLUMNS, RANK};
use crate::{Result, Trace};
use polars::prelude::{Column, DataFrame, DataType, PlSmallStr, Scalar};

/// Returns the union of the columns of all ranks, in the order of [`EVENT_COLUMNS`].
pub(crate) fn union_of_columns(traces: &[Trace]) -> Vec<(PlSmallStr, DataType)> {
    let mut columns: Vec<(PlSmallStr, DataType)> = Vec::new();
    for column in traces.iter().flat_map(Trace::columns) {
        if !columns.iter().any(|(name, _)| *name == column.0) {
            columns.push(column);
        }
    }
    let position = |name: &str| EVENT_COLUMNS.iter().position(|known| known.name == name).unwrap_or(usize::MAX);
    columns.sort_by_key(|(name, _)| position(name));
    columns
}

/// Stacks the events of several ranks, with a leading column `rank`; a column that a rank lacks is null there.
///
/// # Errors
/// If the events of a rank cannot be read.
pub(crate) fn stacked(traces: &[Trace]) -> Result<DataFrame> {
    let columns = union_of_columns(traces);
    let frames = traces.iter().map(|trace| -> Result<DataFrame> {
        let events = trace.frame()?;
        let rows = events.height();
        let rank = Column::new_scalar(RANK.into(), Scalar::from(trace.rank()), rows);
        let rest = columns.iter().map(|(name, dtype)| {
            events.column(name).cloned().unwrap_or_else(|_| Column::full_null(name.clone(), rows, dtype))
        });
        Ok(DataFrame::new(rows, std::iter::once(rank).chain(rest).collect())?)
    });
    let mut all: Option<DataFrame> = None;
    for frame in frames {
        let frame = frame?;
        match &mut all {
            Some(all) => {
                all.vstack_mut_owned_unchecked(frame);
            }
            None => all = Some(frame),
        }
    }
    Ok(all.unwrap_or_default())
}
