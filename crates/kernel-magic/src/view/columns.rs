//! Lookup of columns of a frame.

use crate::Error;
use crate::argument::{Call, any_of, did_you_mean};
use trace_core::columns::{NAME, SHORT_NAME};
use trace_core::polars::prelude::{DataFrame, DataType};

/// Units at the end of names of columns, which tables leave out: `cpu_total (us)` is shown as `cpu_total [ms]`.
const UNITS: [&str; 4] = [" (us)", " (µs)", "_us", "_ns"];

/// Checks that the frame has the column `name`, as it is called or as tables show it; returns how it is called.
///
/// # Errors
/// If it has not; the message lists its columns.
pub(super) fn column(call: &Call<'_>, df: &DataFrame, name: &str) -> Result<String, Error> {
    // Tables write the unit behind a name: `dur [µs]`.
    let without_unit = name.split_once(" [").filter(|(_, unit)| unit.ends_with(']')).map(|(name, _)| name);
    for name in [Some(name), without_unit].into_iter().flatten() {
        if df.column(name).is_ok() {
            return Ok(name.to_owned());
        }
    }
    let shown = without_unit.unwrap_or(name);
    let has_unit = |column: &str| column.strip_prefix(shown).is_some_and(|unit| UNITS.contains(&unit));
    if let Some(column) = df.get_column_names().into_iter().find(|column| has_unit(column)) {
        return Ok(column.to_string());
    }
    let columns: Vec<&str> = df.get_column_names().into_iter().map(|name| name.as_str()).collect();
    let hint = did_you_mean(name, columns.iter().copied());
    Err(call.unknown("column", name, any_of(&columns)).hint(hint).into())
}

/// Returns a column of numbers as f64; `None` for text and other kinds.
pub(super) fn numbers(df: &DataFrame, name: &str) -> Option<Vec<Option<f64>>> {
    let column = df.column(name).ok()?;
    if !column.dtype().is_primitive_numeric() {
        return None;
    }
    let column = column.cast(&DataType::Float64).ok()?;
    Some(column.f64().ok()?.iter().collect())
}

/// Returns the column of names: `name`, `short_name`, or the first column of text.
pub(super) fn name_column(df: &DataFrame) -> Option<String> {
    let known = [NAME, SHORT_NAME].into_iter().find(|name| df.column(name).is_ok()).map(str::to_owned);
    known.or_else(|| {
        let text = df.columns().iter().find(|column| column.dtype().is_string() || column.dtype().is_categorical());
        text.map(|column| column.name().to_string())
    })
}
