//! Names of events, for completion.

use crate::exec::checkpoint::{cancellable, guarded};
use crate::frame::READ_COLUMNS;
use crate::{Result, TraceSet};
use polars::prelude::PlSmallStr;
use std::cmp::Reverse;
use std::collections::HashMap;

impl TraceSet {
    /// Returns the most frequent names of events of the first rank, at most `most`, the most frequent first, equally frequent ones in
    /// alphabetical order. Empty for ranks that an engine reads.
    ///
    /// # Errors
    /// If the events cannot be read any more; [`Error::Interrupted`](crate::Error::Interrupted).
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let names = TraceSet::load("../../notebooks/data/control")?.frequent_names(3)?;
    /// assert_eq!(names.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn frequent_names(&self, most: usize) -> Result<Vec<String>> {
        guarded(|| {
            let Some(rank) = self.traces().first().filter(|rank| rank.elsewhere().is_none()) else {
                return Ok(Vec::new());
            };
            let rows = rank.rank_events(&rank.frame_of(&READ_COLUMNS.map(PlSmallStr::from_static))?, self.compat())?;
            let mut counts: HashMap<u32, usize> = HashMap::new();
            for row in cancellable(0..rows.len()) {
                *counts.entry(rows.name(row)).or_default() += 1;
            }
            // Sorted below.
            #[allow(clippy::iter_over_hash_type)]
            let mut names: Vec<(Reverse<usize>, &str)> =
                counts.into_iter().map(|(name, count)| (Reverse(count), rows.text(name))).collect();
            names.sort_unstable();
            Ok(names.into_iter().take(most).map(|(_, name)| name.to_owned()).collect())
        })
    }
}
