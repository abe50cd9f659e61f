//! What became of an operator, by its counts on the two sides.

use crate::Error;
use crate::magic::Call;
use trace::polars::prelude::{DataFrame, DataType};

/// What became of an operator from control to test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::magic) enum Category {
    Added,
    Deleted,
    Increased,
    Decreased,
    Unchanged,
}

/// The words of `--category`, in HTA's order.
pub(in crate::magic) const CATEGORIES: &[&str] = &["added", "deleted", "increased", "decreased", "unchanged"];

/// The column of `%ops_diff` that holds one of [`CATEGORIES`].
pub(in crate::magic) const GROUP: &str = "group";

impl Category {
    /// By HTA's rule for `ops_diff`: added and deleted are not also increased and decreased.
    pub(in crate::magic) fn of(control: i64, test: i64) -> Self {
        match (control, test) {
            (0, test) if test > 0 => Self::Added,
            (control, 0) if control > 0 => Self::Deleted,
            _ if test > control => Self::Increased,
            _ if test < control => Self::Decreased,
            _ => Self::Unchanged,
        }
    }

    /// The word.
    pub(in crate::magic) fn word(self) -> &'static str {
        CATEGORIES[self as usize]
    }
}

/// The names of the columns of counts of the two sides, control first: those that end in `_counts`, but for
/// `diff_counts`.
pub(in crate::magic) fn sides(df: &DataFrame) -> Option<(String, String)> {
    let mut columns = df
        .get_column_names()
        .into_iter()
        .map(|name| name.as_str())
        .filter(|name| name.ends_with("_counts") && *name != "diff_counts");
    match (columns.next(), columns.next(), columns.next()) {
        (Some(control), Some(test), None) => Some((control.to_owned(), test.to_owned())),
        _ => None,
    }
}

/// Whether the rows of a comparison stand in HTA's order (names of control ascending, then names of test alone), so
/// that nobody has sorted them.
pub(in crate::magic) fn is_unsorted(df: &DataFrame) -> bool {
    let Some((control, _)) = sides(df) else { return false };
    let Some(counts) = super::rows::numbers(df, &control) else { return false };
    let Some(names) = df.columns().first().and_then(|column| column.cast(&DataType::String).ok()) else { return false };
    let Ok(names) = names.str() else { return false };
    counts.iter().map(|count| *count == Some(0.0)).zip(names.iter()).is_sorted()
}

/// The category of every row.
///
/// # Errors
/// If the frame has no counts of two sides.
pub(super) fn categories(call: &Call<'_>, df: &DataFrame) -> Result<Vec<Category>, Error> {
    let missing = || call.usage("--category needs the columns of %compare_traces, with the counts of both sides.");
    let (control, test) = sides(df).ok_or_else(missing)?;
    let counts = |name: &str| -> Result<Vec<i64>, Error> {
        let column = df.column(name).and_then(|column| column.cast(&DataType::Int64)).map_err(trace::Error::from)?;
        let counts = column.i64().map_err(trace::Error::from)?;
        Ok(counts.iter().map(Option::unwrap_or_default).collect())
    };
    Ok(counts(&control)?.into_iter().zip(counts(&test)?).map(|(control, test)| Category::of(control, test)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_groups_are_disjoint_and_htas() {
        let words: Vec<&str> =
            [(0, 2), (2, 0), (2, 3), (3, 2), (2, 2)].into_iter().map(|(c, t)| Category::of(c, t).word()).collect();
        assert_eq!(words, CATEGORIES);
    }
}
