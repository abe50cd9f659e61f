//! The facts of a file that a load brings home: the partial result of the question `load`.

use crate::frame::ColumnType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The facts of files, by their place in the listing.
pub(crate) type Heads = BTreeMap<usize, Head>;

/// What is known of a file without its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// Where it is.
    pub(crate) uri: String,
    /// Its name, as a load from there gives it.
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<i64>,
    /// The node that read it.
    pub(crate) node: Option<String>,
    pub(crate) content: HeadContent,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum HeadContent {
    /// A rank that is wanted.
    Rank {
        /// Its [`RankInfo`](crate::RankInfo) as JSON: metadata describes itself, which partial results do not.
        info: String,
        /// What was repaired, as JSON.
        warnings: String,
        columns: Vec<(String, ColumnType)>,
        has_stacks: bool,
        has_graphs: bool,
    },
    /// A rank that is not wanted.
    OtherRank(i64),
    /// It is no trace, and why: a folder may have other JSON, too.
    Skipped(String),
    /// It could not be read, and why.
    Failed(String),
}
