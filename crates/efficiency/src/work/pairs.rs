//! Pairs of a query and a key that attention computes.

/// Which keys a query sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mask {
    pub(crate) causal: Causal,
    /// Keys before the newest that a query sees, if a window limits them; only with a causal mask.
    pub(crate) window: Option<u64>,
}

/// How a causal mask is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Causal {
    No,
    /// Query i sees the first i + 1 keys.
    TopLeft,
    /// The last query sees all keys.
    End,
}

/// Adds up `min(first + i, cap)` for so many rows i from 0.
fn sum_up_to(first: u128, rows: u128, cap: u128) -> u128 {
    // Rows before the cap is reached.
    let growing = cap.saturating_sub(first).min(rows);
    let ends = first.saturating_mul(2).saturating_add(growing.saturating_sub(1));
    // One of two neighbours is even, also among the two factors here.
    let triangle =
        if growing.is_multiple_of(2) { (growing / 2).saturating_mul(ends) } else { growing.saturating_mul(ends / 2) };
    triangle.saturating_add((rows - growing).saturating_mul(cap))
}

impl Mask {
    /// No mask.
    #[cfg(test)]
    pub(crate) const FULL: Self = Self { causal: Causal::No, window: None };

    /// Counts the pairs of a sequence with so many queries and keys.
    pub(crate) fn pairs(self, queries: u64, keys: u64) -> u128 {
        let (queries, keys) = (u128::from(queries), u128::from(keys));
        let cap = self.window.map_or(keys, |window| keys.min(u128::from(window).saturating_add(1)));
        match self.causal {
            Causal::No => queries.saturating_mul(keys),
            // Behind the last key, queries see all keys, or those of a window that has not left them.
            Causal::TopLeft => match self.window {
                None => sum_up_to(1, queries, keys),
                Some(_) => sum_up_to(1, queries.min(keys), cap),
            },
            // Queries before the first key see nothing.
            Causal::End if queries > keys => sum_up_to(1, keys, cap),
            Causal::End => sum_up_to(keys - queries + 1, queries, cap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enumerated(mask: Mask, queries: u64, keys: u64) -> u128 {
        let mut count = 0;
        for query in 0..i128::from(queries) {
            let newest = match mask.causal {
                Causal::No => i128::MAX,
                Causal::TopLeft => query,
                Causal::End => query + i128::from(keys) - i128::from(queries),
            };
            for key in 0..i128::from(keys) {
                let is_seen = key <= newest && mask.window.is_none_or(|window| key + i128::from(window) >= newest);
                count += u128::from(is_seen);
            }
        }
        count
    }

    #[test]
    fn pairs_of_every_mask_equal_enumeration() {
        for causal in [Causal::TopLeft, Causal::End] {
            for window in [None, Some(0), Some(1), Some(3), Some(100)] {
                let mask = Mask { causal, window };
                for queries in 0..9 {
                    for keys in 0..9 {
                        let is_past_keys = causal == Causal::TopLeft && window.is_some() && queries > keys;
                        if !is_past_keys {
                            assert_eq!(
                                mask.pairs(queries, keys),
                                enumerated(mask, queries, keys),
                                "{mask:?} {queries} {keys}"
                            );
                        }
                    }
                }
            }
        }
        assert_eq!(Mask::FULL.pairs(3, 5), 15);
    }

    #[test]
    fn huge_lengths_are_counted_at_once() {
        for causal in [Causal::No, Causal::TopLeft, Causal::End] {
            let mask = Mask { causal, window: None };
            assert!(mask.pairs(u64::MAX, u64::MAX) > 1 << 120);
        }
    }
}
