//! HTA's list of call stacks, and its older call graph.

use super::table::{BYTES_PER_ROW, ViewGraph, stacked};
use crate::callstack::older_parents;
use crate::{Compat, Result, TraceAnalysis, TraceSet};
use polars::df;
use polars::prelude::DataFrame;
use std::collections::BTreeMap;

impl TraceAnalysis {
    /// Returns the call stacks of HTA's call graph, one per CPU thread of these ranks, by default of all; whatever the compatibility
    /// mode, by HTA's rules.
    ///
    /// # Columns
    /// `rank`, `pid`, `tid`, `label` (`main`, `bwd`, or the name of the first row), `stack_index`, `stack_root` (minus the thread;
    /// of the backward thread that of the main thread once all its calls are there), `count` (number of stacks of this root so far).
    ///
    /// # Errors
    /// If a rank does not exist.
    ///
    /// # Source
    /// HTA `CallGraph.mapping`.
    pub fn call_stack_mapping(&self, ranks: Option<&[i64]>) -> Result<DataFrame> {
        let tables = self.each_view("call_graph", (ranks, false), BYTES_PER_ROW, |view| {
            let graph = ViewGraph::of(view, Compat::Hta)?;
            let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
            let stacks = graph.graph.hta_stacks();
            let counted: Vec<i64> = stacks
                .iter()
                .map(|(_, root)| {
                    let count = counts.entry(*root).or_default();
                    *count += 1;
                    *count
                })
                .collect();
            Ok(df!(
                "rank" => vec![view.rank(); stacks.len()],
                "pid" => stacks.iter().map(|(stack, _)| stack.pid).collect::<Vec<_>>(),
                "tid" => stacks.iter().map(|(stack, _)| stack.tid).collect::<Vec<_>>(),
                "label" => stacks.iter().map(|(stack, _)| stack.label.as_str()).collect::<Vec<_>>(),
                "stack_root" => stacks.iter().map(|(_, root)| *root).collect::<Vec<_>>(),
                "count" => counted,
            )?)
        })?;
        let mut mapping = stacked(tables)?;
        let numbers: Vec<i64> = (0..mapping.height() as i64).collect();
        mapping.insert_column(4, polars::prelude::Column::new("stack_index".into(), numbers))?;
        Ok(mapping)
    }
}

/// Answers [`Questions::older_call_graph`](crate::Questions::older_call_graph).
///
/// # Errors
/// As there.
pub fn older_call_graph(traces: &TraceSet, ranks: Option<&[i64]>) -> Result<DataFrame> {
    let analysis = TraceAnalysis::of_all_rows(traces, true)?;
    stacked(analysis.each_view("call_graph", (ranks, false), BYTES_PER_ROW, |view| {
        let rows = view.rank_events();
        let found = older_parents(rows, view.rows());
        Ok(df!(
            "rank" => vec![view.rank(); found.len()],
            "index" => (0..found.len()).map(|row| rows.index(row)).collect::<Vec<_>>(),
            "parent" => found.iter().map(|found| found.map(|(parent, _)| parent)).collect::<Vec<_>>(),
            "depth" => found.iter().map(|found| found.map(|(_, depth)| depth)).collect::<Vec<_>>(),
        )?)
    })?)
}
