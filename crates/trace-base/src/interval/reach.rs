//! Search tree over the ends of intervals.

/// The ends of intervals, in the order of their starts. Finds the last of the first `count` that reaches a moment, in
/// logarithmic time for any overlaps.
///
/// ```text
/// 0  |---------------|
/// 1     |----|
/// 2            |--|
/// 3                    |--|        the last of the first three that reaches ▲ is 0
///                   ▲
/// ```
pub struct Reach {
    /// A binary tree of maxima: the children of `n` are `2 n` and `2 n + 1`, the leaves are the ends.
    tree: Vec<i64>,
    leaves: usize,
}

impl Reach {
    /// Builds the tree of `ends`.
    pub fn new(ends: &[i64]) -> Self {
        // One leaf more than ends, so that the position after the last end is a leaf, too.
        let leaves = (ends.len() + 1).next_power_of_two();
        let mut tree = vec![i64::MIN; 2 * leaves];
        tree[leaves..leaves + ends.len()].copy_from_slice(ends);
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        Self { tree, leaves }
    }

    /// Returns the last of the first `count` intervals whose end is at or after `moment`.
    pub fn last(&self, count: usize, moment: i64) -> Option<usize> {
        let mut node = self.leaves + count;
        loop {
            // To the nearest ancestor with a left sibling, and to that sibling.
            node >>= node.trailing_zeros();
            if node == 1 {
                return None;
            }
            node -= 1;
            if self.tree[node] >= moment {
                break;
            }
        }
        while node < self.leaves {
            node = 2 * node + usize::from(self.tree[2 * node + 1] >= moment);
        }
        Some(node - self.leaves)
    }

    /// Removes an interval.
    pub fn remove(&mut self, index: usize) {
        let mut node = self.leaves + index;
        self.tree[node] = i64::MIN;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::merge::tests::arbitrary;

    #[test]
    fn last_reaching_equals_a_linear_search() {
        for seed in 0..200 {
            let mut ends: Vec<i64> = arbitrary(seed, seed as usize % 19).iter().map(|span| span.end).collect();
            let mut reach = Reach::new(&ends);
            for step in 0..=ends.len() {
                for count in 0..=ends.len() {
                    for moment in [0, 7, 20, 40, 60, 80] {
                        let slow = ends[..count].iter().rposition(|&end| end >= moment);
                        assert_eq!(reach.last(count, moment), slow, "{ends:?}, first {count}, {moment}");
                    }
                }
                if step < ends.len() {
                    let index = (step * 7 + seed as usize) % ends.len();
                    ends[index] = i64::MIN;
                    reach.remove(index);
                }
            }
        }
    }
}
