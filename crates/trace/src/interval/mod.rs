//! Arithmetic on intervals of time, in integer nanoseconds.

mod innermost;
mod merge;
mod outermost;
mod overlap;
mod reach;

pub(crate) use innermost::innermost;
pub(crate) use merge::{Span, length, merged};
pub(crate) use outermost::outermost;
pub(crate) use overlap::overlaps;
pub(crate) use reach::Reach;
