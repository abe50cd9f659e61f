//! Scanner: extracts the items that users can name from the text of sources, without a compiler or types.
//!
//! Modules are followed from a crate's root, `pub use` is resolved by name across the crates of one scan, and `cfg` is evaluated
//! with the features of the workspace. Unstable, hidden and private items are left out. Macros are not expanded, except those with
//! named arguments inside an `impl`, as for integers, and plotly's setters.

mod attributes;
mod declared;
mod expand;
mod index_text;
mod item;
mod modules;
mod setters;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use index_text::index_text;

/// One crate to scan.
pub(super) struct CrateSource<'a> {
    /// Its name in paths.
    pub(super) name: &'a str,
    /// Path of its root file in `files`.
    pub(super) root: String,
    /// All files of the crate by path.
    pub(super) files: &'a BTreeMap<String, String>,
    /// Enabled features.
    pub(super) features: BTreeSet<String>,
    /// How much documentation is kept.
    pub(super) docs: Docs,
    /// Whether private items of the root module are visible to the user, as those of cells are.
    pub(super) sees_private: bool,
}

/// How much documentation is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Docs {
    /// All documentation.
    Whole,
    /// The text before the first heading and the first example, up to a limit.
    Summary,
}
