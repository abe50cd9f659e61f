//! Moves: equal nodes that stand at different positions.

use super::mapping::{Aligner, Block, How};
use crate::input::label::Level;
use crate::tree::node::{NodeId, Summary};
use foldhash::{HashMap, HashSet};
use std::collections::{BTreeMap, VecDeque};

/// Least number of leaves of a move between different parents.
const LEAST_MOVE: u32 = 3;
/// Most pairs of siblings between the positions of a move that has another candidate, or fewer leaves than [`LEAST_MOVE`].
const NEAR: usize = 4;
const LEVELS: [Level; 3] = [Level::Exact, Level::Shape, Level::Name];

/// A node without a partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Unpaired {
    position: usize,
    /// Control (0) or test (1).
    side: u8,
    id: NodeId,
}

impl Aligner<'_> {
    /// Pairs unpaired nodes of equal hash, the finest level first: first under the same parent, then anywhere.
    pub(super) fn moves(&mut self) {
        let mut blocks = std::mem::take(&mut self.mapping.blocks);
        for level in LEVELS {
            self.move_siblings(&mut blocks, level);
        }
        for level in LEVELS {
            self.move_anywhere(&mut blocks, level);
        }
        blocks.retain(|block| !block.control.is_empty() || !block.test.is_empty());
        self.mapping.blocks = blocks;
    }

    /// Pairs unpaired nodes of equal hash under the same parent: each with the nearest one. A single call is a move only nearby, or if no
    /// other unpaired sibling is like it: a call that is gone here and a new one there are two changes.
    fn move_siblings(&mut self, blocks: &mut [Block], level: Level) {
        let mut groups: BTreeMap<(NodeId, u64), Vec<Unpaired>> = BTreeMap::new();
        for block in blocks.iter() {
            let trees = [(&self.mapping.control, &block.control), (&self.mapping.test, &block.test)];
            for ((tree, nodes), side) in trees.into_iter().zip(0..) {
                for &id in nodes {
                    let group = (block.parent.0, tree.summary(id).hashes.at(level));
                    groups.entry(group).or_default().push(Unpaired { position: block.position, side, id });
                }
            }
        }
        let mut moved = [HashSet::default(), HashSet::default()];
        for mut unpaired in groups.into_values() {
            let are_only = unpaired.len() == 2;
            for (distance, from, to) in nearest(&mut unpaired) {
                let is_large = self.mapping.control.summary(from).leaves() >= LEAST_MOVE;
                if (distance <= NEAR || are_only || is_large) && self.have_same_form(from, to) {
                    self.pair_subtrees(from, to, How::Moved);
                    moved[0].insert(from);
                    moved[1].insert(to);
                }
            }
        }
        for block in blocks {
            block.control.retain(|id| !moved[0].contains(id));
            block.test.retain(|id| !moved[1].contains(id));
        }
    }

    /// Pairs unpaired nodes of equal hash with enough leaves, in order.
    fn move_anywhere(&mut self, blocks: &mut [Block], level: Level) {
        let is_large = |summary: &Summary| summary.leaves() >= LEAST_MOVE;
        let mut waiting: HashMap<u64, VecDeque<NodeId>> = HashMap::default();
        for &id in blocks.iter().flat_map(|block| &block.control) {
            let summary = self.mapping.control.summary(id);
            if is_large(summary) {
                waiting.entry(summary.hashes.at(level)).or_default().push_back(id);
            }
        }
        let mut moved = HashSet::default();
        for block in blocks.iter_mut() {
            let mut remaining = Vec::with_capacity(block.test.len());
            for &id in &block.test {
                let large = Some(self.mapping.test.summary(id)).filter(|summary| is_large(summary));
                let partners = large.and_then(|summary| waiting.get_mut(&summary.hashes.at(level)));
                match partners.and_then(VecDeque::pop_front) {
                    Some(from) if self.have_same_form(from, id) => {
                        self.pair_subtrees(from, id, How::Moved);
                        moved.insert(from);
                    }
                    _ => remaining.push(id),
                }
            }
            block.test = remaining;
        }
        for block in blocks {
            block.control.retain(|id| !moved.contains(id));
        }
    }
}

/// Pairs nodes of control and of test that are next to each other by position; those with the smallest distances first.
fn nearest(unpaired: &mut Vec<Unpaired>) -> Vec<(usize, NodeId, NodeId)> {
    let mut pairs = Vec::new();
    unpaired.sort_unstable();
    for most in [0, 1, NEAR, 16, usize::MAX] {
        let (mut open, mut alone): (Vec<Unpaired>, Vec<Unpaired>) = (Vec::new(), Vec::new());
        for one in unpaired.drain(..) {
            match open.last().copied() {
                Some(last) if last.side != one.side && one.position - last.position <= most => {
                    open.pop();
                    let (from, to) = if last.side == 0 { (last.id, one.id) } else { (one.id, last.id) };
                    pairs.push((one.position - last.position, from, to));
                }
                Some(last) if last.side != one.side => {
                    alone.append(&mut open);
                    open.push(one);
                }
                _ => open.push(one),
            }
        }
        alone.append(&mut open);
        *unpaired = alone;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_paired_first() {
        let one = |position, side, id| Unpaired { position, side, id };
        let mut unpaired = vec![one(0, 0, 1), one(5, 1, 2), one(6, 0, 3), one(30, 1, 4), one(40, 1, 5)];
        assert_eq!(nearest(&mut unpaired), [(1, 3, 2), (30, 1, 4)]);
        assert_eq!(unpaired, [one(40, 1, 5)]);
    }

    #[test]
    fn many_equal_ones_are_paired_in_linear_time() {
        let mut unpaired: Vec<Unpaired> =
            (0..200_000).map(|id| Unpaired { position: 0, side: (id % 2) as u8, id }).collect();
        assert_eq!(nearest(&mut unpaired).len(), 100_000);
    }
}
