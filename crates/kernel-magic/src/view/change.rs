//! The changes of a comparison: `--category`, and whether rows are still in HTA's order.

use super::columns::{name_column, numbers};
use crate::Error;
use crate::argument::Call;
use trace_core::columns::CHANGE;
use trace_core::polars::prelude::{DataFrame, DataType};
use trace_core::{By, Change, Comparison};

/// The words of `--category`, in HTA's order.
pub(crate) const CATEGORIES: &[&str] = &Change::WORDS;

/// Returns whether a comparison is still in HTA's order: names of control ascending, then names of test only, group by
/// group.
pub(crate) fn is_unsorted(df: &DataFrame) -> bool {
    let Some(changes) = Comparison::of(df).and_then(|sides| sides.changes(df).ok()) else { return false };
    let Some(names) = name_column(df).and_then(|name| df.column(&name).ok()?.cast(&DataType::String).ok()) else {
        return false;
    };
    let Ok(names) = names.str() else { return false };
    let groups = By::EACH.into_iter().find_map(|by| numbers(df, by.word())).unwrap_or_else(|| vec![None; df.height()]);
    let added = changes.iter().map(|change| *change == Change::Added);
    groups.into_iter().zip(added.zip(names.iter())).is_sorted()
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
