//! A row of a roofline: equal calls of an operator.

use efficiency::BoundBy;

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
}
