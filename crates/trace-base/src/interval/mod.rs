//! Arithmetic on intervals of time, in integer nanoseconds.

mod innermost;
mod merge;
mod outermost;
mod overlap;
mod reach;

pub use innermost::innermost;
pub use merge::{Span, length, merged, union_length};
pub use outermost::outermost;
pub use overlap::overlaps;
pub use reach::Reach;
