//! Parts of every method: checked input, moments, distributions, random numbers.

pub(crate) mod distribution;
pub(crate) mod error;
pub(crate) mod interval;
pub(crate) mod moments;
pub(crate) mod random;
pub(crate) mod ranks;
