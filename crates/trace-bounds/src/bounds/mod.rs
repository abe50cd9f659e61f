//! Bounds of the steps of two runs, and their change: the answers of [`critical_path`](crate::critical_path) to both runs, by class
//! of time and by region of their [explanation](crate::Explanation).

mod change;
mod present;
mod regions;
#[cfg(test)]
mod tests;

pub use change::{BoundChange, ClassBound};
pub use regions::RegionBound;
