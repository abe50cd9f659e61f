//! Files that are written: saved traces and frames, exports, copies of traces with changes, outputs that the user names.

pub mod arrow;
mod copy;
#[cfg(test)]
mod edited;
mod micros;
mod output;
mod overlay;
pub mod parquet;
mod path_overlay;
mod top_level;
mod trim;
mod versioned_file;

pub use copy::is_same_file;
pub use copy::{Copied, TraceCopy, TraceEdit};
pub use micros::micros_text;
pub use output::OutputFile;
pub use overlay::Overlay;
pub use path_overlay::{Anchor, Arrow, Moment, PathOverlay};
pub use top_level::TopLevel;
pub use versioned_file::VersionedFile;
