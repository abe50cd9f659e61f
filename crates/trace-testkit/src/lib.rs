//! Traces for tests and benches, as JSON text, also in Perfetto's form: written by hand, simulated, of any size, or edited copies of recorded ones; and processes for single tests.

pub mod bound;
mod builder;
mod collective;
pub mod demo;
pub mod edits;
mod large;
mod own_process;
mod pftrace;
mod random;
mod random_json;
pub mod server;
pub mod statements;

pub use builder::{Stream, TraceBuilder, gzip};
pub use collective::{ALL_REDUCE, rank_with_collective};
pub use large::{Job, Large, Written};
pub use own_process::{in_own_process, is_own_process};
pub use pftrace::{Layout, pftrace};
pub use random::Random;
pub use random_json::{mutated, random_json};
