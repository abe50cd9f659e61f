//! Profiler traces as polars frames: read, compare, ask.
pub use polars;
/// Placeholder until the library lands.
#[derive(Debug, thiserror::Error)] #[error("")] pub struct Error;
/// Placeholder.
pub struct TraceSet;
/// Placeholder.
#[derive(Clone)] pub struct OpsDiff;
