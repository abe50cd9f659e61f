//! Iterations in their order: correlation, change points, outliers.

pub(crate) mod autocorrelation;
pub(crate) mod change_point;
pub(crate) mod outliers;
