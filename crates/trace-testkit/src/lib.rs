//! Traces written by hand, as the JSON text the reader reads; for tests and benches.

mod builder;
pub mod demo;

pub use builder::{Stream, TraceBuilder, gzip};
