//! The aligned tree of both sides, whose rows add up to the step.

mod certainty;
mod columns;
mod cut;
mod entry;
mod idle;
mod json;
mod merge;
mod names;
mod open;
mod present;
#[cfg(test)]
mod program_tests;
#[cfg(test)]
mod tests;
mod tree;

pub use entry::TreeKind;
pub(super) use names::{either, main_leaf};
pub use tree::{TreeDiff, TreeRow};
