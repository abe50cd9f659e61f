//! The traces that a timeline or a flame graph shows, and what is selected of them.

use crate::{ByDefault, LabeledTrace, Result, Select, Trace, Window};

/// One trace, or control and test.
#[derive(Debug, Clone)]
pub(crate) struct QuerySides {
    pub(crate) traces: Vec<LabeledTrace>,
    /// Ranks, by default the first of each side, and iterations, by default all.
    pub(crate) select: Select,
}

/// One side of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuerySide<'q> {
    pub(crate) trace: &'q LabeledTrace,
    side: usize,
    select: &'q Select,
}

impl QuerySides {
    /// Returns a query about these traces, control first.
    pub(crate) fn of(traces: impl IntoIterator<Item = LabeledTrace>) -> Self {
        Self { traces: traces.into_iter().collect(), select: Select::default() }
    }

    /// Returns the sides, control first.
    pub(crate) fn each(&self) -> impl Iterator<Item = QuerySide<'_>> {
        self.traces.iter().enumerate().map(|(side, trace)| QuerySide { trace, side, select: &self.select })
    }
}

impl QuerySide<'_> {
    /// Returns the ranks that are shown; the first by default.
    ///
    /// # Errors
    /// If there is no such rank.
    pub(crate) fn traces(&self) -> Result<Vec<Trace>> {
        self.select.ranks_of(self.side, self.trace, ByDefault::First)
    }

    /// Returns the iterations that are selected; `None` if none is, or if nothing divides the recording into iterations.
    ///
    /// # Errors
    /// If there is no such iteration.
    pub(crate) fn iterations(&self) -> Result<Option<Vec<i64>>> {
        if !self.select.has_iterations(self.side) {
            return Ok(None);
        }
        match self.select.window(self.side, self.trace, &[], None, ByDefault::All)? {
            Window::Iterations(numbers) => Ok(Some(numbers)),
            Window::Whole => Ok(None),
        }
    }
}
