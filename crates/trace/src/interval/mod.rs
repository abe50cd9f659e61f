//! Arithmetic on stretches of time, in integer nanoseconds; knows nothing of traces.

mod merge;
mod overlap;

pub(crate) use merge::{Span, length, merged};
pub(crate) use overlap::overlaps;
