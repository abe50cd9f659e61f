//! Index of what a cell can name: items by module, members by type, each with its signature and documentation.

mod cell_items;
mod common_members;
mod item;
mod lookup;
mod scan;
mod sources;
mod type_text;

pub(crate) use cell_items::{CELL_CRATE, cell_index_text};
pub(crate) use item::{Item, Kind, Origin};
pub(crate) use lookup::Index;
pub use lookup::warm_up;
pub(crate) use type_text::Type;
