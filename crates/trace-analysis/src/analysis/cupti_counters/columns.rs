//! Columns of counters of the device.

use crate::present::Field;
use trace_view::Unit;

/// A row of the answer, before the counters.
pub(super) struct Row<'r> {
    pub(super) rank: i64,
    pub(super) name: &'r str,
    /// Operators around the launch, the outermost first, and all of them as one text.
    pub(super) stack: &'r [&'r str],
    pub(super) joined: &'r str,
    /// Duration in ns.
    pub(super) ns: i64,
    pub(super) flops: Option<f64>,
    pub(super) bytes: Option<f64>,
    pub(super) intensity: Option<f64>,
    pub(super) index: i64,
    pub(super) launch: Option<i64>,
}

impl Row<'_> {
    /// The answer's columns before the counters.
    pub(super) const COLUMNS: [Field<Self>; 11] = [
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::name("name", "range of the counters: the kernel", |row| Some(row.name)),
        Field::name("op_stack", "operators around its launch, the outermost first", |row| {
            Some(row.joined).filter(|text| !text.is_empty())
        }),
        Field::name("top_level_op", "outermost operator around its launch", |row| row.stack.first().copied()),
        Field::name("bottom_level_op", "innermost operator around its launch", |row| row.stack.last().copied()),
        Field::time("dur (us)", "duration of the range", |row| Some(row.ns)),
        Field::number(
            "flops",
            Unit::Count,
            "operations of threads by the counters: a fused multiplication and addition is two",
            |row| row.flops,
        ),
        Field::number("bytes", Unit::Bytes, "traffic of the device's memory by the counters", |row| row.bytes),
        Field::number("intensity", Unit::None, "operations for each byte", |row| row.intensity),
        Field::id("index", "position of the range in the file's traceEvents", |row| Some(row.index)),
        Field::id("index_runtime", "position of its launch", |row| row.launch),
    ];
}
