//! Merkle hashes of subtrees at three levels of detail.

use crate::input::label::{LabelId, Labels, Level};

/// Hashes of a node and everything below it, in order. Runs of equal children count by their length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hashes {
    pub(crate) exact: u64,
    pub(crate) shape: u64,
    pub(crate) name: u64,
}

impl Hashes {
    pub(crate) fn at(self, level: Level) -> u64 {
        match level {
            Level::Exact => self.exact,
            Level::Shape => self.shape,
            Level::Name => self.name,
        }
    }

    /// The hashes of a kernel as a node of a graph, which tells it from equal ones.
    pub(crate) fn of_graph_node(self, node: u32) -> Self {
        Self { exact: mix(self.exact, u64::from(node)), shape: mix(self.shape, u64::from(node)), ..self }
    }

    /// Hashes a node by its role, its chain of labels, and the hashes of its children.
    pub(crate) fn of(role: u64, chain: &[LabelId], children: &[Self], labels: &Labels) -> Self {
        let at = |level: Level| {
            let mut hash = mix(role, chain.len() as u64);
            for &id in chain {
                hash = mix(hash, labels.get(id).at(level).number() + 1);
            }
            let mut children = children.iter().map(|child| child.at(level)).peekable();
            while let Some(first) = children.next() {
                let mut times = 1;
                while children.next_if_eq(&first).is_some() {
                    times += 1;
                }
                hash = mix(mix(hash, first), times);
            }
            hash
        };
        Self { exact: at(Level::Exact), shape: at(Level::Shape), name: at(Level::Name) }
    }
}

/// Mixes a number into a hash (the finaliser of SplitMix64).
pub(crate) fn mix(hash: u64, number: u64) -> u64 {
    let mut x = hash.rotate_left(23) ^ number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
