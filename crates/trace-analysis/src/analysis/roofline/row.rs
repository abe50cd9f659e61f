//! A row of a roofline: equal calls of an operator.

use crate::present::Field;
use efficiency::BoundBy;
use trace_view::Unit;

/// A row of the answer.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) shapes: String,
    pub(super) types: String,
    pub(super) family: String,
    pub(super) count: u64,
    /// Of all calls, in ns.
    pub(super) ns: i64,
    /// Of it that of calls that a companion lends.
    pub(super) borrowed: i64,
    pub(super) flops: u128,
    pub(super) bytes: u128,
    pub(super) tflops: f64,
    pub(super) gigabytes: f64,
    pub(super) intensity: f64,
    /// Share of the roofline, and the limit that binds.
    pub(super) reached: Option<(f64, BoundBy)>,
    pub(super) peak: String,
    pub(super) device: String,
    pub(super) note: String,
    /// Percent of the time of all kernels, or of all counted calls.
    pub(super) share: f64,
}

impl Row {
    /// Number of columns of an answer without a companion.
    pub(super) const WITHOUT_COMPANION: usize = 17;

    /// The columns of the answer.
    pub(super) const COLUMNS: [Field<Self>; 18] = [
        Field::name("name", "operator", |row| Some(&row.name)),
        Field::text("shapes", "shapes of its inputs", |row| Some(row.shapes.clone())),
        Field::word("types", "types of its inputs", |row| Some(&row.types)),
        Field::word("family", "kind of work, by which it is counted", |row| Some(&row.family)),
        Field::whole("count", Unit::Count, "calls", |row| i64::try_from(row.count).ok()),
        Field::time("time (us)", "time of their kernels; of the calls, where nothing ran on a GPU", |row| Some(row.ns)),
        Field::share("share_of_time", "of the time of all kernels, or of all counted calls", |row| Some(row.share)),
        Field::number(
            "gflop",
            Unit::None,
            "billions of operations of a call; a multiplication and an addition are two",
            |row| Some(row.flops as f64 / 1e9),
        ),
        Field::number("megabytes", Unit::None, "millions of bytes that a call must at least move", |row| {
            Some(row.bytes as f64 / 1e6)
        }),
        Field::number("TFLOP/s", Unit::None, "operations that were reached", |row| Some(row.tflops)),
        Field::number("GB/s", Unit::GigabytesPerSecond, "traffic that was reached", |row| Some(row.gigabytes)),
        Field::number("intensity", Unit::None, "operations for each byte", |row| Some(row.intensity)),
        Field::share(
            "roofline",
            "least time that the device allows, of the time that passed; not cut above 100",
            |row| row.reached.map(|(share, _)| 100.0 * share),
        ),
        Field::word("bound_by", "limit that binds: compute or memory", |row| match row.reached?.1 {
            BoundBy::Compute => Some("compute"),
            BoundBy::Memory => Some("memory"),
        }),
        Field::word("peak", "peak of operations that counts, by type", |row| Some(&row.peak)),
        Field::word("device", "device whose limits count", |row| Some(&row.device)),
        Field::text("note", "remark on the count", |row| Some(row.note.clone())),
        Field::time("borrowed (us)", "with a companion: of the time that of calls which it lends to graphs", |row| {
            Some(row.borrowed)
        }),
    ];
}

/// A limit that counts, with its source.
pub(super) struct Limit<'p> {
    pub(super) device: &'p str,
    pub(super) limit: String,
    pub(super) value: f64,
    pub(super) reachable: Option<f64>,
    pub(super) source: &'p str,
}

impl Limit<'_> {
    /// The columns of the limits.
    pub(super) const COLUMNS: [Field<Self>; 5] = [
        Field::word("device", "variant of a device", |row| Some(row.device)),
        Field::word("limit", "type of operations (TFLOP/s), or bandwidth (GB/s)", |row| Some(&row.limit)),
        Field::number("value", Unit::None, "limit of dense operations", |row| Some(row.value)),
        Field::number("reachable", Unit::None, "what measurements are known to reach", |row| row.reachable),
        Field::text("source", "origin of the number", |row| Some(row.source.to_owned())),
    ];
}
