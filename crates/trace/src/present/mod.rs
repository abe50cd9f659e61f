//! Data frames as tables to show.

mod frame_table;

pub use frame_table::{display_table, frame_table};
