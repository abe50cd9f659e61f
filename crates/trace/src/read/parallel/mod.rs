//! One file read by several threads: workers parse chunks into fragments, a coordinator merges them in file order.
//!
//! ```text
//! file ─► chunks ─► queue ─► workers: fragments ─┐
//!                     └────► coordinator: parses ┴ merges in order ─► sink
//! ```

mod ahead;
mod chunk;
mod coordinator;
mod queue;
mod worker;

pub(crate) use ahead::read_ahead;
#[cfg(any(test, fuzzing))]
pub(crate) use chunk::Boundaries;
pub(crate) use coordinator::read_parallel;
#[cfg(any(test, fuzzing))]
pub(crate) use coordinator::read_planned;
#[cfg(any(test, fuzzing))]
pub(crate) use queue::Plan;
