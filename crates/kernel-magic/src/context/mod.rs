//! The context of a running magic: the session, the Rust side, outputs, and files that the user named.

mod annotations;
#[allow(clippy::module_inception)]
mod context;
mod figure_file;
pub mod jobs;
mod output_file;
mod progress;
mod runs;

pub use context::Context;
pub(super) use figure_file::{write_page, write_picture};
pub use output_file::write;
pub use progress::Progress;
pub use runs::labeled;
pub(super) use runs::{counted, listed, run_labels};
