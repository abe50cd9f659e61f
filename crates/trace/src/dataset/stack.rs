//! The events of several ranks as one frame.

use crate::Trace;
use crate::frame::columns::{EVENT_COLUMNS, RANK};
use polars::prelude::{Column, DataFrame, DataType, PlSmallStr, Scalar};

/// Returns the union of the columns of all ranks, in the order of [`EVENT_COLUMNS`].
pub(crate) fn union_of_columns(traces: &[Trace]) -> Vec<(PlSmallStr, DataType)> {
    let mut columns: Vec<(PlSmallStr, DataType)> = Vec::new();
    for column in traces.iter().flat_map(|trace| trace.events.columns()) {
        if !columns.iter().any(|(name, _)| name == column.name()) {
            columns.push((column.name().clone(), column.dtype().clone()));
        }
    }
    let position = |name: &str| EVENT_COLUMNS.iter().position(|known| known.name == name).unwrap_or(usize::MAX);
    columns.sort_by_key(|(name, _)| position(name));
    columns
}

/// Stacks the events of several ranks, with a leading column `rank`; a column that a rank lacks is null there.
pub(crate) fn stacked(traces: &[Trace]) -> DataFrame {
    let columns = union_of_columns(traces);
    let frames = traces.iter().filter_map(|trace| {
        let rows = trace.events.height();
        let rank = Column::new_scalar(RANK.into(), Scalar::from(trace.rank()), rows);
        let rest = columns.iter().map(|(name, dtype)| {
            trace.events.column(name).cloned().unwrap_or_else(|_| Column::full_null(name.clone(), rows, dtype))
        });
        DataFrame::new(rows, std::iter::once(rank).chain(rest).collect()).ok()
    });
    frames
        .reduce(|mut all, frame| {
            all.vstack_mut_owned_unchecked(frame);
            all
        })
        .unwrap_or_default()
}
