//! Frames of Python, and launches of graphs, in the recording of a rank.

use crate::domain::{EventKind, is_graph_launch};
use crate::frame::columns::{CAT, NAME, TS};
use crate::frame::{IntColumn, once_per_text};
use crate::{Result, Trace};
use polars::prelude::Categorical32Type;

/// Tells whether a rank has frames of Python or of modules with a time. Maps two columns.
pub fn has_stacks(trace: &Trace) -> Result<bool> {
    if let Some(elsewhere) = trace.elsewhere() {
        return Ok(elsewhere.has_stacks);
    }
    let events = trace.frame_of(&[CAT.into(), TS.into()])?;
    let starts = IntColumn::of(&events, TS)?;
    let cats = events.column(CAT)?.as_materialized_series().cat::<Categorical32Type>()?;
    let mut is_python = once_per_text(cats.get_mapping(), |cat| EventKind::of_category(cat) == EventKind::Python);
    let mut rows = cats.physical().iter().enumerate();
    Ok(rows.any(|(row, cat)| cat.is_some_and(&mut is_python) && starts.get(row).is_some()))
}

/// Tells whether a rank launches graphs. Maps one column.
pub fn has_graphs(trace: &Trace) -> Result<bool> {
    if let Some(elsewhere) = trace.elsewhere() {
        return Ok(elsewhere.has_graphs);
    }
    let events = trace.frame_of(&[NAME.into()])?;
    let names = events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?;
    let mut is_graph = once_per_text(names.get_mapping(), is_graph_launch);
    Ok(names.physical().iter().flatten().any(&mut is_graph))
}
