//! The tables that every statement can name: their columns, and what they mean.

use crate::TraceSet;
use crate::call_graph::CALL_GRAPH_COLUMNS;
use crate::companion::{OPERATOR, OPERATOR_COLUMNS, OPERATOR_SOURCE};
use crate::config::known_args;
use crate::dataset::union_of_columns;
use crate::frame::columns::{
    CAT, CORRELATION, DUR, END, EVENT_COLUMNS, INDEX, INDEX_CORRELATION, ITERATION, NAME, PID, RANK, STREAM, TID, TS,
};
use polars::prelude::{DataType, PlSmallStr, Schema};
use std::collections::BTreeMap;
use trace_view::{Column, Unit};

/// The label of the trace.
pub(super) const TRACE: &str = "trace";
/// The position of an event in its file.
pub(super) const ID: &str = "id";
/// The end of an event: `end` is a keyword.
pub(super) const END_TS: &str = "end_ts";
pub(super) const KERNEL_TYPE: &str = "kernel_type";
pub(super) const LAUNCH_ID: &str = "launch_id";
pub(super) const KERNEL_DELAY: &str = "kernel_delay";

/// The start of the recording of a trace on its clock.
pub(super) const ORIGIN: &str = "origin";

/// Columns that are moments: in SQL they count from the start of the recording, as conditions of `--where` and call graphs do.
pub(super) const MOMENTS: [&str; 6] =
    [TS, END_TS, "kernel_ts", "kernel_end_ts", "first_kernel_start", "last_kernel_end"];

/// The companions of traces, by the labels of these.
pub(super) type CompanionsByLabel = BTreeMap<String, Vec<TraceSet>>;

/// A table of the loaded traces. Its rows are made rank by rank when a statement runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    Events,
    Kernels,
    Launches,
    Iterations,
    Ranks,
}

impl View {
    pub(super) const ALL: [Self; 5] = [Self::Events, Self::Kernels, Self::Launches, Self::Iterations, Self::Ranks];

    /// Returns its name in statements.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Kernels => "kernels",
            Self::Launches => "launches",
            Self::Iterations => "iterations",
            Self::Ranks => "ranks",
        }
    }

    /// Returns what its rows are.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Events => {
                "all events of all loaded traces: operators, runtime calls, kernels, annotations; times in ns"
            }
            Self::Kernels => "the work of the GPU: kernels, copies and fills, each with its launch; times in ns",
            Self::Launches => "the runtime calls that started work on the GPU, each with its last kernel; times in ns",
            Self::Iterations => "the profiler steps, one row per rank and step; times in ns",
            Self::Ranks => "the ranks of all loaded traces, from the first event to the end of the last; times in ns",
        }
    }

    /// Returns its columns with their types, for these traces.
    pub(super) fn schema(self, traces: &[TraceSet]) -> Schema {
        match self {
            Self::Events => of_events(traces, &[]),
            Self::Kernels => of_events(traces, &[(KERNEL_TYPE, DataType::String), (LAUNCH_ID, DataType::Int64)]),
            Self::Launches => fixed(LAUNCHES),
            Self::Iterations => fixed(ITERATIONS),
            Self::Ranks => fixed(RANKS),
        }
    }
}

/// The columns of the events, in the order in which they are selected by `*`.
const EVENTS: &[&str] =
    &[TRACE, RANK, ITERATION, ID, NAME, CAT, TS, DUR, END_TS, STREAM, TID, PID, CORRELATION, INDEX_CORRELATION];

/// The columns of operators above kernels, which companions of a trace fill.
pub(super) const BORROWED: [&str; 2] = [OPERATOR, OPERATOR_SOURCE];

/// Columns of texts among those of fixed tables.
const TEXTS: &[&str] = &[TRACE, NAME, "kernel", "file", "device_type"];

const LAUNCHES: &[&str] = &[
    TRACE,
    RANK,
    ITERATION,
    ID,
    NAME,
    TS,
    DUR,
    END_TS,
    TID,
    CORRELATION,
    "kernel_id",
    "kernel",
    "kernel_ts",
    "kernel_dur",
    "kernel_end_ts",
    STREAM,
    KERNEL_DELAY,
];
const ITERATIONS: &[&str] = &[TRACE, RANK, ITERATION, ID, NAME, TS, DUR, END_TS];
const RANKS: &[&str] =
    &[TRACE, RANK, "file", "device_type", "events", TS, DUR, END_TS, "streams", "iterations", ORIGIN];

