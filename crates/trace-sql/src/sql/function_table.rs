//! Table functions of ranks: their arguments are columns that `*` leaves out, so they may come from the tables before them.

use super::columns::Dictionaries;
use super::interval_tables::gap_table;
use super::view_table::{Ranks, column_spec, part_of};
use super::views::{END_TS, ID, TRACE, source};
use crate::call_graph::{call_graph, call_stack};
use crate::frame::columns::{CAT, DUR, NAME, TS};
use crate::{CallGraph, CallStack, Compat, Error, Result, Trace, TraceSet};
use polars::prelude::{BooleanChunked, Column, DataFrame, DataType, NewChunkedArray, PlSmallStr, Scalar};
use sql_engine::StatementError as SqlError;
use sql_engine::{ColumnSpec, Failure, Kind, OwnedValue, Part, PartSpec, Table};

/// A table function.
pub(super) struct TableFunction {
    pub(super) name: &'static str,
    /// How it is called.
    pub(super) usage: &'static str,
    /// What its rows are.
    pub(super) meaning: &'static str,
    pub(super) columns: &'static [&'static str],
    /// What it takes.
    takes: Takes,
}

/// The arguments of a table function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// The id of an event.
    Event,
    /// The number of a stream; without it, all streams.
    Stream,
    /// So many tables: the statement is run with their rows.
    Tables(usize),
}

/// The columns of tables of calls.
const OF_CALLS: &[&str] = &[
    "trace",
    "rank",
    "id",
    "name",
    "cat",
    "pid",
    "tid",
    "stream",
    "iteration",
    "ts",
    "dur",
    "end_ts",
    "self_dur",
    "parent",
    "depth",
    "height",
    "num_kernels",
    "kernel_dur_sum",
    "kernel_span",
    "first_kernel_start",
    "last_kernel_end",
    "relation",
];

/// Columns of texts.
const TEXTS: &[&str] = &[TRACE, NAME, CAT, "relation", "before_name", "after_name"];

/// All table functions.
pub(super) const FUNCTIONS: &[TableFunction] = &[
    TableFunction {
        name: "ancestors",
        usage: "ancestors(id)",
        meaning: "the calls around an event, the outermost first; of a kernel those around its launch. WHERE rank = 0 chooses a rank",
        columns: OF_CALLS,
        takes: Takes::Event,
    },
    TableFunction {
        name: "descendants",
        usage: "descendants(id)",
        meaning: "the calls inside an event and their kernels, each before what is below it. WHERE rank = 0 chooses a rank",
        columns: OF_CALLS,
        takes: Takes::Event,
    },
    TableFunction {
        name: "self_time",
        usage: "self_time",
        meaning: "all events with their place in the call graph: self_dur, parent, depth, kernels below",
        columns: OF_CALLS,
        takes: Takes::Nothing,
    },
    TableFunction {
        name: "gaps",
        usage: "gaps(stream)",
        meaning: "the times at which a stream runs nothing, between its first and its last kernel; of all streams without an argument",
        columns: &[
            "trace",
            "rank",
            "iteration",
            "stream",
            "ts",
            "dur",
            "end_ts",
            "before_id",
            "before_name",
            "after_id",
            "after_name",
        ],
        takes: Takes::Stream,
    },
    TableFunction {
        name: "intersect",
        usage: "intersect(a, b)",
        meaning: "the pairs of rows of two tables whose times intersect, per trace and rank; other columns end in _a and _b",
        columns: &["trace", "rank", "ts", "dur", "end_ts", "id_a", "name_a", "id_b", "name_b"],
        takes: Takes::Tables(2),
    },
    TableFunction {
        name: "overlap",
        usage: "overlap(table)",
        meaning: "how many rows of a table are open at a time, per trace and rank; of kernels without an argument",
        columns: &["trace", "rank", "ts", "dur", "end_ts", "open"],
        takes: Takes::Tables(1),
    },
];

impl TableFunction {
    /// Returns the number of tables that it takes; `None` if it takes none.
    pub(super) fn tables(&self) -> Option<usize> {
        match self.takes {
            Takes::Tables(count) => Some(count),
            _ => None,
        }
    }
}

/// A table function over ranks: its parts are those of all traces.
pub(super) struct FunctionTable {
    function: &'static TableFunction,
    columns: Vec<ColumnSpec>,
    ranks: Ranks,
    parts: Vec<PartSpec>,
    dictionaries: Dictionaries,
}

