//! Durations, sizes, numbers and lists as text: every message, table and figure formats them here.

mod date;
mod duration;
mod list;
mod nearest;
pub mod number;
mod size;

pub use date::{date, utc};
pub use duration::{microseconds, microseconds_changed, nanoseconds, seconds};
pub use list::{counted, list, numbered, numbers, ranges};
pub use nearest::nearest;
pub use number::grouped;
pub use size::bytes;
