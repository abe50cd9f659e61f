//! The changes of a comparison: `--category`, and whether rows are still in HTA's order.

use crate::Error;
use crate::magic::argument::Call;
use trace::columns::CHANGE;
use trace::polars::prelude::{DataFrame, DataType};
use trace::{Change, Comparison};

/// The words of `--category`, in HTA's order.
pub(crate) const CATEGORIES: &[&str] = &Change::WORDS;

/// Returns whether a comparison is still in HTA's order: names of control ascending, then names of test only.
pub(crate) fn is_unsorted(df: &DataFrame) -> bool {
    let Some(changes) = Comparison::of(df).and_then(|sides| sides.changes(df).ok()) else { return false };
    let Some(names) = df.columns().first().and_then(|column| column.cast(&DataType::String).ok()) else { return false };
    let Ok(names) = names.str() else { return false };
    changes.iter().map(|change| *change == Change::Added).zip(names.iter()).is_sorted()
}

/// Returns the change of each row.
///
/// # Errors
/// If the frame is not a comparison, or lacks the counts of a side.
pub(super) fn changes(call: &Call<'_>, df: &DataFrame) -> Result<Vec<Change>, Error> {
    let sides = Comparison::of(df).ok_or_else(|| {
        let hint = format!("pass the frame of %compare_traces with its column {CHANGE}");
        call.cannot("apply --category", "the frame is not a comparison").hint(hint)
    })?;
    Ok(sides.changes(df)?)
}
