//! The stack of an event: what is above and below it.

use super::table::{BYTES_PER_ROW, ViewGraph};
use crate::error::ParameterReason;
use crate::{Compat, Error, Result, TraceAnalysis, TraceSet};
use polars::prelude::{DataFrame, IntoColumn, NamedFrom, Series};

/// The stack of an event to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallStack {
    /// The event: its position in the file, column `index`.
    pub index: i64,
    /// Its rank; `None` for the first.
    pub rank: Option<i64>,
    /// Whether the events above it are left out.
    pub skip_ancestors: bool,
    /// The rules; `None` for those with which the trace was loaded.
    pub compat: Option<Compat>,
}

/// The name of the column that tells what a row is of the event.
const RELATION: &str = "relation";

impl TraceAnalysis {
    /// Returns the event with the events above it, the outermost first, and all below it, each before those below itself. Of a
    /// kernel only what is above it.
    ///
    /// # Columns
    /// `rank`, `relation` (`ancestor`, `event`, `descendant`, `kernel`), and the rest of
    /// [`CALL_GRAPH_COLUMNS`](crate::CALL_GRAPH_COLUMNS).
    ///
    /// # Errors
    /// If no analysed row has this position, or the rank does not exist.
    ///
    /// # Source
    /// HTA `CallGraph.get_stack_of_node`.
    #[doc(hidden)]
    pub fn call_stack(&self, query: &CallStack) -> Result<DataFrame> {
        let compat = query.compat.unwrap_or(self.compat());
        let rank = query.rank.map(|rank| vec![rank]);
        let tables = self.each_view("call_stack", (rank.as_deref(), true), BYTES_PER_ROW, |view| {
            let graph = ViewGraph::of(view, compat)?;
            let row = graph.rows.row_of(query.index).filter(|row| view.rows().contains(&(*row as u32)));
            let row = row.ok_or_else(|| unknown(query.index, view.rank()))?;
            let (kinds, rows) = graph.stack(row, query.skip_ancestors);
            let mut table = graph.table(&rows)?;
            table.insert_column(1, Series::new(RELATION.into(), kinds).into_column())?;
            Ok(table)
        })?;
        Ok(tables.into_iter().next().unwrap_or_default())
    }
}

/// Answers [`Questions::call_stack`](crate::Questions::call_stack).
///
/// # Errors
/// As there.
pub fn call_stack(traces: &TraceSet, query: &CallStack) -> Result<DataFrame> {
    TraceAnalysis::of_all_rows(traces, true)?.call_stack(query)
}

fn unknown(index: i64, rank: i64) -> Error {
    let expected = format!("the index of an event of rank {rank} (column index of events() and %call_graph)");
    let reason = ParameterReason::Invalid { name: "index", value: index.to_string(), expected };
    Error::WrongParameter { analysis: "call_stack", reason }
}

impl ViewGraph<'_> {
    /// Returns the rows of the stack, and what each is of the event.
    fn stack(&self, row: usize, skip_ancestors: bool) -> (Vec<&'static str>, Vec<u32>) {
        let is_kernel = |row: usize| self.graph.is_launched(&self.rows, row);
        let (mut kinds, mut rows) = (Vec::new(), Vec::new());
        let mut add = |kind: &'static str, row: usize| {
            kinds.push(kind);
            rows.push(row as u32);
        };
        if !skip_ancestors {
            self.graph.ancestors(row).into_iter().for_each(|above| add("ancestor", above));
        }
        add("event", row);
        if !is_kernel(row) {
            for below in self.graph.descendants(row, |row| self.order(row)) {
                add(if is_kernel(below) { "kernel" } else { "descendant" }, below);
            }
        }
        (kinds, rows)
    }
}
