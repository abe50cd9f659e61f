//! The state of a notebook: loaded traces by label, groups of runs, frames that magics bound, and a snapshot for completion.

pub mod allocator;
mod cache;
mod cells;
mod groups;
mod items;
pub mod label;
mod notebook;
pub mod run_paths;
mod view;

pub use cache::CacheSetting;
pub use cells::{Binding, Cells, Variable};
pub use groups::Groups;
pub use items::Items;
pub use notebook::Session;
pub use view::{TraceView, View};
