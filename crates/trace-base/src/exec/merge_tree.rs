//! Merge of results that come in any order, in a balanced tree: the same merges however threads run.

use crate::Result;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Results of many ranks, merged in pairs, then in pairs of pairs.
///
/// ```text
/// level 0   r0  r1  r2  r3  r4
/// level 1   r0r1    r2r3    r4
/// level 2   r0r1r2r3        r4
/// level 3   r0r1r2r3r4
/// ```
pub(super) struct MergeTree<S, M> {
    ranks: usize,
    merge: M,
    /// Results that wait for the one beside them, by level and position in it; in the end that of all ranks.
    waiting: Mutex<BTreeMap<(u32, usize), S>>,
}

impl<S, M: Fn(S, S) -> Result<S>> MergeTree<S, M> {
    /// Prepares the merge of so many ranks with `merge`, which has the earlier ranks on the left.
    pub(super) fn new(ranks: usize, merge: M) -> Self {
        Self { ranks, merge, waiting: Mutex::default() }
    }

    /// Adds the result of a rank, and merges all pairs that it completes. Other threads add results meanwhile.
    ///
    /// # Errors
    /// That of the merge.
    pub(super) fn add(&self, rank: usize, mut result: S) -> Result<()> {
        let (mut level, mut position) = (0, rank);
        loop {
            let width = self.ranks.div_ceil(1 << level);
            let beside = position ^ 1;
            if width <= 1 || beside < width {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(other) = waiting.remove(&(level, beside)) else {
                    waiting.insert((level, position), result);
                    return Ok(());
                };
                drop(waiting);
                let (earlier, later) = if beside < position { (other, result) } else { (result, other) };
                result = (self.merge)(earlier, later)?;
            }
            (level, position) = (level + 1, position / 2);
        }
    }

    /// Returns the result of all ranks; `None` without ranks.
    pub(super) fn into_all(self) -> Option<S> {
        self.waiting.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().next()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn results_in_any_order_merge_in_the_order_of_ranks() {
        let merge = |one: String, other: String| Ok(format!("({one}{other})"));
        for (ranks, wanted) in [
            (1, "0"),
            (2, "(01)"),
            (3, "((01)2)"),
            (5, "(((01)(23))4)"),
            (6, "(((01)(23))(45))"),
            (7, "(((01)(23))((45)6))"),
        ] {
            for step in [1, 11, 13, 59] {
                let tree = MergeTree::new(ranks, merge);
                for rank in (0..ranks).map(|index| (index * step + 3) % ranks) {
                    tree.add(rank, rank.to_string()).unwrap();
                }
                assert_eq!(tree.into_all().unwrap(), wanted);
            }
        }
        assert!(MergeTree::new(0, merge).into_all().is_none());
    }
}
