//! The events of several ranks as one frame.

use crate::frame::NamedType;
use crate::frame::columns::{EVENT_COLUMNS, RANK};
use crate::{Result, Trace};
use polars::prelude::{Column, DataFrame, DataType, PlSmallStr, Scalar, Schema};
use std::collections::HashSet;

/// Returns the union of the columns of all ranks, in the order of [`EVENT_COLUMNS`].
pub fn union_of_columns(traces: &[Trace]) -> Vec<NamedType> {
    let mut columns: Vec<NamedType> = Vec::new();
    let mut known: HashSet<PlSmallStr> = HashSet::new();
    for column in traces.iter().flat_map(Trace::columns) {
        if known.insert(column.0.clone()) {
            columns.push(column);
        }
    }
    let position = |name: &str| EVENT_COLUMNS.iter().position(|known| known.name == name).unwrap_or(usize::MAX);
    columns.sort_by_key(|(name, _)| position(name));
    columns
}

/// Returns the schema of the stacked events of several ranks: `rank`, and the columns of all of them.
pub(super) fn stacked_schema(traces: &[Trace]) -> Schema {
    std::iter::once((RANK.into(), DataType::Int64)).chain(union_of_columns(traces)).collect()
}

/// Returns the columns `names` of one rank's events, in that order; `rank` is its number, and a column that it lacks is null.
///
/// # Errors
/// If its events cannot be read.
pub(super) fn with_rank(trace: &Trace, names: &[PlSmallStr], schema: &Schema) -> Result<DataFrame> {
    let events = trace.frame_of(names)?;
    let rows = events.height();
    let columns = names.iter().map(|name| {
        if name == RANK {
            return Column::new_scalar(RANK.into(), Scalar::from(trace.rank()), rows);
        }
        let null = || Column::full_null(name.clone(), rows, schema.get(name).unwrap_or(&DataType::Null));
        events.column(name).cloned().unwrap_or_else(|_| null())
    });
    Ok(DataFrame::new(rows, columns.collect())?)
}

/// Stacks a table of each rank, with a leading column `rank`.
///
/// # Errors
/// Those of `table`.
pub fn stacked_tables(traces: &[Trace], table: impl Fn(&Trace) -> Result<DataFrame>) -> Result<DataFrame> {
    let mut all: Option<DataFrame> = None;
    for trace in traces {
        let mut frame = table(trace)?;
        let rank = Column::new_scalar(RANK.into(), Scalar::from(trace.rank()), frame.height());
        frame.insert_column(0, rank)?;
        match &mut all {
            Some(all) => {
                all.vstack_mut(&frame)?;
            }
            None => all = Some(frame),
        }
    }
    Ok(all.unwrap_or_default())
}

/// Stacks the events of several ranks, with a leading column `rank`; a column that a rank lacks is null there.
///
/// # Errors
/// If the events of a rank cannot be read.
pub fn stacked(traces: &[Trace]) -> Result<DataFrame> {
    let schema = stacked_schema(traces);
    let names: Vec<PlSmallStr> = schema.iter_names().cloned().collect();
    let mut all: Option<DataFrame> = None;
    for trace in traces {
        let frame = with_rank(trace, &names, &schema)?;
        match &mut all {
            Some(all) => {
                all.vstack_mut_owned_unchecked(frame);
            }
            None => all = Some(frame),
        }
    }
    Ok(all.unwrap_or_default())
}
