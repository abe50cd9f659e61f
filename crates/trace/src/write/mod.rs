//! Files that are written: saved traces and frames, exports, copies of traces with changes, outputs that the user names.

pub mod arrow;
mod copy;
#[cfg(test)]
mod edited;
mod kept_file;
mod micros;
mod output;
mod overlay;
pub mod parquet;
mod path_overlay;
mod trim;

pub(crate) use copy::is_same_file;
pub use copy::{Copied, TraceCopy, TraceEdit};
pub(crate) use kept_file::KeptFile;
pub(crate) use micros::micros_text;
pub use output::OutputFile;
pub(crate) use overlay::Overlay;
pub(crate) use path_overlay::{Anchor, Arrow, Moment, PathOverlay};
