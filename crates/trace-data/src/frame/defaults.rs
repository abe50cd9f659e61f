//! HTA's defaults where an event lacks an argument.

use super::args::{free, is_own};
use super::columns::{CORRELATION, LAUNCH_CONFIGURATION, STREAM};
use crate::Result;
use crate::config::{
    ALWAYS_READ, AttributeSpec, AvailableArg, DefaultValue, ParserConfig, ValueType, by_raw_name, known_args,
};
use polars::prelude::{
    Column, DataFrame, DataType, Float64Chunked, Int64Chunked, IntoColumn, NewChunkedArray, PlSmallStr, Scalar,
    StringChunked,
};

/// Frames as HTA fills them, by the config of their traces.
pub trait FillDefaults {
    /// Fills events as HTA's frames are filled: −1, 0, `[]` or an empty text where an event lacks an argument, and a
    /// column for every requested argument, even if none occurs. `stream` and `correlation` are −1 where there is none.
    ///
    /// # Columns
    /// Those of `events` without what is read unrequested (`seq_num`, `process_group_name`, …), then those it lacks. Texts and lists become columns of strings. Where the column is of numbers
    /// and HTA's default is a text (`blocks_per_sm`), absence stays null.
    ///
    /// # Errors
    /// If the selector names a column that is not requested.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let events = TraceSet::load("../../notebooks/data/control")?.rank(3)?.events();
    /// let filled = ParserConfig::get_default_cfg().fill_defaults(&events)?;
    /// assert_eq!(filled.column("stream")?.null_count(), 0);
    /// # Ok(())
    /// # }
    /// ```
    fn fill_defaults(&self, events: &DataFrame) -> Result<DataFrame>;
}

impl FillDefaults for ParserConfig {
    fn fill_defaults(&self, events: &DataFrame) -> Result<DataFrame> {
        let mut filled = events.drop_many([LAUNCH_CONFIGURATION]);
        let specs = if self.parse_all_args() { of_all(&filled) } else { self.get_args()? };
        for column in ALWAYS_READ.into_iter().filter_map(by_raw_name).map(|arg| arg.column.name) {
            if !specs.iter().any(|spec| spec.name == column) {
                filled = filled.drop_many([column]);
            }
        }
        let minimum = Self::ARGS_MINIMUM.into_iter().filter(|spec| !specs.iter().any(|known| known.name == spec.name));
        for spec in specs.iter().cloned().chain(minimum) {
            let ours = matches!(spec.name.as_str(), STREAM | CORRELATION);
            let name = if ours { spec.name.clone() } else { free(&spec.name) };
            let column = match events.column(&name) {
                Ok(column) => fill(column, &spec.default_value)?,
                Err(_) => full(&name, events.height(), &spec.default_value),
            };
            filled.with_column(column)?;
        }
        Ok(filled)
    }
}

/// Returns the specs of a frame's columns of arguments.
fn of_all(events: &DataFrame) -> Vec<AttributeSpec> {
    let columns = events.columns().iter().filter(|column| !is_own(column.name()));
    let spec = |column: &Column| {
        let name = column.name().as_str();
        let known = known_args().find(|arg| arg.column.name == name).map(AvailableArg::spec);
        known.unwrap_or_else(|| AttributeSpec::new(name, name, type_of(column)))
    };
    columns.map(spec).collect()
}

/// Returns the type that HTA infers from the first value.
fn type_of(column: &Column) -> ValueType {
    match column.dtype() {
        DataType::Int32 | DataType::Int64 => ValueType::Int,
        DataType::Float64 => ValueType::Float,
        _ => {
            let first = (0..column.len()).filter_map(|row| column.get(row).ok()).find(|value| !value.is_null());
            let first = first.as_ref().and_then(|value| value.get_str()).unwrap_or_default();
            if first.starts_with(['[', '{']) { ValueType::Object } else { ValueType::String }
        }
    }
}

fn fill(column: &Column, default: &DefaultValue) -> Result<Column> {
    let name = column.name().clone();
    if matches!(default, DefaultValue::None) {
        return Ok(column.clone());
    }
    Ok(match (column.dtype(), default) {
        (DataType::Int32 | DataType::Int64, DefaultValue::Int(default)) => {
            let column = column.cast(&DataType::Int64)?;
            let values = column.i64()?.iter().map(|value| value.unwrap_or(*default));
            Int64Chunked::from_iter_values(name, values).into_column()
        }
        (DataType::Float64, DefaultValue::Int(_) | DefaultValue::Float(_)) => {
            let default = match default {
                DefaultValue::Float(default) => *default,
                DefaultValue::Int(default) => *default as f64,
                _ => f64::NAN,
            };
            let values = column.f64()?.iter().map(|value| value.unwrap_or(default));
            Float64Chunked::from_iter_values(name, values).into_column()
        }
        (dtype, _) if dtype.is_categorical() => {
            let default = text_of(default);
            let texts = column.as_materialized_series().cast(&DataType::String)?;
            let values = texts.str()?.iter().map(|value| value.unwrap_or(&default));
            StringChunked::from_iter_values(name, values).into_column()
        }
        _ => column.clone(),
    })
}

fn full(name: &str, rows: usize, default: &DefaultValue) -> Column {
    let name = PlSmallStr::from_str(name);
    let all = |scalar: Scalar| Column::new_scalar(name.clone(), scalar, rows);
    match default {
        DefaultValue::Int(value) => all(Scalar::from(*value)),
        DefaultValue::Float(value) => all(Scalar::from(*value)),
        DefaultValue::None => Column::full_null(name, rows, &DataType::String),
        other => all(Scalar::from(PlSmallStr::from_string(text_of(other)))),
    }
}

fn text_of(default: &DefaultValue) -> String {
    match default {
        DefaultValue::Text(text) => text.clone(),
        other => other.to_string(),
    }
}
