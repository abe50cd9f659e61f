//! The place of the largest value in any range, in O(log n).

/// Values below one leaf of the tree.
const BLOCK: usize = 16;

/// An implicit tree over blocks of values: each node has the place of the largest value below it. Half a byte per value.
///
/// The values stay where they are: every call gets the same function from places to values.
#[derive(Debug, Clone, Default)]
pub(super) struct Forest {
    /// Node 1 is the root, the children of `n` are `2 n` and `2 n + 1`; the leaves are the second half.
    nodes: Vec<u32>,
}

impl Forest {
    /// The tree of so few values that they are read one by one.
    pub(super) const EMPTY: Self = Self { nodes: Vec::new() };

    /// Builds the tree over the values of the places `0..len`, in linear time.
    pub(super) fn new(len: usize, value: impl Fn(usize) -> i64) -> Self {
        let blocks = len.div_ceil(BLOCK);
        if blocks < 2 {
            return Self::default();
        }
        let mut nodes = vec![0; 2 * blocks];
        for block in 0..blocks {
            let range = block * BLOCK..((block + 1) * BLOCK).min(len);
            nodes[blocks + block] = scan(range.start, range.end, &value) as u32;
        }
        for node in (1..blocks).rev() {
            nodes[node] = larger(nodes[2 * node] as usize, nodes[2 * node + 1] as usize, &value) as u32;
        }
        Self { nodes }
    }

    /// Returns the place of the largest value of a range that is not empty; of equal ones the first.
    pub(super) fn largest(&self, from: usize, to: usize, value: impl Fn(usize) -> i64) -> usize {
        let blocks = self.nodes.len() / 2;
        let (mut low, mut high) = (from.div_ceil(BLOCK), to / BLOCK);
        if low >= high || blocks == 0 {
            return scan(from, to, &value);
        }
        let mut best = from;
        if from < low * BLOCK {
            best = scan(from, low * BLOCK, &value);
        }
        if high * BLOCK < to {
            best = larger(best, scan(high * BLOCK, to, &value), &value);
        }
        (low, high) = (low + blocks, high + blocks);
        while low < high {
            if low % 2 == 1 {
                best = larger(best, self.nodes[low] as usize, &value);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                best = larger(best, self.nodes[high] as usize, &value);
            }
            (low, high) = (low / 2, high / 2);
        }
        best
    }

    /// Memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<u32>()
    }
}

/// Returns the place of the largest value in `from..to`.
fn scan(from: usize, to: usize, value: &impl Fn(usize) -> i64) -> usize {
    (from + 1..to).fold(from, |best, index| if value(index) > value(best) { index } else { best })
}

/// Returns the place of the larger value, of equal ones the first.
fn larger(one: usize, other: usize, value: &impl Fn(usize) -> i64) -> usize {
    match value(one).cmp(&value(other)) {
        std::cmp::Ordering::Less => other,
        std::cmp::Ordering::Equal => one.min(other),
        std::cmp::Ordering::Greater => one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_of_any_range_is_found() {
        for len in [1, 15, 16, 17, 33, 100, 257] {
            let values: Vec<i64> = (0..len as i64).map(|n| (n * 7919) % 31).collect();
            let forest = Forest::new(len, |index| values[index]);
            for from in 0..len {
                for to in from + 1..=len {
                    let found = forest.largest(from, to, |index| values[index]);
                    let expected = (from..to).max_by_key(|&index| (values[index], std::cmp::Reverse(index)));
                    assert_eq!(Some(found), expected, "{from}..{to} of {len}");
                }
            }
        }
    }
}
