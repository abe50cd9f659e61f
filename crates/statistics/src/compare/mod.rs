//! The comparison of many quantities of two sides: tests, intervals, controls, verdicts.

pub(crate) mod adjust;
pub(crate) mod answer;
mod correlations;
mod errors;
pub(crate) mod estimate;
pub(crate) mod judge;
pub(crate) mod mirror;
pub(crate) mod noise;
pub(crate) mod quantity;
pub(crate) mod run;
pub(crate) mod verdict;
