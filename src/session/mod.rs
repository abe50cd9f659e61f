//! The state of a notebook: loaded traces by label, frames that magics bound, and a snapshot for completion.

pub mod allocator;
mod cache;
mod cells;
mod items;
pub mod label;
mod notebook;
mod view;

pub use cache::CacheSetting;
pub use cells::{Binding, Cells, Variable};
pub use items::Items;
pub use notebook::Session;
pub use view::{TraceView, View};
