//! Selection and order of the rows of a frame.

use super::change::changes;
use super::columns::{column, name_column, numbers};
use super::groups::{grouped_by, meeting};
use crate::Error;
use crate::argument::Call;
use regex::Regex;
use std::cmp::Ordering;
use trace_core::Comparison;
use trace_core::columns::DIFF_DURATION;
use trace_core::polars::prelude::{BooleanChunked, DataFrame, DataType, IdxCa, IdxSize, NewChunkedArray};

/// The rows of a frame that the flags of [`ROWS`](super::ROWS) select, in their order.
pub struct SelectedRows {
    /// The rows, with all columns.
    pub df: DataFrame,
    /// The number of rows before the selection; of groups all.
    pub(crate) total: usize,
    /// The order in words, if `--sort` gave one.
    pub order: Option<String>,
}

impl SelectedRows {
    /// Selects the rows of `--filter`, `--category` and `--where`, sums them by `--group-by`, and orders them by `--sort`, else as in the
    /// frame.
    ///
    /// # Errors
    /// If the frame lacks a column that a flag needs.
    pub fn select(call: &Call<'_>, df: DataFrame) -> Result<Self, Error> {
        let total = df.height();
        let mut df = df;
        if let Some(regex) = call.regex("filter") {
            let keep = matches(call, &df, regex)?;
            df = keep_rows(&df, &keep)?;
        }
        if let Some(words) = call.words("category") {
            let keep: Vec<bool> =
                changes(call, &df)?.into_iter().map(|change| words.iter().any(|word| word == change.word())).collect();
            df = keep_rows(&df, &keep)?;
        }
        if let Some(condition) = call.rows_condition("where") {
            df = meeting(call, &df, condition)?;
        }
        let mut total = total;
        if let Some(keys) = call.words("group-by") {
            df = grouped_by(call, &df, keys)?;
            total = df.height();
        }
        let mut orders = Vec::new();
        for sort in call.sorts("sort") {
            let key = match percents(&df, &sort.column)? {
                Some(percents) => Key::Numbers(percents),
                None => Key::of(&df, &column(call, &df, &sort.column)?)?,
            };
            let descending = sort.descending.unwrap_or(key.is_number());
            orders.push(Order { key, descending, name: sort.column.clone() });
        }
        let order = (!orders.is_empty()).then(|| words(&orders));
        if !orders.is_empty() {
            df = reorder(&df, &orders)?;
        }
        Ok(Self { df, total, order })
    }

    /// Sorts by the absolute value of `name`, largest first, unless `--sort` gave an order.
    ///
    /// # Errors
    /// If the frame cannot be reordered.
    pub fn or_by_magnitude(mut self, name: &str) -> Result<Self, Error> {
        if self.order.is_none() && self.df.column(name).is_ok() {
            let Key::Numbers(numbers) = Key::of(&self.df, name)? else { return Ok(self) };
            let key = Key::Numbers(numbers.into_iter().map(|number| number.map(f64::abs)).collect());
            self.df = reorder(&self.df, &[Order { key, descending: true, name: String::new() }])?;
            self.order = Some(format!("sorted by |{name}| ↓"));
        }
        Ok(self)
    }

    /// Keeps the rows marked in `keep`.
    ///
    /// # Errors
    /// If the frame cannot be filtered.
    pub fn keep(mut self, keep: &[bool]) -> Result<Self, Error> {
        self.df = keep_rows(&self.df, keep)?;
        Ok(self)
    }
}

/// The column of relative change, as tables of comparisons show it; frames do not have it.
const PERCENT_COLUMN: &str = "diff [%]";

/// Returns the relative changes of a comparison if they are asked for.
///
/// # Errors
/// If the frame lacks the durations.
fn percents(df: &DataFrame, name: &str) -> Result<Option<Vec<Option<f64>>>, Error> {
    match Comparison::of(df) {
        Some(sides) if name == PERCENT_COLUMN && df.column(DIFF_DURATION).is_ok() => Ok(Some(sides.percents(df)?)),
        _ => Ok(None),
    }
}

/// A sort key; nulls come last in either order.
enum Key {
    Numbers(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
}

struct Order {
    key: Key,
    descending: bool,
    name: String,
}

impl Key {
    fn of(df: &DataFrame, name: &str) -> Result<Self, Error> {
        if let Some(numbers) = numbers(df, name) {
            return Ok(Self::Numbers(numbers));
        }
        let column =
            df.column(name).and_then(|column| column.cast(&DataType::String)).map_err(trace_core::Error::from)?;
        let text = column.str().map_err(trace_core::Error::from)?;
        Ok(Self::Text(text.iter().map(|text| text.map(str::to_owned)).collect()))
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Numbers(_))
    }

    fn compare(&self, a: usize, b: usize, descending: bool) -> Ordering {
        match self {
            Self::Numbers(values) => {
                let value = |at: usize| values[at].filter(|value| !value.is_nan());
                nulls_last(value(a), value(b), descending, f64::total_cmp)
            }
            Self::Text(values) => nulls_last(values[a].as_ref(), values[b].as_ref(), descending, |a, b| a.cmp(b)),
        }
    }
}

fn nulls_last<T>(a: Option<T>, b: Option<T>, descending: bool, compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if descending => compare(&b, &a),
        (Some(a), Some(b)) => compare(&a, &b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// Sorts stably.
fn reorder(df: &DataFrame, orders: &[Order]) -> Result<DataFrame, Error> {
    let mut rows: Vec<IdxSize> = (0..df.height() as IdxSize).collect();
    rows.sort_by(|&a, &b| {
        let mut by_key = orders.iter().map(|order| order.key.compare(a as usize, b as usize, order.descending));
        by_key.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
    });
    Ok(df.take(&IdxCa::from_vec("row".into(), rows)).map_err(trace_core::Error::from)?)
}

/// `sorted by diff_counts ↓, name ↑`
fn words(orders: &[Order]) -> String {
    let words: Vec<String> =
        orders.iter().map(|order| format!("{} {}", order.name, if order.descending { "↓" } else { "↑" })).collect();
    format!("sorted by {}", words.join(", "))
}

/// Returns which rows have a name that matches.
fn matches(call: &Call<'_>, df: &DataFrame, regex: &Regex) -> Result<Vec<bool>, Error> {
    let name = name_column(df).ok_or_else(|| call.cannot("apply --filter", "the frame has no column of names"))?;
    let column = df.column(&name).and_then(|column| column.cast(&DataType::String)).map_err(trace_core::Error::from)?;
    let names = column.str().map_err(trace_core::Error::from)?;
    Ok(names.iter().map(|name| name.is_some_and(|name| regex.is_match(name))).collect())
}

fn keep_rows(df: &DataFrame, keep: &[bool]) -> Result<DataFrame, Error> {
    Ok(df.filter(&BooleanChunked::from_slice("keep".into(), keep)).map_err(trace_core::Error::from)?)
}
