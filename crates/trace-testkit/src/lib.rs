//! Traces written by hand, as the JSON text the reader reads; for tests and benches.

mod builder;
pub mod demo;
mod large;
mod random;

pub use builder::{Stream, TraceBuilder, gzip};
pub use large::{Large, Written};
pub use random::Random;
