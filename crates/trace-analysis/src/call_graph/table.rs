//! The columns of call graphs.

use crate::analysis::RankView;
use crate::callstack::RankGraph;
use crate::frame::RankEvents;
use crate::frame::columns::{CAT, DUR, INDEX, ITERATION, NAME, PID, RANK, STREAM, TID, TS};
use crate::{Compat, Result};
use polars::prelude::{Column as FrameColumn, DataFrame, IdxCa, IntoColumn, NamedFrom, Series};
use trace_view::{Column, Unit};

/// The columns of a call graph, in order; times as integer nanoseconds. Absence is null, under `Compat::Hta` HTA's −1, or 0 of
/// `num_kernels`, `kernel_dur_sum` and `kernel_span`.
pub const CALL_GRAPH_COLUMNS: &[Column] = &[
    Column::new(RANK, Unit::None, "rank"),
    Column::new(INDEX, Unit::None, "position of the event in the file's traceEvents"),
    Column::new(NAME, Unit::None, "name of the operator, runtime call, kernel or annotation"),
    Column::new(CAT, Unit::None, "category: cpu_op, cuda_runtime, kernel, …"),
    Column::new(PID, Unit::None, "process; of a kernel the device"),
    Column::new(TID, Unit::None, "thread; of a kernel the stream"),
    Column::new(STREAM, Unit::None, "GPU stream; null for events of the CPU"),
    Column::new(ITERATION, Unit::None, "number of the ProfilerStep#N that the event belongs to"),
    Column::new(TS, Unit::Nanos, "start"),
    Column::new(DUR, Unit::Nanos, "duration"),
    Column::new("self_dur", Unit::Nanos, "duration of a call without the calls right inside it"),
    Column::new("parent", Unit::None, "index of the call around it, or of the launch of a GPU event"),
    Column::new("depth", Unit::Count, "events above it"),
    Column::new("height", Unit::Count, "levels below it; 0 of a kernel, at least 1 of a call"),
    Column::new("num_kernels", Unit::Count, "kernels, copies and fills below it; 1 of a kernel"),
    Column::new("kernel_dur_sum", Unit::Nanos, "sum of their durations"),
    Column::new("kernel_span", Unit::Nanos, "from the first of them to the end of the last"),
    Column::new("first_kernel_start", Unit::Nanos, "start of the first of them"),
    Column::new("last_kernel_end", Unit::Nanos, "end of the last of them"),
];

/// Working memory for each row, in bytes: the graph and the columns of the table.
pub(super) const BYTES_PER_ROW: usize = 240;

/// The call graph of the rows of a view.
pub(super) struct ViewGraph<'v> {
    pub(super) view: &'v RankView,
    pub(super) rows: RankEvents,
    pub(super) graph: RankGraph,
    pub(super) compat: Compat,
}

impl<'v> ViewGraph<'v> {
    pub(super) fn of(view: &'v RankView, compat: Compat) -> Result<Self> {
        let rows = view.rank_events().clone();
        let graph = RankGraph::of(&rows, view.rows(), compat);
        Ok(Self { view, rows, graph, compat })
    }

    /// The order of events side by side: by thread at the top, by start below.
    pub(super) fn order(&self, row: usize) -> impl Ord + use<> {
        let is_outermost = self.graph.depth(row) == Some(0);
        (is_outermost.then(|| self.rows.thread(row)), self.rows.ts(row), row)
    }

    /// Returns the table of these rows.
    pub(super) fn table(&self, wanted: &[u32]) -> Result<DataFrame> {
        let (rows, graph, origin) = (&self.rows, &self.graph, self.view.origin());
        let all = self.view.all_events();
        let positions = IdxCa::from_vec("row".into(), wanted.to_vec());
        let recorded = |name: &str| -> Result<FrameColumn> { Ok(all.column(name)?.take(&positions)?) };
        let is_hta = self.compat == Compat::Hta;
        let at = |name: &str, of: &dyn Fn(usize) -> Option<i64>| -> FrameColumn {
            let values: Vec<Option<i64>> = wanted.iter().map(|&row| of(row as usize)).collect();
            Series::new(name.into(), values).into_column()
        };
        let absent = |value: i64| is_hta.then_some(value);
        let is_known = |row: usize| graph.height(row).is_some() && !graph.is_unmeasured(rows, row);
        let of_kernels = |row: usize| Some(graph.kernels(row)).filter(|kernels| kernels.count > 0 && is_known(row));
        // Under HTA's rules ends of aligned traces are not aligned.
        let end = if is_hta { 0 } else { origin };
        let first = |row: usize| of_kernels(row).map(|kernels| kernels.first_start.saturating_sub(origin));
        let last = |row: usize| of_kernels(row).map(|kernels| kernels.last_end.saturating_sub(end));
        let span = |row: usize| Some(last(row)?.saturating_sub(first(row)?));
        let count = |row: usize| is_known(row).then(|| i64::from(graph.kernels(row).count));
        let columns = vec![
            at(RANK, &|_| Some(self.view.rank())),
            recorded(INDEX)?,
            recorded(NAME)?,
            recorded(CAT)?,
            recorded(PID)?,
            recorded(TID)?,
            recorded(STREAM)?,
            recorded(ITERATION)?,
            at(TS, &|row| Some(rows.ts(row)?.saturating_sub(origin))),
            recorded(DUR)?,
            at("self_dur", &|row| {
                (!graph.is_launched(rows, row) && graph.depth(row).is_some()).then(|| graph.self_ns(row))
            }),
            at("parent", &|row| graph.parent_index(rows, row)),
            at("depth", &|row| graph.depth(row).map(i64::from).or(absent(-1))),
            at("height", &|row| graph.height(row).filter(|_| is_known(row)).map(i64::from).or(absent(-1))),
            at("num_kernels", &|row| count(row).or(absent(0))),
            at("kernel_dur_sum", &|row| of_kernels(row).map(|kernels| kernels.ns).or(absent(0))),
            at("kernel_span", &|row| span(row).or(absent(0))),
            at("first_kernel_start", &|row| first(row).or(absent(-1))),
            at("last_kernel_end", &|row| last(row).or(absent(-1))),
        ];
        Ok(DataFrame::new(wanted.len(), columns)?)
    }
}

/// Returns one table of those of several ranks.
pub(super) fn stacked(tables: Vec<DataFrame>) -> Result<DataFrame> {
    let mut tables = tables.into_iter();
    let mut all = tables.next().unwrap_or_default();
    for table in tables {
        all.vstack_mut(&table)?;
    }
    Ok(all)
}
