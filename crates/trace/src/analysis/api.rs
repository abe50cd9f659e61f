//! The trait of all analyses, and the partial results that they merge.

use super::{Answer, Parameter, RankView, TableSchema};
use crate::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An analysis of one trace. Its fields are its parameters; their defaults are HTA's.
///
/// [`map`](Self::map) turns each rank into a partial result, partial results merge in any order, and
/// [`finish`](Self::finish) turns the merged result into an [`Answer`].
pub trait Analysis: Default + Serialize + DeserializeOwned + Sync {
    /// The name of catalog row, magic and file: HTA's method without `get_`.
    const NAME: &'static str;
    /// One line for help and completion.
    const SUMMARY: &'static str;
    /// The fields with their meaning, except `ranks`.
    const PARAMETERS: &'static [Parameter];
    /// The tables of the answer, in order.
    const TABLES: &'static [TableSchema];
    /// Further paragraphs of the help; may be empty.
    const NOTES: &'static str = "";
    /// Whether only the first rank is analysed by default, as in HTA.
    const FIRST_RANK_ONLY: bool = false;
    /// Whether launches matter: a filtered trace then includes the launches of the kernels that pass the filter.
    const LAUNCHES: bool = false;
    /// Estimated working memory per analysed row, in bytes, for [`Analysis::map`] and [`Analysis::finish`] including the
    /// answer. An analysis that would exceed the memory budget is refused before it starts. The most that was measured for
    /// the catalog is 41 (`examples/ask.rs`).
    const BYTES_PER_ROW: usize = 48;
    /// The partial result: exact, and independent of the order in which ranks are merged.
    type State: Merge + Default + Send + Serialize + DeserializeOwned;

    /// Computes the partial result of one rank.
    ///
    /// # Errors
    /// If its events lack a column.
    fn map(&self, rank: &RankView) -> Result<Self::State>;

    /// Computes the answer from the merged result of all ranks.
    ///
    /// # Errors
    /// If a parameter is invalid.
    fn finish(&self, state: Self::State) -> Result<Answer>;

    /// Returns the ranks that its parameters name; `None` leaves the choice to [`Analysis::FIRST_RANK_ONLY`].
    fn ranks(&self) -> Option<&[i64]> {
        None
    }

    /// Returns the streams that its parameters name; one that no rank has is an error.
    fn streams(&self) -> Option<&[i64]> {
        None
    }
}

/// A partial result, mergeable in any order and grouping.
pub trait Merge {
    /// Merges the result of other ranks.
    fn merge(&mut self, other: Self);
}

/// Partial results by rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByRank<T>(pub(crate) BTreeMap<i64, T>);

impl<T> Default for ByRank<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> ByRank<T> {
    /// Wraps the result of one rank.
    pub(crate) fn of(rank: i64, result: T) -> Self {
        Self(BTreeMap::from([(rank, result)]))
    }

    /// Returns the ranks whose result satisfies `condition`, ascending.
    pub(crate) fn ranks_where(&self, condition: impl Fn(&T) -> bool) -> Vec<i64> {
        self.0.iter().filter(|(_, result)| condition(result)).map(|(&rank, _)| rank).collect()
    }
}

impl<T> Merge for ByRank<T> {
    fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}
