//! Call trees: nesting, building, contraction, hashes.

pub(crate) mod build;
mod contract;
mod graph;
pub(crate) mod hash;
pub(crate) mod modules;
pub(crate) mod nesting;
pub(crate) mod node;
