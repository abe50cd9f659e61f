//! One file read by several threads.

mod ahead;
mod chunk;
mod coordinator;
mod queue;

pub(crate) use ahead::read_ahead;
#[cfg(any(test, fuzzing))]
pub(crate) use chunk::Seams;
#[cfg(any(test, fuzzing))]
pub(crate) use coordinator::read_planned;
pub(crate) use coordinator::{PartSink, read_parts};
#[cfg(any(test, fuzzing))]
pub(crate) use queue::Plan;
