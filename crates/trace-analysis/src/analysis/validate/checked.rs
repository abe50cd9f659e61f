//! The count of what keeps and breaks a rule, with the first example.

use crate::analysis::RankView;
use crate::exec::checkpoint::cancellable;
use crate::frame::IntColumn;
use crate::frame::columns::DUR;
use crate::{Compat, Result};
use serde::{Deserialize, Serialize};
use trace_view::format::nanoseconds;

/// What HTA's rounding takes off a duration at most, in ns.
const ROUNDED: i64 = 1_000;

/// What a rule was applied to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checked {
    pub(super) checked: u64,
    pub(super) violations: u64,
    /// The first violation.
    pub(super) first: Option<Example>,
}

/// A violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Example {
    /// The event, as its position in the file.
    pub(super) index: Option<i64>,
    pub(super) text: String,
}

impl Checked {
    /// Counts what was checked; `violation` describes it if it breaks the rule, and is called for the first one only.
    pub(super) fn add(&mut self, is_right: bool, index: i64, violation: impl FnOnce() -> String) {
        self.checked += 1;
        if is_right {
            return;
        }
        self.violations += 1;
        self.first.get_or_insert_with(|| Example { index: Some(index), text: violation() });
    }
}

/// Counts the events that end before they start.
///
/// # Errors
/// If a column is missing.
pub(super) fn durations(view: &RankView) -> Result<Checked> {
    let (rows, dur) = (view.rank_events(), IntColumn::of(view.all_events(), DUR)?);
    let mut checked = Checked::default();
    for &row in cancellable(view.rows()) {
        let row = row as usize;
        let Some(lasts) = dur.get(row) else { continue };
        // HTA's rounding makes negative durations of short events.
        let is_right = lasts >= 0 || (view.compat() == Compat::Hta && lasts >= -ROUNDED);
        checked.add(is_right, rows.index(row), || {
            format!("{} lasts −{}", rows.text(rows.name(row)), nanoseconds(lasts.saturating_neg()))
        });
    }
    Ok(checked)
}
