//! Columns of events ↔ columns of Parquet: categories are strings there.

use super::manifest::{ColumnEntry, Logical};
use crate::frame::{Categories, categorical};
use hashbrown::HashMap;
use polars::prelude::{
    Categorical32Type, ChunkTake, Column, DataFrame, DataType, IdxCa, IdxSize, IntoColumn, NewChunkedArray, PlSmallStr,
    PolarsError, PolarsResult, Schema, StringChunked, UInt32Chunked,
};
use polars_arrow::array::Array;

type Lookup<K> = HashMap<K, u32, foldhash::fast::FixedState>;

/// Returns the columns of a frame of events with their logical types.
///
/// # Errors
/// Name and type of a column whose type no events have.
pub(crate) fn entries(columns: &[(PlSmallStr, DataType)]) -> Result<Vec<ColumnEntry>, (String, String)> {
    let entry = |(name, dtype): &(PlSmallStr, DataType)| {
        let logical = Logical::of(dtype).ok_or_else(|| (name.to_string(), dtype.to_string()))?;
        Ok(ColumnEntry { name: name.to_string(), logical })
    };
    columns.iter().map(entry).collect()
}

/// Returns the schema in Parquet.
pub(crate) fn schema(columns: &[ColumnEntry]) -> Schema {
    columns.iter().map(|column| (PlSmallStr::from_str(&column.name), column.logical.stored())).collect()
}

/// Returns rows of events as Parquet has them, in one chunk.
///
/// # Errors
/// If polars refuses, which no input should cause.
pub(crate) fn to_parquet(events: &DataFrame, first: usize, rows: usize) -> PolarsResult<DataFrame> {
    let columns = events.columns().iter().map(|column| {
        let column = column.slice(i64::try_from(first).unwrap_or(i64::MAX), rows);
        if column.dtype().is_categorical() { texts(&column) } else { Ok(column.rechunk()) }
    });
    DataFrame::new(rows, columns.collect::<PolarsResult<_>>()?)
}

/// Returns the texts of categories: each text is looked up once, its rows refer to it.
fn texts(column: &Column) -> PolarsResult<Column> {
    let series = column.as_materialized_series();
    let categories = series.cat::<Categorical32Type>()?;
    let mapping = categories.get_mapping();
    let (mut distinct, mut positions) = (Vec::new(), Lookup::<u32>::default());
    let mut last: Option<(u32, u32)> = None;
    let rows = categories.physical().iter().map(|code| {
        let code = code?;
        if let Some((_, position)) = last.filter(|(last, _)| *last == code) {
            return Some(position);
        }
        let next = distinct.len() as u32;
        let position = *positions.entry(code).or_insert_with(|| {
            distinct.push(mapping.cat_to_str(code));
            next
        });
        last = Some((code, position));
        Some(position)
    });
    let rows: Vec<Option<IdxSize>> = rows.collect();
    let rows = IdxCa::from_slice_options(PlSmallStr::EMPTY, &rows);
    let texts: StringChunked = StringChunked::from_slice_options(column.name().clone(), &distinct);
    Ok(texts.take(&rows)?.into_column())
}

/// Returns rows as events have them, with `columns` in their order.
///
/// # Errors
/// If polars refuses, or there are too many texts for the table.
pub(crate) fn to_events(frame: &DataFrame, columns: &[ColumnEntry]) -> PolarsResult<DataFrame> {
    let categories = Categories::shared();
    let convert = |entry: &ColumnEntry| {
        let column = frame.column(&entry.name)?;
        if entry.logical == Logical::Text { codes(column, &categories) } else { Ok(column.clone()) }
    };
    DataFrame::new(frame.height(), columns.iter().map(convert).collect::<PolarsResult<_>>()?)
}

/// Returns a table without rows.
///
/// # Errors
/// As [`to_events`].
pub(crate) fn without_rows(columns: &[ColumnEntry]) -> PolarsResult<DataFrame> {
    to_events(&DataFrame::empty_with_schema(&schema(columns)), columns)
}

/// Returns texts as categories. Rows that refer to the same bytes cost no comparison of texts.
fn codes(column: &Column, categories: &Categories) -> PolarsResult<Column> {
    let texts = column.as_materialized_series().str()?;
    let mut codes: Vec<Option<u32>> = Vec::with_capacity(texts.len());
    for chunk in texts.downcast_iter() {
        let mut known = Lookup::<u128>::default();
        let mut last: Option<(u128, u32)> = None;
        for (row, view) in chunk.views().iter().enumerate() {
            // Equal references within a chunk are equal texts.
            let view = view.as_u128();
            let code = match last {
                _ if !chunk.is_valid(row) => None,
                Some((seen, code)) if seen == view => Some(code),
                _ => {
                    let code = match known.get(&view) {
                        Some(code) => *code,
                        None => {
                            let code = categories.codes(std::iter::once(chunk.value(row)))?.pop();
                            let code = code.ok_or_else(|| PolarsError::NoData("a text without a code".into()))?;
                            known.insert(view, code);
                            code
                        }
                    };
                    last = Some((view, code));
                    Some(code)
                }
            };
            codes.push(code);
        }
    }
    let codes = UInt32Chunked::from_slice_options(column.name().clone(), &codes);
    Ok(categorical(codes, categories).into_column())
}
