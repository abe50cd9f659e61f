//! The state of a notebook: loaded traces by label, groups of runs, frames that magics bound, and snapshots for
//! completion and for conversations.

pub mod allocator;
mod cache;
mod cells;
mod groups;
mod items;
pub mod label;
mod notebook;
pub mod run_paths;
mod shared;
mod shown_warnings;
mod view;

pub use cache::CacheSetting;
pub use cells::{Binding, Cells, Variable};
pub use groups::Groups;
pub use items::Items;
pub use notebook::Session;
pub use shared::{LoadId, LoadedTrace, SharedSnapshot, Snapshot};
pub use view::{TraceView, View};
