//! The call graph of ranks as a table: a row per event.

use super::table::{BYTES_PER_ROW, ViewGraph, stacked};
use crate::error::ParameterReason;
use crate::{Compat, Error, Result, TraceAnalysis, TraceSet};
use call_tree::nesting::Walk;
use polars::prelude::DataFrame;
use regex::Regex;

/// A call graph to make: of which ranks and events, and by which rules.
///
/// Calls are nested by their intervals, thread by thread, each open until its own end; GPU events are below their launches. Where
/// autograd runs backward operators on a thread of its own, these are below the step, or the annotation `## backward ##`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallGraph {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
    /// Keeps calls of the CPU whose name matches this regular expression, and what is below them.
    pub operator: Option<String>,
    /// Keeps so many levels: from the outermost events, or from those that `operator` found.
    pub depth: Option<u32>,
    /// The rules; `None` for those with which the trace was loaded.
    pub compat: Option<Compat>,
}

impl TraceAnalysis {
    /// Returns the call graph of the analysed rows. Exact: the events that have a place in it, each before those below it,
    /// side by side by their start. Under `Compat::Hta` all rows in HTA's order, with HTA's numbers: the parent of an outermost
    /// event is minus its thread, and `last_kernel_end` and `kernel_span` are too large by the origin of the clock.
    ///
    /// # Columns
    /// [`CALL_GRAPH_COLUMNS`](crate::CALL_GRAPH_COLUMNS). Times are on the clock of the analysis, which begins with the first event
    /// of all ranks.
    ///
    /// # Errors
    /// If a rank does not exist, `operator` is not a regular expression, or the graph does not fit the memory budget.
    ///
    /// # Source
    /// HTA `CallGraph` (`hta.common.trace_call_graph`).
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    /// use trace::CallGraph;
    /// use trace::polars::prelude::ChunkAgg;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let analysis = TraceAnalysis::new(&TraceSet::load("../../notebooks/data/control")?)?;
    /// let linear = CallGraph { operator: Some("^aten::linear$".into()), ..CallGraph::default() };
    /// let graph = analysis.call_graph(&linear)?;
    /// assert!(graph.column("kernel_span")?.i64()?.max() > Some(0));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(hidden)]
    pub fn call_graph(&self, query: &CallGraph) -> Result<DataFrame> {
        let operator = query.operator.as_deref().map(regex).transpose()?;
        let compat = query.compat.unwrap_or(self.compat());
        let tables = self.each_view("call_graph", (query.ranks.as_deref(), true), BYTES_PER_ROW, |view| {
            let graph = ViewGraph::of(view, compat)?;
            graph.table(&graph.selected(operator.as_ref(), query.depth))
        })?;
        stacked(tables)
    }
}

/// Answers [`Questions::call_graph`](crate::Questions::call_graph).
///
/// # Errors
/// As there.
pub fn call_graph(traces: &TraceSet, query: &CallGraph) -> Result<DataFrame> {
    TraceAnalysis::of_all_rows(traces, true)?.call_graph(query)
}

fn regex(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|_| Error::WrongParameter {
        analysis: "call_graph",
        reason: ParameterReason::Invalid {
            name: "operator",
            value: text.to_owned(),
            expected: "a regular expression".to_owned(),
        },
    })
}

impl ViewGraph<'_> {
    /// Returns the rows of the table, in its order.
    fn selected(&self, operator: Option<&Regex>, depth: Option<u32>) -> Vec<u32> {
        let everything = operator.is_none() && depth.is_none();
        if self.compat == Compat::Hta && everything {
            return self.view.rows().to_vec();
        }
        let mut matches = self.rows.per_text(|name| operator.is_none_or(|operator| operator.is_match(name)));
        // The level of the outermost match that is open.
        let (mut level, mut base, mut selected) = (0, None, Vec::new());
        self.graph.forest().walk(
            |row| self.order(row),
            |step| match step {
                Walk::Enter(row) => {
                    let is_call = !self.graph.is_launched(&self.rows, row);
                    if base.is_none() && is_call && matches(self.rows.name(row)) {
                        base = Some(level);
                    }
                    if base.is_some_and(|base| depth.is_none_or(|depth| level - base < depth)) {
                        selected.push(row as u32);
                    }
                    level += 1;
                }
                Walk::Leave(_) => {
                    level -= 1;
                    base = base.filter(|base| *base < level);
                }
            },
        );
        if self.compat == Compat::Exact {
            return selected;
        }
        let mut is_selected = vec![false; self.rows.len()];
        selected.into_iter().for_each(|row| is_selected[row as usize] = true);
        self.view.rows().iter().copied().filter(|&row| is_selected[row as usize]).collect()
    }
}
