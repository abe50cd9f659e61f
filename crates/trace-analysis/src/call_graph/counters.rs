//! HTA's frames of counters: ranges with the columns of the call graph and the operators around their launches.

use super::table::{BYTES_PER_ROW, CALL_GRAPH_COLUMNS, ViewGraph};
use crate::analysis::cupti_counters::Paired;
use crate::frame::count_from;
use crate::{Result, TraceAnalysis};
use polars::prelude::{DataFrame, IdxCa, IntoColumn, NamedFrom, PolarsResult, Series};
use std::collections::BTreeMap;

/// The columns of the call graph that HTA adds to its frames.
const OF_GRAPH: [&str; 8] = [
    "depth",
    "height",
    "parent",
    "num_kernels",
    "kernel_dur_sum",
    "kernel_span",
    "first_kernel_start",
    "last_kernel_end",
];

impl TraceAnalysis {
    /// Returns the ranges with counters of these ranks, by default of the first, each with the operators around its launch, by rank; a rank
    /// without ranges has no frame.
    ///
    /// # Columns
    /// Those of [`Trace::events`](crate::Trace::events) on the clock of the analysis, among them a column per counter; those of the call
    /// graph; `index_runtime` (the launch), `op_stack` (the operators around it as JSON, the outermost first), `top_level_op`,
    /// `bottom_level_op`.
    ///
    /// # Errors
    /// If a rank does not exist, or its events cannot be read any more.
    ///
    /// # Source
    /// HTA `TraceAnalysis.get_cupti_counter_data_with_operators`. Unequal numbers of ranges and launches are paired by time
    /// ([`CuptiCounters`](crate::analysis::CuptiCounters)).
    pub fn get_cupti_counter_data_with_operators(&self, ranks: Option<&[i64]>) -> Result<BTreeMap<i64, DataFrame>> {
        let frames = self.each_view("cupti_counters", (ranks, true), BYTES_PER_ROW, |view| {
            let paired = Paired::of(view);
            let graph = ViewGraph::of(view, view.compat())?;
            let ranges: Vec<u32> = paired.ranges.iter().map(|&(row, _)| row as u32).collect();
            let mut frame = view.trace().frame()?.take(&IdxCa::from_vec("row".into(), ranges.clone()))?;
            count_from(&mut frame, view.origin())?;
            let of_graph = graph.table(&ranges)?;
            for name in OF_GRAPH {
                debug_assert!(CALL_GRAPH_COLUMNS.iter().any(|column| column.name == name));
                frame.with_column(of_graph.column(name)?.clone())?;
            }
            graph.add_operators(&paired, &mut frame)?;
            Ok((view.rank(), frame))
        })?;
        Ok(frames.into_iter().filter(|(_, frame)| frame.height() > 0).collect())
    }
}

impl ViewGraph<'_> {
    /// Adds the launches of ranges and the operators around them.
    fn add_operators(&self, paired: &Paired, frame: &mut DataFrame) -> PolarsResult<()> {
        let (mut launches, mut stacks, mut top, mut bottom) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &(_, launch) in &paired.ranges {
            let above = launch.map(|launch| self.graph.operators_above(&self.rows, launch)).unwrap_or_default();
            let operators: Vec<&str> = above.into_iter().map(|name| self.rows.text(name)).collect();
            launches.push(launch.map(|launch| self.rows.index(launch)));
            top.push(operators.first().copied());
            bottom.push(operators.last().copied());
            stacks.push(serde_json::Value::from(operators).to_string());
        }
        frame.with_column(Series::new("index_runtime".into(), launches).into_column())?;
        frame.with_column(Series::new("op_stack".into(), stacks).into_column())?;
        frame.with_column(Series::new("top_level_op".into(), top).into_column())?;
        frame.with_column(Series::new("bottom_level_op".into(), bottom).into_column())?;
        Ok(())
    }
}
