//! Merging of partial results.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A partial result, mergeable in any order and grouping.
pub trait Merge {
    /// Merges the result of other ranks.
    fn merge(&mut self, other: Self);
}

/// Partial results by rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByRank<T>(pub BTreeMap<i64, T>);

impl<T> Default for ByRank<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> ByRank<T> {
    /// Wraps the result of one rank.
    pub fn of(rank: i64, result: T) -> Self {
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
