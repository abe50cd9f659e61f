//! Frames → files; traces → copies of them with changes; how a file that the user named is written.

pub mod arrow;
mod copy;
mod output;
mod overlay;

pub(crate) use copy::is_same_file;
pub use copy::{Copied, TraceCopy, TraceEdit};
pub use output::OutputFile;
pub(crate) use overlay::Overlay;
