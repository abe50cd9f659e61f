//! Alignment of two call trees: regions of control and test that are compared with each other.

mod fusion;
mod kernels;
mod mapping;
mod moves;
mod period;
mod region;
mod score;
mod sequence;
mod wrappers;

pub(crate) use kernels::{Hashed, matched};
pub(crate) use mapping::{Mapping, map};
pub(crate) use region::aligned;
pub use region::{Alignment, Grade, Region, Why, align};
pub(crate) use score::Trees;