/// Columns that only tables of SQL have.
const OWN_COLUMNS: &[Column] = &[
    Column::new(TRACE, Unit::None, "label of the trace"),
    Column::new(
        ID,
        Unit::None,
        "position of the event in the file of its rank; what %call_stack and ancestors(id) take",
    ),
    Column::new(TS, Unit::Nanos, "start, from the start of the recording"),
    Column::new(END_TS, Unit::Nanos, "end: ts + dur"),
    Column::new(KERNEL_TYPE, Unit::None, "COMPUTATION, COMMUNICATION, MEMORY or OTHER, by the name"),
    Column::new(LAUNCH_ID, Unit::None, "id of the runtime call that started it"),
    Column::new("kernel_id", Unit::None, "id of the last kernel that the call started"),
    Column::new("kernel", Unit::None, "name of the kernel"),
    Column::new("kernel_ts", Unit::Nanos, "start of the kernel, from the start of the recording"),
    Column::new("kernel_dur", Unit::Nanos, "duration of the kernel"),
    Column::new("kernel_end_ts", Unit::Nanos, "end of the kernel"),
    Column::new(KERNEL_DELAY, Unit::Nanos, "from the end of the call to the start of the kernel; 0 if that is earlier"),
    Column::new("file", Unit::None, "file from which the rank was loaded"),
    Column::new("device_type", Unit::None, "kind of GPU; without work on one, no GPU activity"),
    Column::new("events", Unit::Count, "events of the rank"),
    Column::new("streams", Unit::Count, "GPU streams of the rank"),
    Column::new("iterations", Unit::Count, "iterations of the rank"),
    Column::new(
        ORIGIN,
        Unit::None,
        "start of the recording on the clock of the trace, in ns: ts + origin is as recorded",
    ),
    Column::new("parent", Unit::None, "id of the call around it, or of the launch of a GPU event"),
    Column::new("relation", Unit::None, "what the row is of the event: ancestor, descendant, kernel"),
    Column::new("before_id", Unit::None, "id of the kernel that ends the gap's predecessor"),
    Column::new("before_name", Unit::None, "name of the kernel before the gap"),
    Column::new("after_id", Unit::None, "id of the kernel after the gap"),
    Column::new("after_name", Unit::None, "name of the kernel after the gap"),
    Column::new("open", Unit::Count, "how many intervals are open at a time"),
];

/// Returns what a column of a table of SQL means, and its unit.
pub(super) fn meaning(name: &str) -> Option<&'static Column> {
    let args = known_args().map(|arg| &arg.column);
    OWN_COLUMNS
        .iter()
        .chain(EVENT_COLUMNS)
        .chain(CALL_GRAPH_COLUMNS)
        .chain(&OPERATOR_COLUMNS)
        .chain(args)
        .find(|column| column.name == name)
}

/// Tells whether `*` leaves a column out: operators above kernels, where no trace has companions nor a recorded column of this name.
pub(super) fn is_hidden(name: &str, traces: &[TraceSet], companions: &CompanionsByLabel) -> bool {
    let is_recorded = |set: &TraceSet| union_of_columns(set.traces()).iter().any(|(column, _)| column.as_str() == name);
    BORROWED.contains(&name) && companions.is_empty() && !traces.iter().any(is_recorded)
}

/// Returns the column of the frame of events that a column of a view shows.
pub(super) fn source(name: &str) -> &str {
    match name {
        ID => INDEX,
        END_TS => END,
        LAUNCH_ID => INDEX_CORRELATION,
        KERNEL_TYPE => NAME,
        name => name,
    }
}

/// Returns the type that a column of events has in SQL.
pub(super) fn sql_type(dtype: &DataType) -> DataType {
    match dtype {
        DataType::Float32 | DataType::Float64 => DataType::Float64,
        dtype if dtype.is_categorical() => DataType::String,
        dtype if dtype.is_integer() => DataType::Int64,
        dtype => dtype.clone(),
    }
}

fn of_events(traces: &[TraceSet], added: &[(&str, DataType)]) -> Schema {
    let all: Vec<_> = traces.iter().flat_map(|set| union_of_columns(set.traces())).collect();
    let mut schema = fixed(EVENTS);
    schema.with_column(CAT.into(), DataType::String);
    // Early, so that they are read only where a statement names them.
    for name in BORROWED {
        schema.with_column(name.into(), DataType::String);
    }
    for (name, dtype) in added {
        schema.with_column((*name).into(), dtype.clone());
    }
    for (name, dtype) in all {
        if [INDEX, END].contains(&name.as_str()) {
            continue;
        }
        let (found, known) = (sql_type(&dtype), schema.get(&name).cloned());
        // Traces that were loaded with other arguments may have a text where this one has a number.
        let dtype = if known.is_some_and(|known| known != found) { DataType::String } else { found };
        schema.with_column(name, dtype);
    }
    schema
}

fn fixed(names: &[&str]) -> Schema {
    let dtype = |name: &str| if TEXTS.contains(&name) { DataType::String } else { DataType::Int64 };
    names.iter().map(|&name| (PlSmallStr::from_str(name), dtype(name))).collect()
}
