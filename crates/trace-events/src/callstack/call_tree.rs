//! The call tree as a table of a rank.

use super::RankGraph;
use crate::dataset::stacked_tables;
use crate::exec::changed_files::checked;
use crate::exec::checkpoint::{cancellable, guarded};
use crate::frame::columns::{CAT, CORRELATION, DUR, INDEX, INDEX_CORRELATION, ITERATION, NAME, PID, STREAM, TID, TS};
use crate::{Compat, Result, Trace, TraceSet};
use polars::df;
use polars::prelude::{DataFrame, PlSmallStr};
use trace_view::{Column, Unit};

/// What the nesting is computed from.
const NEEDED: [&str; 11] = [INDEX, NAME, CAT, TS, DUR, PID, TID, STREAM, CORRELATION, INDEX_CORRELATION, ITERATION];

/// The columns of a call tree, in order: rows, counts and iterations as integers, times as integer nanoseconds, `is_launched` as Boolean. Absence is null.
pub const CALL_TREE_COLUMNS: &[Column] = &[
    Column::new("row", Unit::None, "position of the event in the frame of events"),
    Column::new("parent", Unit::None, "row of the call around it, or of the launch of a GPU event; null at a root"),
    Column::new("depth", Unit::Count, "calls above it"),
    Column::new(ITERATION, Unit::None, "iteration of the event; null outside of all"),
    Column::new("is_launched", Unit::None, "whether it is a GPU event, below its launch"),
    Column::new("self_dur", Unit::Nanos, "duration of a call without the calls right inside it"),
    Column::new("height", Unit::Count, "levels below it; 0 of a GPU event, at least 1 of a call"),
    Column::new("num_kernels", Unit::Count, "kernels, copies and fills below it; 1 of a kernel"),
    Column::new("kernel_dur_sum", Unit::Nanos, "sum of their durations"),
    Column::new("first_kernel_start", Unit::Nanos, "start of the first of them, on the clock of the trace"),
    Column::new("last_kernel_end", Unit::Nanos, "end of the last of them"),
    Column::new("kernel_span", Unit::Nanos, "from the first of them to the end of the last"),
];

/// Call trees as tables.
pub trait CallTree {
    /// Returns the call tree: one row per event that has a place in it, in the order of the events. Calls of the CPU are nested by
    /// their intervals, thread by thread; GPU events are below their launches, and without one they are left out. Where autograd
    /// runs backward operators on a thread of its own, these are below the step, or the annotation `## backward ##`.
    ///
    /// It is computed at each call, in linear time after sorting.
    ///
    /// # Columns
    /// [`CALL_TREE_COLUMNS`]; of several ranks with a leading column `rank`, and `row` and `parent` are positions among the events of
    /// their rank.
    ///
    /// # Errors
    /// If the events are in a file that cannot be read any more; [`Error::Interrupted`](crate::Error::Interrupted).
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let rank = TraceSet::load("../../notebooks/data/control")?.rank(3)?;
    /// let tree = rank.call_tree()?;
    /// assert!(0 < tree.height() && tree.height() <= rank.events().height());
    /// assert!(tree.column("depth")?.u32()?.iter().flatten().max() > Some(2));
    /// # Ok(())
    /// # }
    /// ```
    fn call_tree(&self) -> Result<DataFrame>;
}

impl CallTree for Trace {
    fn call_tree(&self) -> Result<DataFrame> {
        checked(|| guarded(|| nested(self)))
    }
}

impl CallTree for TraceSet {
    fn call_tree(&self) -> Result<DataFrame> {
        stacked_tables(self.traces(), Trace::call_tree)
    }
}

