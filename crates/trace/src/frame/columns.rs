//! The only place where a column name is spelled.

use trace_view::{Column, Unit};

/// The columns of events, in order. Absence is null.
pub const EVENT_COLUMNS: &[Column] = &[
    Column::new(
        "index",
        Unit::None,
        "position of the event in the file's traceEvents",
    ),
    Column::new(
        "cat",
        Unit::None,
        "category: cpu_op, cuda_runtime, kernel, …",
    ),
    Column::new(
        "name",
        Unit::None,
        "name of the operator, runtime call, kernel, annotation",
    ),
    Column::new("pid", Unit::None, "process; for kernels the device"),
    Column::new("tid", Unit::None, "thread; for kernels the stream"),
    Column::new("ts", Unit::Nanos, "start, on the trace's clock"),
    Column::new("dur", Unit::Nanos, "duration"),
    Column::new("end", Unit::Nanos, "end: ts + dur"),
    Column::new(
        "stream",
        Unit::None,
        "GPU stream; null for events of the CPU",
    ),
    Column::new(
        "correlation",
        Unit::None,
        "id that ties a runtime call to its kernel",
    ),
    Column::new(
        "index_correlation",
        Unit::None,
        "index of the event tied by correlation",
    ),
    Column::new(
        "iteration",
        Unit::None,
        "number in the ProfilerStep#N the event belongs to",
    ),
];
