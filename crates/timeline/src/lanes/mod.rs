//! Lanes: events on levels without overlap, and counters; what of them a window shows.

mod forest;
mod lane;
mod selection;
mod series;
mod slices;
mod stacking;
mod sums;
mod window;

pub use lane::{Lane, Level, Name, Span};
pub use selection::NameSum;
pub use series::{Point, Samples, Series};
pub use slices::Slices;
pub use stacking::side_by_side;
pub use window::Window;