fn nested(rank: &Trace) -> Result<DataFrame> {
    let rows = rank.rank_events(&rank.frame_of(&NEEDED.map(PlSmallStr::from_static))?, Compat::Exact)?;
    let seen: Vec<u32> = (0..rows.len() as u32).collect();
    let graph = RankGraph::of(&rows, &seen, Compat::Exact);
    let forest = graph.forest();
    let nodes: Vec<(u32, u32)> = cancellable(seen).filter_map(|row| Some((row, forest.depth(row as usize)?))).collect();
    let of = |row: u32| row as usize;
    let is_launched = |row: u32| graph.is_launched(&rows, row as usize);
    let with_kernels = |row: u32| Some(graph.kernels(row as usize)).filter(|kernels| kernels.count > 0);
    let at = |of: &dyn Fn(u32) -> Option<i64>| nodes.iter().map(|&(row, _)| of(row)).collect::<Vec<Option<i64>>>();
    Ok(df!(
        "row" => nodes.iter().map(|&(row, _)| row).collect::<Vec<u32>>(),
        "parent" => nodes.iter().map(|&(row, _)| forest.parent(of(row)).map(|up| up as u32)).collect::<Vec<_>>(),
        "depth" => nodes.iter().map(|&(_, depth)| depth).collect::<Vec<u32>>(),
        ITERATION => nodes.iter().map(|&(row, _)| rows.iteration(of(row))).collect::<Vec<Option<i64>>>(),
        "is_launched" => nodes.iter().map(|&(row, _)| is_launched(row)).collect::<Vec<bool>>(),
        "self_dur" => at(&|row| (!is_launched(row)).then(|| graph.self_ns(of(row)))),
        "height" => nodes.iter().map(|&(row, _)| graph.height(of(row))).collect::<Vec<Option<u32>>>(),
        "num_kernels" => nodes.iter().map(|&(row, _)| graph.kernels(of(row)).count).collect::<Vec<u32>>(),
        "kernel_dur_sum" => at(&|row| with_kernels(row).map(|kernels| kernels.ns)),
        "first_kernel_start" => at(&|row| with_kernels(row).map(|kernels| kernels.first_start)),
        "last_kernel_end" => at(&|row| with_kernels(row).map(|kernels| kernels.last_end)),
        "kernel_span" => at(&|row| with_kernels(row).map(|kernels| kernels.span())),
    )?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::{Stream, TraceBuilder};

    fn rank(number: i64) -> TraceBuilder {
        TraceBuilder::new()
            .rank(number)
            .step(1, 0..100)
            .operator("aten::mm", 10..20)
            .runtime("cudaLaunchKernel", 4, 12..14)
            .kernel("gemm", Stream(7), 30..50)
            .correlation(4)
            .kernel("without a launch", Stream(7), 60..70)
            .operator("aten::add", 120..130)
    }

    #[test]
    fn calls_nest_and_kernels_are_below_their_launches() {
        let trace = TraceSet::from_bytes(rank(0).json()).unwrap();
        let tree = trace.call_tree().unwrap();
        let names: Vec<&str> = CALL_TREE_COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(tree.get_column_names(), [&["rank"][..], &names].concat());
        let expected = df!(
            "row" => [0_u32, 1, 2, 3, 5],
            "parent" => [None, Some(0_u32), Some(1), Some(2), None],
            "depth" => [0_u32, 1, 2, 3, 0],
            "iteration" => [Some(1_i64), Some(1), Some(1), Some(1), None],
            "is_launched" => [false, false, false, true, false],
            "self_dur" => [Some(90_000_i64), Some(8_000), Some(2_000), None, Some(10_000)],
            "height" => [3_u32, 2, 1, 0, 1],
            "num_kernels" => [1_u32, 1, 1, 1, 0],
            "kernel_dur_sum" => [Some(20_000_i64), Some(20_000), Some(20_000), Some(20_000), None],
            "first_kernel_start" => [Some(30_000_i64), Some(30_000), Some(30_000), Some(30_000), None],
            "last_kernel_end" => [Some(50_000_i64), Some(50_000), Some(50_000), Some(50_000), None],
            "kernel_span" => [Some(20_000_i64), Some(20_000), Some(20_000), Some(20_000), None],
        );
        assert!(trace.traces()[0].call_tree().unwrap().equals_missing(&expected.unwrap()), "{tree:?}");
    }

    #[test]
    fn ranks_in_files_have_the_same_tree() {
        let folder = tempfile::tempdir().unwrap();
        for number in [0, 3] {
            std::fs::write(folder.path().join(format!("{number}.json")), rank(number).json()).unwrap();
        }
        let traces = TraceSet::load(folder.path()).unwrap();
        let stored = traces.stored_in(folder.path().join("stored")).unwrap();
        let tree = stored.call_tree().unwrap();
        assert!(tree.equals_missing(&traces.call_tree().unwrap()));
        let ranks: Vec<i64> = tree.column("rank").unwrap().i64().unwrap().iter().flatten().collect();
        assert_eq!((ranks.len(), ranks[4], ranks[5]), (10, 0, 3));
    }
}
