//! The recorded inputs of calls, also of those that companions lend.

use super::call_trees::CallTrees;
use crate::Result;
use crate::Trace;
use crate::frame::TextColumn;
use polars::prelude::DataFrame;

/// Recorded inputs by call, as codes of texts: `N` columns of the rank, and as many of each companion that lends.
pub(super) struct CallInputs<const N: usize> {
    own: [Option<TextColumn>; N],
    lenders: Vec<[Option<TextColumn>; N]>,
}

impl<const N: usize> CallInputs<N> {
    /// Takes these columns of the events of the rank, and of those that `read` returns of a rank of a companion.
    ///
    /// # Errors
    /// Those of `read`.
    pub(super) fn of(
        names: [&str; N],
        events: &DataFrame,
        trees: &CallTrees,
        read: impl FnMut(&Trace) -> Result<DataFrame>,
    ) -> Result<Self> {
        let columns = |events: &DataFrame| names.map(|name| TextColumn::of(events, name).ok());
        let lenders = trees.lenders().iter().map(read).map(|events| Ok(columns(&events?))).collect::<Result<_>>()?;
        Ok(Self { own: columns(events), lenders })
    }

    /// Tells whether a column was recorded, of the rank or of a companion.
    pub(super) fn has(&self, column: usize) -> bool {
        std::iter::once(&self.own).chain(&self.lenders).any(|columns| columns[column].is_some())
    }

    /// Returns the codes of the inputs of a call.
    pub(super) fn codes(&self, trees: &CallTrees, row: usize) -> [Option<u32>; N] {
        if !trees.is_borrowed(row) {
            return self.own.each_ref().map(|column| column.as_ref()?.code(row));
        }
        let call = trees.borrowed(row).filter(|call| call.has_inputs);
        let columns = call.and_then(|call| Some((call.row as usize, self.lenders.get(call.lender as usize)?)));
        match columns {
            Some((row, columns)) => columns.each_ref().map(|column| column.as_ref()?.code(row)),
            None => [None; N],
        }
    }
}
