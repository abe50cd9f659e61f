//! Filters applied to the events of a trace.

use super::Where;
use crate::dataset::{origin, union_of_columns};
use crate::error::FilterReason;
use crate::frame::columns::{END, RANK, TS};
use crate::{Error, Result, Trace};
use polars::prelude::{BooleanChunked, Column, DataFrame, DataType, Expr, IntoLazy, PlSmallStr, Scalar, col, lit};
use std::fmt;

/// A filter of events: a polars expression, or a text in the language of [`Where`], whose columns are checked.
///
/// It sees the columns of [`Trace::events`](crate::Trace::events), with `ts` and `end` relative to the first event of all
/// ranks, and `rank`. An event for which it is null does not pass.
#[derive(Debug, Clone)]
pub struct Filter {
    expr: Expr,
    pub(super) text: Option<Where>,
}

impl From<Expr> for Filter {
    fn from(expr: Expr) -> Self {
        Self { expr, text: None }
    }
}

impl From<Where> for Filter {
    fn from(text: Where) -> Self {
        Self { expr: text.expr(), text: Some(text) }
    }
}

impl From<&Where> for Filter {
    fn from(text: &Where) -> Self {
        text.clone().into()
    }
}

impl fmt::Display for Filter {
    /// `where dur > 100us`, or `filtered`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => write!(f, "where {text}"),
            None => f.write_str("filtered"),
        }
    }
}

/// A column for the result, with a name that no event column has.
const PASSES: &str = "passes the filter";

impl Filter {
    /// Returns the condition that the filter was made from; `None` for a polars expression.
    pub fn condition(&self) -> Option<&Where> {
        self.text.as_ref()
    }

    /// Prepares the filter for the ranks of one trace, of which only the columns matter.
    ///
    /// # Errors
    /// If a text names a column that no rank has, or compares one with a value of another type.
    pub fn of(&self, traces: &[Trace]) -> Result<TraceFilter> {
        self.with_text_columns(traces, &[])
    }

    /// Prepares the filter, which may also name columns of texts that are not those of events: see [`TraceFilter::mask_with`].
    ///
    /// # Errors
    /// As [`Filter::of`].
    pub fn with_text_columns(&self, traces: &[Trace], names: &[&str]) -> Result<TraceFilter> {
        let mut columns = union_of_columns(traces);
        columns.push((RANK.into(), DataType::Int64));
        columns.extend(names.iter().map(|&name| (name.into(), DataType::String)));
        if let Some(text) = &self.text {
            text.check_types(&columns)?;
        }
        Ok(TraceFilter { filter: self.clone(), columns, origin: origin(traces) })
    }
}

/// A filter, prepared for the ranks of one trace.
#[derive(Debug, Clone)]
pub struct TraceFilter {
    pub(super) filter: Filter,
    pub(super) columns: Vec<(PlSmallStr, DataType)>,
    pub(super) origin: i64,
}

impl TraceFilter {
    /// Returns what it selects: `where dur > 100us`.
    pub fn text(&self) -> String {
        self.filter.to_string()
    }

    /// Returns which events of a rank pass.
    ///
    /// # Errors
    /// If a polars expression does not fit the events.
    pub fn mask(&self, trace: &Trace) -> Result<BooleanChunked> {
        self.mask_of(trace.frame()?, trace.rank())
    }

    /// Returns which events of a rank pass if further columns have these values, by name, for all of them.
    ///
    /// # Errors
    /// If a polars expression does not fit the events.
    pub fn mask_with(&self, trace: &Trace, values: &[(&str, &str)]) -> Result<BooleanChunked> {
        let mut events = trace.frame()?;
        let rows = events.height();
        for value in values {
            events.with_column(constant(*value, rows))?;
        }
        self.mask_of(events, trace.rank())
    }

    /// Tells whether what is no event passes, of which only the rank and further columns, by name, are known.
    ///
    /// # Errors
    /// If a polars expression does not fit the columns.
    pub fn takes_without_event(&self, rank: i64, values: &[(&str, &str)]) -> Result<bool> {
        let columns = values.iter().map(|value| constant(*value, 1)).collect();
        Ok(self.mask_of(DataFrame::new(1, columns)?, rank)?.any())
    }

    /// Applies the filter to no events.
    ///
    /// # Errors
    /// If a polars expression does not fit the columns.
    pub fn check(&self) -> Result<()> {
        let columns = self.columns.iter().filter(|(name, _)| name != RANK);
        let columns = columns.map(|(name, dtype)| Column::new_empty(name.clone(), dtype)).collect();
        self.mask_of(DataFrame::new(0, columns)?, 0).map(drop)
    }

    fn mask_of(&self, mut events: DataFrame, rank: i64) -> Result<BooleanChunked> {
        let rows = events.height();
        // Columns that only other ranks have are null here.
        for (name, dtype) in &self.columns {
            if events.column(name).is_err() && name != RANK {
                events.with_column(Column::full_null(name.clone(), rows, dtype))?;
            }
        }
        let clock = |name: &str| col(name) - lit(self.origin);
        let events = events.lazy().with_columns([clock(TS), clock(END), lit(rank).alias(RANK)]);
        let events = events.with_columns([self.filter.expr.clone().alias(PASSES)]).select([col(PASSES)]).collect()?;
        let passes = events.column(PASSES)?;
        let mask = passes.bool().map_err(|_| Error::WrongFilter {
            reason: FilterReason::NotBoolean { dtype: passes.dtype().to_string() },
        })?;
        Ok(mask.iter().map(|passes| passes == Some(true)).collect())
    }
}

/// A column with one value, by its name.
fn constant((name, value): (&str, &str), rows: usize) -> Column {
    Column::new_scalar(name.into(), Scalar::from(PlSmallStr::from(value)), rows)
}
