//! Rows of a statement as a frame.

use crate::exec::memory::{Budget, Task};
use crate::{Error, Result};
use polars::prelude::{
    Column, DataFrame, DataType, Float64Chunked, Int64Chunked, IntoColumn, IntoSeries, NewChunkedArray, PlSmallStr,
    StringChunkedBuilder,
};
use sql_engine::{Failure, Kind, Receiver, ResultColumn, Value};

/// Rows between two looks at the memory budget.
const ROWS: usize = 4096;

/// The rows of an answer while they come.
pub(super) struct Answer {
    columns: Vec<ResultColumn>,
    values: Vec<Values>,
    rows: usize,
    budget: Budget,
}

/// The values of a column: all are of the type of the first one, until one of another type comes.
enum Values {
    /// So many rows, none of which has a value.
    Nothing(usize),
    Ints(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Texts(Box<StringChunkedBuilder>),
}

impl Answer {
    pub(super) fn within(budget: Budget) -> Self {
        Self { columns: Vec::new(), values: Vec::new(), rows: 0, budget }
    }

    /// Returns the rows as a frame, and the columns that are times in ns.
    ///
    /// # Errors
    /// If polars refuses.
    pub(super) fn finish(self) -> Result<(DataFrame, Vec<String>)> {
        let times = self.columns.iter().filter(|column| column.unit.as_deref() == Some(super::view_table::NANOS));
        let times = times.map(|column| column.name.clone()).collect();
        let columns = self.columns.into_iter().zip(self.values).map(|(column, values)| {
            let name = PlSmallStr::from_string(column.name);
            match values {
                Values::Nothing(rows) => {
                    let dtype = match column.kind {
                        Some(Kind::Real) => DataType::Float64,
                        Some(Kind::Text) => DataType::String,
                        // Without a value, an expression has no type in SQLite.
                        Some(Kind::Int) | None => DataType::Int64,
                    };
                    Column::full_null(name, rows, &dtype)
                }
                Values::Ints(values) => Int64Chunked::from_iter_options(name, values.into_iter()).into_column(),
                Values::Reals(values) => Float64Chunked::from_iter_options(name, values.into_iter()).into_column(),
                Values::Texts(texts) => texts.finish().with_name(name).into_series().into_column(),
            }
        });
        Ok((DataFrame::new(self.rows, columns.collect())?, times))
    }
}

impl Receiver for Answer {
    fn columns(&mut self, columns: Vec<ResultColumn>) {
        self.values = columns.iter().map(|_| Values::Nothing(0)).collect();
        self.columns = columns;
    }

    fn value(&mut self, column: usize, value: Value<'_>) {
        if let Some(values) = self.values.get_mut(column) {
            values.push(value);
        }
    }

    fn end_row(&mut self) -> std::result::Result<(), Failure> {
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS) {
            // A vector that grows needs as much again.
            let grown = if self.rows.is_power_of_two() { self.rows * 16 * self.values.len() } else { 0 };
            self.budget.check(Task::Sql, grown).map_err(Box::<Error>::new)?;
        }
        Ok(())
    }
}

impl Values {
    fn push(&mut self, value: Value<'_>) {
        match (&mut *self, value) {
            (Self::Nothing(rows), Value::Null) => *rows += 1,
            (Self::Nothing(rows), _) => {
                let rows = *rows;
                *self = match value {
                    Value::Int(_) => Self::Ints(vec![None; rows]),
                    Value::Real(_) => Self::Reals(vec![None; rows]),
                    _ => Self::Texts(texts(std::iter::repeat_n(None, rows))),
                };
                self.push(value);
            }
            (Self::Ints(values), Value::Null) => values.push(None),
            (Self::Ints(values), Value::Int(value)) => values.push(Some(value)),
            (Self::Ints(values), Value::Real(value)) => {
                let reals = values.iter().map(|value| value.map(|value| value as f64));
                *self = Self::Reals(reals.chain([Some(value)]).collect());
            }
            (Self::Reals(values), Value::Null) => values.push(None),
            (Self::Reals(values), Value::Int(value)) => values.push(Some(value as f64)),
            (Self::Reals(values), Value::Real(value)) => values.push(Some(value)),
            (Self::Ints(values), Value::Text(_)) => {
                *self = Self::Texts(texts(values.iter().map(|value| value.map(|value| value.to_string()))));
                self.push(value);
            }
            (Self::Reals(values), Value::Text(_)) => {
                *self = Self::Texts(texts(values.iter().map(|value| value.map(|value| format!("{value:?}")))));
                self.push(value);
            }
            (Self::Texts(texts), Value::Null) => texts.append_null(),
            (Self::Texts(texts), Value::Text(text)) => texts.append_value(text),
            (Self::Texts(texts), Value::Int(value)) => texts.append_value(value.to_string()),
            (Self::Texts(texts), Value::Real(value)) => texts.append_value(format!("{value:?}")),
        }
    }
}

fn texts(values: impl Iterator<Item = Option<String>>) -> Box<StringChunkedBuilder> {
    let mut texts = StringChunkedBuilder::new(PlSmallStr::EMPTY, 0);
    values.for_each(|value| texts.append_option(value.as_deref()));
    Box::new(texts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use polars::df;

    #[test]
    fn columns_have_the_type_of_their_values() {
        let mut answer = Answer::within(Budget::now().unwrap());
        let column = |name: &str, kind| ResultColumn { name: name.to_owned(), kind, unit: Some("ns".to_owned()) };
        answer.columns(vec![
            column("int", None),
            column("real", None),
            column("mixed", None),
            column("text", None),
            column("none", Some(Kind::Real)),
        ]);
        let rows = [
            [Value::Null, Value::Int(1), Value::Int(1), Value::Null, Value::Null],
            [Value::Int(2), Value::Real(2.5), Value::Text("é"), Value::Text("a"), Value::Null],
            [Value::Int(3), Value::Null, Value::Real(2.0), Value::Int(7), Value::Null],
        ];
        for row in rows {
            row.into_iter().enumerate().for_each(|(at, value)| answer.value(at, value));
            answer.end_row().unwrap();
        }
        let (found, times) = answer.finish().unwrap();
        let expected = df!(
            "int" => [None, Some(2_i64), Some(3)],
            "real" => [Some(1.0), Some(2.5), None],
            "mixed" => ["1", "é", "2.0"],
            "text" => [None, Some("a"), Some("7")],
            "none" => [None::<f64>, None, None],
        );
        assert!(found.equals_missing(&expected.unwrap()), "{found}");
        assert_eq!(times.len(), 5);
    }
}
