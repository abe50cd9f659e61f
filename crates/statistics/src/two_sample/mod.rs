//! Tests of two samples.

pub(crate) mod brunner_munzel;
pub(crate) mod mann_whitney;
pub(crate) mod permutation;
pub(crate) mod rank_sums;
pub(crate) mod signed_rank;
pub(crate) mod welch;
