//! Files that are written: saved traces and frames, exports, copies of traces with changes, outputs that the user names.

pub mod arrow;
mod copy;
mod kept_file;
mod output;
mod overlay;
pub mod parquet;

pub(crate) use copy::is_same_file;
pub use copy::{Copied, TraceCopy, TraceEdit};
pub(crate) use kept_file::KeptFile;
pub use output::OutputFile;
pub(crate) use overlay::Overlay;
