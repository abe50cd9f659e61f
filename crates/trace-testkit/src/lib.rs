//! Traces for tests and benches, as JSON text, also in Perfetto's form: written by hand, simulated, of any size, or edited copies of recorded ones.

pub mod bound;
mod builder;
mod collective;
pub mod demo;
pub mod edits;
mod large;
mod pftrace;
mod random;
pub mod statements;

pub use builder::{Stream, TraceBuilder, gzip};
pub use collective::{ALL_REDUCE, rank_with_collective};
pub use large::{Job, Large, Written};
pub use pftrace::{Layout, pftrace};
pub use random::Random;
