//! Unification of the column types of all ranks.

use super::categories::{Categories, categorical};
use crate::Result;
use polars::prelude::{Column, DataFrame, DataType, IntoColumn, UInt32Chunked};

/// Casts columns of arguments whose types differ between ranks to one type: integers to `i64`, other numbers to `f64`,
/// and both to categories of their text if another rank has texts.
///
/// # Errors
/// If polars refuses, which no input should cause.
pub(crate) fn unify(frames: &mut [&mut DataFrame]) -> Result<()> {
    let mut types: Vec<(String, DataType, bool)> = Vec::new();
    for column in frames.iter().flat_map(|frame| frame.columns()) {
        match types.iter_mut().find(|(name, ..)| name == column.name().as_str()) {
            None => types.push((column.name().to_string(), column.dtype().clone(), false)),
            Some((_, dtype, mixed)) if dtype != column.dtype() => {
                *mixed = true;
                if !dtype.is_categorical() {
                    *dtype = match column.dtype() {
                        other if other.is_categorical() => other.clone(),
                        other if other.is_integer() && dtype.is_integer() => DataType::Int64,
                        _ => DataType::Float64,
                    };
                }
            }
            Some(_) => {}
        }
    }
    for (name, dtype, _) in types.iter().filter(|(.., mixed)| *mixed) {
        for frame in frames.iter_mut() {
            let Ok(column) = frame.column(name) else { continue };
            if column.dtype() != dtype {
                let column = if dtype.is_categorical() { texts(column)? } else { column.cast(dtype)? };
                frame.with_column(column)?;
            }
        }
    }
    Ok(())
}

/// Casts numbers to categories of their text.
fn texts(column: &Column) -> Result<Column> {
    let texts = column.as_materialized_series().cast(&DataType::String)?;
    let categories = Categories::shared();
    let mut codes = Vec::with_capacity(texts.len());
    for text in texts.str()?.iter() {
        codes.push(match text {
            Some(text) => categories.codes(std::iter::once(text))?.pop(),
            None => None,
        });
    }
    let codes: UInt32Chunked = codes.into_iter().collect();
    Ok(categorical(codes.with_name(column.name().clone()), &categories).into_column())
}
