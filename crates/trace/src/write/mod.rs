//! Frames → files; traces → copies of them with changes.

pub mod arrow;
mod copy;
mod overlay;

pub(crate) use copy::is_same_file;
pub use copy::{Copied, TraceCopy, TraceEdit};
pub(crate) use overlay::Overlay;
