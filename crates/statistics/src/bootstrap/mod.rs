//! Bootstrap: which resamples are drawn, and the interval they give.

pub(crate) mod bca;
pub(crate) mod plan;
