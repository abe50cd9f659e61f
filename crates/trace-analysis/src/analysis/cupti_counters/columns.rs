//! Columns of counters of the device.

use trace_view::{Column, Unit};

/// The answer's columns before the counters.
pub(super) const COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("name", Unit::None, "range of the counters: the kernel"),
    Column::new("op_stack", Unit::None, "operators around its launch, the outermost first"),
    Column::new("top_level_op", Unit::None, "outermost operator around its launch"),
    Column::new("bottom_level_op", Unit::None, "innermost operator around its launch"),
    Column::new("dur (us)", Unit::Micros, "duration of the range"),
    Column::new(
        "flops",
        Unit::Count,
        "operations of threads by the counters: a fused multiplication and addition is two",
    ),
    Column::new("bytes", Unit::Bytes, "traffic of the device's memory by the counters"),
    Column::new("intensity", Unit::None, "operations for each byte"),
    Column::new("index", Unit::None, "position of the range in the file's traceEvents"),
    Column::new("index_runtime", Unit::None, "position of its launch"),
];
