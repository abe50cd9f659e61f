//! Selections of rows, as values that apply to the view of any rank.

use super::RankView;
use crate::Result;
use crate::filter::TraceFilter;
use serde::{Deserialize, Serialize};

/// A selection of rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Narrowing {
    /// The rows of these iterations.
    Iterations(Vec<i64>),
    /// The rows that pass a filter.
    Filter(Box<TraceFilter>),
}

impl Narrowing {
    /// Returns the view with only the selected rows.
    ///
    /// # Errors
    /// If a column is missing, or the filter does not fit the events.
    pub(super) fn of(&self, view: &RankView) -> Result<RankView> {
        match self {
            Self::Iterations(iterations) => view.in_iterations(iterations),
            Self::Filter(filter) => view.filter(filter),
        }
    }

    pub(super) fn iterations(&self) -> Option<&[i64]> {
        if let Self::Iterations(iterations) = self { Some(iterations) } else { None }
    }

    pub(super) fn filter(&self) -> Option<&TraceFilter> {
        if let Self::Filter(filter) = self { Some(filter) } else { None }
    }
}
