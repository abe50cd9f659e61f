//! Traces for tests and benches, as JSON text: written by hand, simulated, of any size, or edited copies of recorded ones.

mod builder;
mod collective;
pub mod demo;
pub mod edits;
mod large;
mod random;

pub use builder::{Stream, TraceBuilder, gzip};
pub use collective::{ALL_REDUCE, rank_with_collective};
pub use large::{Job, Large, Written};
pub use random::Random;
