//! One of the events of a name.

use super::trace::Trace;
use crate::exec::checkpoint::cancellable;
use crate::{Compat, Result};
use polars::prelude::DataFrame;

impl Trace {
    /// Returns the event of exactly this name that is the `position`-th by its start, with all columns of [`Trace::events`]; of a negative
    /// position it counts from the end: −1 is the last. `None` if there are not so many.
    ///
    /// # Errors
    /// If the events cannot be read any more.
    ///
    /// # Source
    /// HTA `find_op_occurrence`.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let rank = TraceSet::load("../../notebooks/data/control")?.rank(3)?;
    /// let last = rank.find_op_occurrence("aten::linear", -1)?.expect("there are some");
    /// assert_eq!(last.height(), 1);
    /// assert!(rank.find_op_occurrence("aten::nothing", 0)?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn find_op_occurrence(&self, name: &str, position: i64) -> Result<Option<DataFrame>> {
        let events = self.frame()?;
        let rows = self.rank_events(&events, Compat::Exact)?;
        let mut is_named = rows.per_text(|text| text == name);
        let mut found: Vec<usize> = cancellable(0..rows.len()).filter(|&row| is_named(rows.name(row))).collect();
        found.sort_by_key(|&row| rows.ts(row));
        let at = if position < 0 { position.saturating_add(found.len() as i64) } else { position };
        let row = usize::try_from(at).ok().and_then(|at| found.get(at).copied());
        Ok(row.map(|row| events.slice(row as i64, 1)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::TraceSet;
    use trace_testkit::TraceBuilder;

    #[test]
    fn occurrences_count_by_start_and_from_the_end() {
        let trace = TraceBuilder::new().operator("a", 20..25).operator("b", 0..5).operator("a", 10..12);
        let set = TraceSet::from_bytes(trace.json()).unwrap();
        let index = |position: i64| {
            let found = set.traces()[0].find_op_occurrence("a", position).unwrap()?;
            crate::frame::IntColumn::of(&found, "index").unwrap().get(0)
        };
        assert_eq!([0, 1, 2, -1, -2, -3].map(index), [Some(2), Some(0), None, Some(0), Some(2), None]);
    }
}
