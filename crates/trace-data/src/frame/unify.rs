//! Unification of the column types of all ranks: agreed from names and types alone, applied to one frame at a time.

use super::categories::{Categories, categorical};
use crate::Result;
use polars::prelude::{Column, DataFrame, DataType, IntoColumn, PlSmallStr, UInt32Chunked};
use std::collections::HashMap;

/// A column and its type.
pub type NamedType = (PlSmallStr, DataType);

/// Returns the columns whose types differ between ranks, each with the common type: `i64` for integers, `f64` for other
/// numbers, and categories if any rank has texts.
pub fn common_types<'c>(ranks: impl IntoIterator<Item = &'c [NamedType]>) -> Vec<NamedType> {
    let mut types: Vec<(NamedType, bool)> = Vec::new();
    let mut indices: HashMap<PlSmallStr, usize> = HashMap::new();
    for (name, found) in ranks.into_iter().flatten() {
        let Some((known, mixed)) = indices.get(name).and_then(|&index| types.get_mut(index)) else {
            indices.insert(name.clone(), types.len());
            types.push(((name.clone(), found.clone()), false));
            continue;
        };
        let dtype = &mut known.1;
        if dtype != found {
            *mixed = true;
            if !dtype.is_categorical() {
                *dtype = match found {
                    found if found.is_categorical() => found.clone(),
                    found if found.is_integer() && dtype.is_integer() => DataType::Int64,
                    _ => DataType::Float64,
                };
            }
        }
    }
    types.into_iter().filter(|(_, mixed)| *mixed).map(|(column, _)| column).collect()
}

/// Casts the columns of a frame that have another type than `types` says. Numbers become categories of their text.
///
/// # Errors
/// If polars refuses, which no input should cause.
pub fn cast(frame: &mut DataFrame, types: &[NamedType]) -> Result<()> {
    for (name, dtype) in types {
        let Ok(column) = frame.column(name) else { continue };
        if column.dtype() != dtype {
            let column = if dtype.is_categorical() { texts(column)? } else { column.cast(dtype)? };
            frame.with_column(column)?;
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
