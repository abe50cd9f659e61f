//! Nesting of calls by their intervals, and trees over rows.
//!
//! Everything that nests does it here: call trees, call stacks, self times, the innermost frame at a moment.

mod forest;
mod sweep;
mod totals;

pub use forest::{Forest, Growing, Walk};
pub(crate) use sweep::nest_each;
pub use sweep::{Call, Closing, Step, nest, sort};
pub use totals::{Kernels, Role, SelfTimes, Totals};
