//! One condition on one column, as data and as an expression. A missing value satisfies none but `is null`.

use crate::error::FilterReason;
use crate::frame::once_per_text;
use crate::{Error, Result};
use polars::prelude::{
    BooleanChunked, Categorical32Type, Column, DataType, Expr, Field, IntoColumn, PolarsError, PolarsResult, col,
};
use regex::Regex;
use std::cmp::Ordering;

/// The operand of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Int(i64),
    Float(f64),
    Text(String),
}

/// The operator of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Compare {
    fn takes(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// An item of a list: a value, or a range of whole numbers including both ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    One(Value),
    Range(i64, i64),
}

/// A condition on the values of a column.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    Compare(Compare, Value),
    In(Vec<Item>),
    Matches(Regex),
    Absent,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Compare(a, b), Self::Compare(c, d)) => (a, b) == (c, d),
            (Self::In(a), Self::In(b)) => a == b,
            (Self::Matches(a), Self::Matches(b)) => a.as_str() == b.as_str(),
            (Self::Absent, Self::Absent) => true,
            _ => false,
        }
    }
}

impl Condition {
    /// Evaluates the condition on each value of a column.
    pub(super) fn mask(&self, column: &Column) -> PolarsResult<BooleanChunked> {
        match (self, column.dtype()) {
            (Self::Absent, _) => Ok(column.is_null()),
            (_, dtype) if dtype.is_integer() => ints(column, |value| self.takes_int(value)),
            (_, dtype) if dtype.is_float() => {
                let values = column.cast(&DataType::Float64)?;
                Ok(values.f64()?.iter().map(|value| value.is_some_and(|value| self.takes_float(value))).collect())
            }
            (_, DataType::Null) => Ok((0..column.len()).map(|_| false).collect()),
            _ => texts(column, |text| self.takes_text(text)),
        }
    }

    fn takes_int(&self, value: i64) -> bool {
        let order = |wanted: &Value| match wanted {
            Value::Int(wanted) => Some(value.cmp(wanted)),
            Value::Float(wanted) => (value as f64).partial_cmp(wanted),
            Value::Text(_) => None,
        };
        match self {
            Self::Compare(compare, wanted) => order(wanted).is_some_and(|order| compare.takes(order)),
            Self::In(items) => items.iter().any(|item| match item {
                Item::One(wanted) => order(wanted).is_some_and(Ordering::is_eq),
                Item::Range(first, last) => (*first..=*last).contains(&value),
            }),
            Self::Matches(_) | Self::Absent => false,
        }
    }

    fn takes_float(&self, value: f64) -> bool {
        let order = |wanted: &Value| match wanted {
            Value::Int(wanted) => value.partial_cmp(&(*wanted as f64)),
            Value::Float(wanted) => value.partial_cmp(wanted),
            Value::Text(_) => None,
        };
        match self {
            Self::Compare(compare, wanted) => order(wanted).is_some_and(|order| compare.takes(order)),
            Self::In(items) => items.iter().any(|item| match item {
                Item::One(wanted) => order(wanted).is_some_and(Ordering::is_eq),
                Item::Range(first, last) => (*first as f64..=*last as f64).contains(&value),
            }),
            Self::Matches(_) | Self::Absent => false,
        }
    }

    fn takes_text(&self, text: &str) -> bool {
        let same = |wanted: &Value| matches!(wanted, Value::Text(wanted) if wanted == text);
        match self {
            Self::Compare(compare, Value::Text(wanted)) => compare.takes(text.cmp(wanted)),
            Self::In(items) => items.iter().any(|item| matches!(item, Item::One(wanted) if same(wanted))),
            Self::Matches(pattern) => pattern.is_match(text),
            Self::Compare(..) | Self::Absent => false,
        }
    }

    /// Returns the condition as an expression on `column`.
    pub(super) fn expr(self, column: &str) -> Expr {
        of_column(column, "test", move |column| self.mask(column))
    }
}

/// Returns an expression that is true for whole numbers that pass `test`; it prints as `label`.
pub(super) fn holds(column: &str, label: &str, test: impl Fn(i64) -> bool + Send + Sync + 'static) -> Expr {
    of_column(column, label, move |column| ints(column, &test))
}

/// Returns an expression that is true for whole numbers of a list.
pub(super) fn int_in(column: &str, mut numbers: Vec<i64>) -> Expr {
    numbers.sort_unstable();
    holds(column, "in", move |value| numbers.binary_search(&value).is_ok())
}

/// Returns an expression that is true for texts of a list.
pub(super) fn text_is<'t>(column: &str, wanted: impl IntoIterator<Item = &'t str>) -> Expr {
    let wanted: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
    of_column(column, "is", move |column| texts(column, |text| wanted.iter().any(|wanted| wanted == text)))
}

/// Returns an expression that is true for texts that contain a match of `pattern`.
///
/// # Errors
/// [`Error::WrongFilter`] if `pattern` is not a regular expression.
pub(super) fn searched(column: &str, pattern: &str) -> Result<Expr> {
    let wrong = |problem| Error::WrongFilter { reason: FilterReason::Pattern { pattern: pattern.to_owned(), problem } };
    Ok(Condition::Matches(regex(pattern).map_err(wrong)?).expr(column))
}

/// Returns an expression that is true for texts that start with a match of `pattern`.
///
/// # Errors
/// [`Error::WrongFilter`] if `pattern` is not a regular expression.
pub(super) fn anchored(column: &str, pattern: &str) -> Result<Expr> {
    let wrong = |problem| Error::WrongFilter { reason: FilterReason::Pattern { pattern: pattern.to_owned(), problem } };
    // Checked on its own first: `a)(b` is invalid, but would be valid inside of brackets.
    regex(pattern).map_err(wrong)?;
    Ok(Condition::Matches(regex(&format!("^(?:{pattern})")).map_err(wrong)?).expr(column))
}

/// Parses a regular expression.
///
/// # Errors
/// The parser's reason.
pub(super) fn regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| {
        // The last line of the message is the reason; those before mark the position.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        reason.to_owned()
    })
}

fn of_column(
    column: &str,
    label: &str,
    test: impl Fn(&Column) -> PolarsResult<BooleanChunked> + Send + Sync + 'static,
) -> Expr {
    let run = move |column: Column| -> PolarsResult<Column> {
        Ok(test(&column)?.with_name(column.name().clone()).into_column())
    };
    col(column).map_with_fmt_str(run, |_, field| Ok(Field::new(field.name().clone(), DataType::Boolean)), label)
}

fn ints(column: &Column, test: impl Fn(i64) -> bool) -> PolarsResult<BooleanChunked> {
    let values = column.cast(&DataType::Int64)?;
    Ok(values.i64()?.iter().map(|value| value.is_some_and(&test)).collect())
}

/// Tests texts; each category only once, however many rows have it.
fn texts(column: &Column, test: impl Fn(&str) -> bool) -> PolarsResult<BooleanChunked> {
    let series = column.as_materialized_series();
    if let Ok(categories) = series.cat::<Categorical32Type>() {
        let mut passes = once_per_text(categories.get_mapping(), test);
        return Ok(categories.physical().iter().map(|code| code.is_some_and(&mut passes)).collect());
    }
    if !matches!(column.dtype(), DataType::String) && !column.dtype().is_categorical() {
        let reason = format!("column `{}` holds neither numbers nor texts but {}", column.name(), column.dtype());
        return Err(PolarsError::ComputeError(reason.into()));
    }
    let texts = series.cast(&DataType::String)?;
    Ok(texts.str()?.iter().map(|text| text.is_some_and(&test)).collect())
}
