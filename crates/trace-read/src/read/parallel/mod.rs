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

pub use ahead::read_ahead;
pub use chunk::Boundaries;
pub use coordinator::read_parallel;
pub use coordinator::read_planned;
pub use queue::Plan;