impl FunctionTable {
    pub(super) fn of(function: &'static TableFunction, traces: &[TraceSet]) -> Self {
        let dtype = |name: &str| if TEXTS.contains(&name) { DataType::String } else { DataType::Int64 };
        let mut columns: Vec<ColumnSpec> =
            function.columns.iter().map(|name| column_spec(name, &dtype(name))).collect();
        match function.takes {
            Takes::Event => columns.push(ColumnSpec::argument("of_id", Kind::Int)),
            Takes::Stream => columns.push(ColumnSpec::argument("of_stream", Kind::Int)),
            Takes::Nothing | Takes::Tables(_) => {}
        }
        let ranks = Ranks::of(traces);
        let parts = ranks.parts(&columns, |trace| match function.takes {
            Takes::Event => 30,
            _ => trace.info().events,
        });
        Self { function, columns, ranks, parts, dictionaries: Dictionaries::default() }
    }

    fn rows(&self, set: &TraceSet, trace: &Trace, argument: Option<&OwnedValue>) -> Result<DataFrame> {
        let refused = |message: &str, rewrite: &str| {
            let message = format!("invalid arguments of {}: {message}", self.function.name);
            Err(Error::Sql(Box::new(SqlError::new(message, rewrite))))
        };
        match (self.function.takes, argument) {
            (Takes::Event, Some(OwnedValue::Int(id))) => relatives(set, trace, *id, self.function.name == "ancestors"),
            (Takes::Event, Some(OwnedValue::Null) | None) => {
                refused("expected the id of an event", "ids are in the column id of events: FROM ancestors(12)")
            }
            (Takes::Event, Some(_)) => refused("expected an id, a number", "ids are in the column id of events"),
            (Takes::Stream, Some(OwnedValue::Int(stream))) => gap_table(set, trace, Some(*stream)),
            (Takes::Stream, Some(OwnedValue::Null) | None) => gap_table(set, trace, None),
            (Takes::Stream, Some(_)) => refused("expected the number of a stream", "write FROM gaps(7)"),
            (Takes::Nothing | Takes::Tables(_), _) => {
                let ranks = Some(vec![trace.rank()]);
                let graph = call_graph(set, &CallGraph { ranks, compat: Some(Compat::Exact), ..CallGraph::default() })?;
                with_trace(set, graph)
            }
        }
    }
}

impl Table for FunctionTable {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn parts(&self) -> &[PartSpec] {
        &self.parts
    }

    fn read(&self, part: usize, columns: &[usize], arguments: &[OwnedValue]) -> std::result::Result<Part, Failure> {
        let Some((set, trace)) = self.ranks.get(part) else { return Ok(Part::default()) };
        let found = || -> Result<Part> {
            let rows = self.rows(set, trace, arguments.first())?;
            let has = |&column: &usize| column_of(&rows, &self.columns[column].name).is_some();
            let present: Vec<usize> = columns.iter().copied().filter(has).collect();
            let chosen = present.iter().filter_map(|&column| column_of(&rows, &self.columns[column].name).cloned());
            let frame = DataFrame::new(rows.height(), chosen.collect())?;
            part_of(&frame, &present, self.columns.len(), &self.dictionaries, set.origin())
        };
        Ok(found()?)
    }
}

/// Returns the column of a table of calls that a column of SQL shows.
fn column_of<'r>(rows: &'r DataFrame, name: &str) -> Option<&'r Column> {
    let sources = [name, if name == ID { source(ID) } else { name }];
    sources.into_iter().find_map(|name| rows.column(name).ok())
}

/// Returns the calls around an event, or those inside it and their kernels; no row if the rank has no such event.
fn relatives(set: &TraceSet, trace: &Trace, id: i64, is_upward: bool) -> Result<DataFrame> {
    let query =
        CallStack { index: id, rank: Some(trace.rank()), skip_ancestors: !is_upward, compat: Some(Compat::Exact) };
    let stack = match call_stack(set, &query) {
        Err(Error::WrongParameter { .. }) => return Ok(DataFrame::empty()),
        stack => stack?,
    };
    let wanted: &[&str] = if is_upward { &["ancestor"] } else { &["descendant", "kernel"] };
    let relation = stack.column("relation")?.str()?.clone();
    let keep: Vec<bool> = relation.iter().map(|found| found.is_some_and(|found| wanted.contains(&found))).collect();
    with_trace(set, stack.filter(&BooleanChunked::from_slice("keep".into(), &keep))?)
}

/// Adds the label of the trace, and the end of each event.
fn with_trace(set: &TraceSet, mut table: DataFrame) -> Result<DataFrame> {
    let label = Scalar::from(PlSmallStr::from_str(set.label()));
    let end = (table.column(TS)? + table.column(DUR)?)?.with_name(END_TS.into());
    table.with_column(end)?;
    table.with_column(Column::new_scalar(TRACE.into(), label, table.height()))?;
    Ok(table)
}
