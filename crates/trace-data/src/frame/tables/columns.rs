//! Names, units and meanings of the columns of instants and counters.

use crate::frame::columns::{CAT, INDEX, NAME, PID, TID, TS};
use trace_view::{Column, Unit};

pub(super) const SCOPE: &str = "scope";
pub(super) const ARGS: &str = "args";
pub(super) const SERIES: &str = "series";
pub(super) const VALUE: &str = "value";
pub(super) const INTEGER: &str = "integer";
pub(super) const ID: &str = "id";

/// The arguments of `[memory]` that have a column, and the column.
pub(super) const MEMORY_ARGS: [(&str, &str); 7] = [
    ("Bytes", "bytes"),
    ("Addr", "addr"),
    ("Total Allocated", "total_allocated"),
    ("Total Reserved", "total_reserved"),
    ("Device Type", "device_type"),
    ("Device Id", "device_id"),
    ("Ev Idx", "ev_idx"),
];

/// The columns of instants (`ph` is `i`, `I` or `R`), in order; every table has all of them. Texts are categories, as in
/// events, all others are `i64`. Absence is null.
pub const INSTANT_COLUMNS: &[Column] = &[
    Column::new(INDEX, Unit::None, "position of the instant in the file's traceEvents"),
    Column::new(NAME, Unit::None, "name: [memory], Iteration Start: …, Record Window End, …"),
    Column::new(CAT, Unit::None, "category: cpu_instant_event, …; null for the profiler's own marks"),
    Column::new(TS, Unit::Nanos, "moment, on the trace's clock; exact in every compatibility mode"),
    Column::new(PID, Unit::None, "process; null where the file has a text"),
    Column::new(TID, Unit::None, "thread; null where the file has a text"),
    Column::new(SCOPE, Unit::None, "what the instant concerns: g everything, p its process, t its thread"),
    Column::new("bytes", Unit::Bytes, "of [memory]: bytes allocated; negative if freed"),
    Column::new("addr", Unit::None, "of [memory]: address of the block"),
    Column::new("total_allocated", Unit::Bytes, "of [memory]: bytes in use on the device after it"),
    Column::new("total_reserved", Unit::Bytes, "of [memory]: bytes that the allocator holds after it"),
    Column::new("device_type", Unit::None, "of [memory]: PyTorch's number of the device type: 0 CPU, 1 CUDA, 6 HIP, …"),
    Column::new("device_id", Unit::None, "of [memory]: the device; -1 for the CPU"),
    Column::new("ev_idx", Unit::None, "of [memory]: position in the profiler's own count"),
    Column::new(ARGS, Unit::None, "all other arguments, as a JSON object on one line; null without any"),
];

/// The columns of counters (`ph` is `C`), in order; every table has all of them. One row per series of a counter event. Texts
/// are categories, as in events, `value` is `f64`, all others are `i64`. Absence is null.
pub const COUNTER_COLUMNS: &[Column] = &[
    Column::new(INDEX, Unit::None, "position of the counter event in the file's traceEvents"),
    Column::new(NAME, Unit::None, "name of the counter"),
    Column::new(CAT, Unit::None, "category"),
    Column::new(TS, Unit::Nanos, "moment, on the trace's clock; exact in every compatibility mode"),
    Column::new(PID, Unit::None, "process; null where the file has a text"),
    Column::new(ID, Unit::None, "id that tells counters of one name apart"),
    Column::new(SERIES, Unit::None, "series of the counter: the key of its argument"),
    Column::new(VALUE, Unit::None, "value; null if it is not a number"),
    Column::new(INTEGER, Unit::None, "the same value, exactly, if it is a whole number"),
];
