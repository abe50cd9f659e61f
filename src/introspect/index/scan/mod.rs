//! Reads sources and says what can be called: no compiler, no types, only what stands in the text.
//!
//! Modules are followed from a crate's root, `pub use` is resolved by name across the crates of one scan, `cfg` is decided
//! by the features that the workspace turns on. Items that are unstable, hidden or private stay out. Macros are not
//! expanded, but for those that stand in an `impl` and name their parts, as the integers' do, and for plotly's setters.

mod attributes;
mod declared;
mod expand;
mod modules;
mod setters;
mod write;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use write::write;

/// One crate to read.
pub(super) struct Source<'a> {
    /// Its name as a path begins.
    pub(super) name: &'a str,
    /// The file of its root, among `files`.
    pub(super) root: String,
    /// Every file of the crate, by path.
    pub(super) files: &'a BTreeMap<String, String>,
    /// The features that are on.
    pub(super) features: BTreeSet<String>,
    /// How much documentation is kept.
    pub(super) docs: Docs,
    /// Whether the reader stands in the crate's root, and so sees what is private there: true of cells.
    pub(super) inside: bool,
}

/// How much documentation is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Docs {
    /// All of it.
    Whole,
    /// What stands before the first heading and the first example, within limits.
    Summary,
}
