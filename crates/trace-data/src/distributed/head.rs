//! The facts of a file that a load brings home: the partial result of the question `load`.

use crate::frame::ColumnType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The facts of files, by their place in the listing.
pub type Heads = BTreeMap<usize, Head>;

/// What is known of a file without its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Path or address of the file.
    pub uri: String,
    /// Its name, as a load from there gives it.
    pub file: String,
    /// Size of the file.
    pub bytes: u64,
    /// When it was changed, in ns since 1970.
    pub modified: Option<i64>,
    /// The node that read it.
    pub node: Option<String>,
    /// Content of the file: a wanted rank with the facts that its load needs, or the reason to leave the file out.
    pub content: HeadContent,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HeadContent {
    /// A rank that is wanted.
    Rank {
        /// Its [`RankInfo`](crate::RankInfo) as JSON: metadata describes itself, which partial results do not.
        info: String,
        /// Warnings of the load, as JSON.
        warnings: String,
        /// The columns of its events.
        columns: Vec<(String, ColumnType)>,
        /// Whether it has frames of Python or of modules.
        has_stacks: bool,
        /// Whether it has launches of graphs.
        has_graphs: bool,
    },
    /// A rank that is not wanted.
    OtherRank(i64),
    /// It is no trace, and why: a folder may have other JSON, too.
    Skipped(String),
    /// It could not be read, and why.
    Failed(String),
}
