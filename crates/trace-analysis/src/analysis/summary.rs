//! The answer of analyses that summarize values by rank and key.

use super::summary_table::{Row, frame};
use super::{Answer, AnswerTable, TableSchema};
use crate::Result;
use polars::prelude::Series;
use trace_view::Figure;

/// Creates an answer with a row per rank and key, and the figure if there is any row.
///
/// # Errors
/// If polars refuses.
pub(super) fn summary<K: Copy>(
    schema: &TableSchema,
    rows: &[Row<K>],
    figure: Figure,
    notes: impl IntoIterator<Item = String>,
) -> Result<Answer>
where
    Series: FromIterator<K>,
{
    let table = AnswerTable::new(schema, frame(schema.columns, rows)?);
    Ok(Answer::of(table, (!rows.is_empty()).then_some(figure), notes))
}
