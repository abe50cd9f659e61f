//! HTA's critical path of a rank, under `--compat hta`: [`hta_rules::critical_path`] asked about the frame of a rank.

mod frame;
mod overlay;
mod path;
mod query;
mod run;
mod tables;

pub use overlay::HtaOverlay;
pub use path::{HtaEdge, HtaPath};
pub use query::HtaCriticalPath;
pub use run::critical_paths_as_hta;
