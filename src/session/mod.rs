//! What a notebook holds: loaded traces by label, frames that magics bound, and a view of it for completion.

mod cells;
mod items;
pub mod label;
pub mod memory;
mod notebook;
mod view;

pub use cells::{Binding, Cells, Variable};
pub use items::Items;
pub use notebook::Session;
pub use view::{TraceView, View};
