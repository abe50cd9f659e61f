//! The marker that makes a frame a comparison, with the labels of its sides.
//!
//! A polars frame has no metadata, but a type can have a name: the column of changes is a categorical over a table of
//! categories of its own, in our namespace, whose name contains the two labels. It survives filters, sorting, selections
//! and Arrow files, and no other frame has it: neither a summary of the frame nor a frame with the same column names.

use super::Change;
use crate::error::FrameReason;
use crate::frame::columns::{COUNTS_SUFFIX, DIFF_DURATION, DURATION_SUFFIX};
use crate::{Error, Result};
use polars::prelude::{
    CategoricalPhysical, Categories, Column, DataFrame, DataType, NamedFrom, PlSmallStr, PolarsResult, Series,
};

/// The namespace of the categories that mark a comparison.
const NAMESPACE: &str = "tracebook.comparison";

/// The two sides of a comparison, as marked in the frame of `TraceDiff::compare_traces`.
///
/// # Example
/// ```
/// use trace::prelude::*;
/// use trace::Comparison;
///
/// # fn main() -> trace::Result<()> {
/// let monday = TraceSet::load("../../notebooks/data/control")?.with_label("monday");
/// let tuesday = TraceSet::load("../../notebooks/data/test")?.with_label("tuesday");
/// let df = TraceDiff::new(&monday, &tuesday).compare_traces()?;
/// let sides = Comparison::of(&df).expect("the frame is marked as a comparison");
/// assert_eq!((sides.control(), sides.test()), ("monday", "tuesday"));
/// assert_eq!(sides.changes(&df)?.len(), df.height());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    control: String,
    test: String,
    /// The column that marks the frame.
    column: String,
}

impl Comparison {
    /// Returns the sides of a comparison; `None` if `df` is not one. Rows and other columns may be missing.
    pub fn of(df: &DataFrame) -> Option<Self> {
        df.columns().iter().find_map(|column| {
            let DataType::Categorical(categories, _) = column.dtype() else { return None };
            if categories.namespace().as_str() != NAMESPACE {
                return None;
            }
            let (control, test) = serde_json::from_str(categories.name().as_str()).ok()?;
            Some(Self { control, test, column: column.name().to_string() })
        })
    }

    /// Returns the label of control.
    pub fn control(&self) -> &str {
        &self.control
    }

    /// Returns the label of test.
    pub fn test(&self) -> &str {
        &self.test
    }

    /// Returns the name of the column that shows the changes and marks the frame.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Returns the names of the columns of counts: control, test.
    pub fn counts(&self) -> [String; 2] {
        [&self.control, &self.test].map(|label| format!("{label}{COUNTS_SUFFIX}"))
    }

    /// Returns the names of the columns of durations: control, test.
    pub fn durations(&self) -> [String; 2] {
        [&self.control, &self.test].map(|label| format!("{label}{DURATION_SUFFIX}"))
    }

    /// Returns the change of a duration in percent of control; `None` where control took no time.
    pub fn percent(control: f64, difference: f64) -> Option<f64> {
        (control > 0.0).then(|| 100.0 * difference / control)
    }

    /// Returns the change of the duration of each row of `df` in percent of control, as tables show it: the column `diff [%]`.
    ///
    /// # Errors
    /// If the frame lacks the durations.
    pub fn percents(&self, df: &DataFrame) -> Result<Vec<Option<f64>>> {
        let numbers = |name: &str| -> Result<Vec<Option<f64>>> {
            let column = df.column(name)?.cast(&DataType::Float64)?;
            Ok(column.f64()?.iter().collect())
        };
        let [control, _] = self.durations();
        let both = numbers(&control)?.into_iter().zip(numbers(DIFF_DURATION)?);
        Ok(both.map(|(control, difference)| Self::percent(control?, difference?)).collect())
    }

    /// Returns the change of each row of `df`.
    ///
    /// # Errors
    /// If the frame lacks the counts of a side.
    pub fn changes(&self, df: &DataFrame) -> Result<Vec<Change>> {
        // Counts of an iteration are means: 0.5 is not 0.
        let counts = |name: &String| -> Result<Vec<f64>> {
            let missing = |_| Error::NotAComparison { reason: FrameReason::no_column_of(name, "numbers") };
            let column = df.column(name).and_then(|column| column.cast(&DataType::Float64)).map_err(missing)?;
            Ok(column.f64()?.iter().map(Option::unwrap_or_default).collect())
        };
        let [control, test] = self.counts();
        let changes = counts(&control)?.into_iter().zip(counts(&test)?);
        Ok(changes.map(|(control, test)| Change::of_means(control, test)).collect())
    }

    /// Creates a column `name` of `texts` that marks a frame as the comparison of these two labels.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn marked(control: &str, test: &str, name: &str, texts: &[&str]) -> PolarsResult<Column> {
        let labels = serde_json::json!([control, test]).to_string();
        let categories = Categories::new(
            PlSmallStr::from_string(labels),
            PlSmallStr::from_static(NAMESPACE),
            CategoricalPhysical::U32,
        );
        Series::new(name.into(), texts).cast(&DataType::from_categories(categories)).map(Column::from)
    }
}
