//! Call trees: nesting, building, contraction, hashes.

pub(crate) mod build;
mod contract;
pub(crate) mod hash;
pub(crate) mod nesting;
pub(crate) mod node;
