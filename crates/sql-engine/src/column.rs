//! Columns of rows in memory, as the caller has them.

use crate::value::Value;
use std::sync::Arc;

/// A column of a part of a table. It is read where it is; nothing is copied.
pub trait Column: Send + Sync {
    /// Returns the value of a row. Rows outside of the column have none.
    fn value(&self, row: usize) -> Value<'_>;

    /// Returns the texts by code, if the column has codes in place of texts. Equal texts have equal codes.
    fn dictionary(&self) -> Option<&Arc<dyn Dictionary>> {
        None
    }

    /// Returns the code of a row; none for a row without a value, and of a column without a dictionary.
    fn code(&self, row: usize) -> Option<u32> {
        let _ = row;
        None
    }
}

/// Texts by their codes. Each text has one code.
pub trait Dictionary: Send + Sync {
    /// Returns the text of a code; an empty one for a code that was never given.
    fn text(&self, code: u32) -> &str;

    /// Returns the code of a text.
    fn code(&self, text: &str) -> Option<u32>;

    /// Returns a number above all codes.
    fn size(&self) -> usize;

    /// Returns a number that only dictionaries with the same codes share, while one of them lives.
    fn identity(&self) -> usize;
}

/// Some rows of a column, in an order of their own.
pub struct Taken {
    column: Arc<dyn Column>,
    rows: Arc<[u32]>,
}

impl Taken {
    /// Takes these rows of a column.
    pub fn of(column: Arc<dyn Column>, rows: Arc<[u32]>) -> Self {
        Self { column, rows }
    }

    fn row(&self, row: usize) -> usize {
        self.rows.get(row).map_or(usize::MAX, |&row| row as usize)
    }
}

impl Column for Taken {
    fn value(&self, row: usize) -> Value<'_> {
        self.column.value(self.row(row))
    }

    fn dictionary(&self) -> Option<&Arc<dyn Dictionary>> {
        self.column.dictionary()
    }

    fn code(&self, row: usize) -> Option<u32> {
        self.column.code(self.row(row))
    }
}

impl Column for Vec<i64> {
    fn value(&self, row: usize) -> Value<'_> {
        self.get(row).map_or(Value::Null, |&value| Value::Int(value))
    }
}

impl Column for Vec<Option<i64>> {
    fn value(&self, row: usize) -> Value<'_> {
        self.get(row).copied().flatten().map_or(Value::Null, Value::Int)
    }
}

impl Column for Vec<Option<f64>> {
    fn value(&self, row: usize) -> Value<'_> {
        self.get(row).copied().flatten().map_or(Value::Null, Value::Real)
    }
}

impl Column for Vec<Option<String>> {
    fn value(&self, row: usize) -> Value<'_> {
        self.get(row).and_then(Option::as_deref).map_or(Value::Null, Value::Text)
    }
}
