//! Traces for tests and benches, as JSON text: written by hand, simulated, or of any size.

mod builder;
pub mod demo;
mod large;
mod random;

pub use builder::{Stream, TraceBuilder, gzip};
pub use large::{Job, Large, Written};
pub use random::Random;
