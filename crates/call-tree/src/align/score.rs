//! Score of two nodes: how alike they are, from 0 to 1.

use crate::input::family::FAMILIES;
use crate::input::kind::{Class, Kind};
use crate::input::label::{LabelId, Labels, Level, Symbol};
use crate::tree::node::{Node, NodeId, Role, Tree};
use foldhash::HashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Below this score a pair is forbidden.
const LEAST: f64 = 0.30;
/// A pair without equal hashes has at most this score.
const MOST_UNLIKE: f64 = 0.98;
/// The same instance of a module: breaks ties, and is no reason of its own.
const SAME_INSTANCE: f64 = 0.02;
/// Similarity of two chains of which one has a call around the calls that both have.
const WRAPPED: f64 = 0.95;

/// Trees to map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trees {
    /// Iterations of one run: the same program.
    Iterations,
    /// Two runs, whose programs may differ.
    Runs,
}

type Names = Rc<Vec<(Symbol, u32)>>;

/// Scores the nodes of two trees.
pub(super) struct Scores<'l> {
    pub(super) labels: &'l Labels,
    trees: Trees,
    /// Occurrences of each name label in control and in test.
    occurrences: HashMap<Symbol, [u32; 2]>,
    names: RefCell<HashMap<(bool, NodeId), Names>>,
    /// Scores of nodes that are unlike, by their hashes with shapes: layers repeat them.
    unlike: RefCell<HashMap<(u64, u64), f64>>,
}

impl<'l> Scores<'l> {
    pub(super) fn of(trees: Trees, control: &Tree, test: &Tree, labels: &'l Labels) -> Self {
        let mut occurrences: HashMap<Symbol, [u32; 2]> = HashMap::default();
        for (side, tree) in [control, test].into_iter().enumerate() {
            for &id in tree.nodes().iter().flat_map(|node| &node.chain) {
                occurrences.entry(labels.get(id).name).or_default()[side] += 1;
            }
        }
        Self { labels, trees, occurrences, names: RefCell::default(), unlike: RefCell::default() }
    }

    /// Score of a node of control and a node of test; `None` if they must not pair.
    pub(super) fn score(&self, control: (&Tree, NodeId), test: (&Tree, NodeId)) -> Option<f64> {
        let (a, b) = (control.0.node(control.1), test.0.node(test.1));
        if a.role != b.role {
            return None;
        }
        if matches!(a.role, Role::Root | Role::LaunchedBefore) {
            return Some(1.0);
        }
        let (one, other) = (control.0.summary(control.1).hashes, test.0.summary(test.1).hashes);
        let score = if one.exact == other.exact {
            1.0
        } else if one.shape == other.shape {
            0.99
        } else if one.name == other.name {
            if a.shapes(self.labels) == b.shapes(self.labels) { 0.95 } else { 0.92 }
        } else if a.is_leaf() {
            if self.labels.equal(Level::Name, &a.chain, &b.chain) {
                0.9
            } else if a.family == b.family && self.kind(a).is_gpu() {
                0.7
            } else {
                0.0
            }
        } else {
            self.unlike(control, test)
        };
        let same_instance = a.counter(self.labels).is_some_and(|counter| b.counter(self.labels) == Some(counter));
        let bonus = if same_instance { SAME_INSTANCE } else { 0.0 };
        Some((score + bonus).min(1.0)).filter(|score| *score >= LEAST)
    }

    fn unlike(&self, control: (&Tree, NodeId), test: (&Tree, NodeId)) -> f64 {
        let key = (control.0.summary(control.1).hashes.shape, test.0.summary(test.1).hashes.shape);
        if let Some(&score) = self.unlike.borrow().get(&key) {
            return score;
        }
        let score = self.score_unlike(control, test);
        self.unlike.borrow_mut().insert(key, score);
        score
    }

    fn score_unlike(&self, control: (&Tree, NodeId), test: (&Tree, NodeId)) -> f64 {
        let (a, b) = (control.0.node(control.1), test.0.node(test.1));
        if self.trees == Trees::Iterations && self.are_other_copies(control, test) {
            return 0.0;
        }
        let (ours, theirs) = (&control.0.summary(control.1).families, &test.0.summary(test.1).families);
        let content = overlap(ours, theirs);
        let common = self.label_similarity(a, b);
        if let Some(similarity) = common {
            let (one, other) = (a.shapes(self.labels), b.shapes(self.labels));
            let shapes = f64::from(u8::from(one.is_some() && one == other));
            let below = f64::from(u8::from(have_equal_children(control, test)));
            return (0.60 * similarity + 0.22 * content + 0.08 * shapes + 0.08 * below).min(MOST_UNLIKE);
        }
        // A call that both sides have by its name is not renamed.
        if self.is_known(a) && self.is_known(b) {
            return 0.0;
        }
        let names = overlap_of_names(&self.names_below(false, control), &self.names_below(true, test));
        if names > 0.0 {
            0.45 * (content + names)
        } else if ours == theirs {
            0.35
        } else {
            0.0
        }
    }

    /// Tells whether both sides have calls of these names.
    fn is_known(&self, node: &Node) -> bool {
        !node.chain.is_empty() && node.chain.iter().all(|&id| [0, 1].into_iter().all(|side| self.is_on_side(id, side)))
    }

    /// Tells whether control (0) or test (1) has a call of this name.
    pub(super) fn is_on_side(&self, id: LabelId, side: usize) -> bool {
        self.occurrences.get(&self.labels.get(id).name).is_some_and(|sides| sides[side] > 0)
    }

    /// Returns the similarity of the labels of two chains; `None` without a common label.
    fn label_similarity(&self, a: &Node, b: &Node) -> Option<f64> {
        if a.chain.is_empty() && b.chain.is_empty() {
            return None;
        }
        if self.labels.equal(Level::Shape, &a.chain, &b.chain) {
            return Some(1.0);
        }
        if self.labels.equal(Level::Name, &a.chain, &b.chain) {
            return Some(0.9);
        }
        // A call that only one side knows is a wrapper: the calls in it may be the same.
        let known = |node: &Node, other: usize| -> Vec<LabelId> {
            node.chain.iter().copied().filter(|&id| self.is_on_side(id, other)).collect()
        };
        let (ours, theirs) = (known(a, 1), known(b, 0));
        if !ours.is_empty() && self.labels.equal(Level::Name, &ours, &theirs) {
            return Some(WRAPPED);
        }
        let names = |node: &Node| {
            let mut names: Vec<Symbol> = node.chain.iter().map(|&id| self.labels.get(id).name).collect();
            names.sort_unstable();
            names
        };
        let (a, b) = (names(a), names(b));
        let weight = |name: &Symbol| {
            1.0 / (1.0 + f64::from(self.occurrences.get(name).map_or(1, |[control, test]| control + test)).ln())
        };
        let (mut common, mut all, mut i, mut j) = (0.0, 0.0, 0, 0);
        while i < a.len() || j < b.len() {
            match (a.get(i), b.get(j)) {
                (Some(one), Some(other)) if one == other => {
                    common += weight(one);
                    all += weight(one);
                    (i, j) = (i + 1, j + 1);
                }
                (Some(one), other) if other.is_none_or(|other| one < other) => {
                    all += weight(one);
                    i += 1;
                }
                (_, Some(other)) => {
                    all += weight(other);
                    j += 1;
                }
                (Some(_), None) | (None, None) => break,
            }
        }
        (common > 0.0).then(|| 0.2 + 0.6 * common / all)
    }

    /// Tells whether two chains have a name label in common.
    pub(super) fn share_a_label(&self, a: &Node, b: &Node) -> bool {
        let name = |&id: &LabelId| self.labels.get(id).name;
        a.chain.iter().any(|one| b.chain.iter().any(|other| name(one) == name(other)))
    }

    /// Tells whether two calls only copy memory, and none of their copies has the same direction and kind of memory: in iterations of one
    /// program these are other calls, not one that changed.
    fn are_other_copies(&self, control: (&Tree, NodeId), test: (&Tree, NodeId)) -> bool {
        let copies = |(tree, id): (&Tree, NodeId)| -> Option<Vec<u64>> {
            let is_copy = |node: &Node| node.is_leaf() && self.kind(node) == Kind::Gpu(Class::Copy);
            let hash_of_copy = |&child: &NodeId| is_copy(tree.node(child)).then_some(tree.summary(child).hashes.name);
            tree.node(id).children.iter().map(hash_of_copy).collect()
        };
        match (copies(control), copies(test)) {
            (Some(ours), Some(theirs)) if !ours.is_empty() && !theirs.is_empty() => {
                ours.iter().all(|one| !theirs.contains(one))
            }
            _ => false,
        }
    }

    /// Role of the events of a leaf.
    fn kind(&self, leaf: &Node) -> Kind {
        leaf.chain.last().map_or(Kind::Annotation, |&id| self.labels.get(id).kind)
    }

    /// All name labels at or below a node, with their numbers.
    fn names_below(&self, is_test: bool, (tree, id): (&Tree, NodeId)) -> Names {
        if let Some(names) = self.names.borrow().get(&(is_test, id)) {
            return Rc::clone(names);
        }
        let (mut all, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            let node = tree.node(id);
            all.extend(node.chain.iter().map(|&id| self.labels.get(id).name));
            open.extend(&node.children);
        }
        all.sort_unstable();
        let mut names: Vec<(Symbol, u32)> = Vec::new();
        for name in all {
            match names.last_mut() {
                Some((last, times)) if *last == name => *times += 1,
                _ => names.push((name, 1)),
            }
        }
        let names = Rc::new(names);
        self.names.borrow_mut().insert((is_test, id), Rc::clone(&names));
        names
    }
}

/// Tells whether the children of two nodes have equal names, in order.
fn have_equal_children(control: (&Tree, NodeId), test: (&Tree, NodeId)) -> bool {
    let (ours, theirs) = (&control.0.node(control.1).children, &test.0.node(test.1).children);
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(&a, &b)| control.0.summary(a).hashes.name == test.0.summary(b).hashes.name)
}

/// Overlap of two multisets of families: sum of the minima by sum of the maxima, 0 to 1.
pub(super) fn overlap(a: &[u32; FAMILIES], b: &[u32; FAMILIES]) -> f64 {
    let (least, most) =
        a.iter().zip(b).fold((0, 0), |(least, most), (one, other)| (least + one.min(other), most + one.max(other)));
    if most == 0 { 1.0 } else { f64::from(least) / f64::from(most) }
}

fn overlap_of_names(a: &[(Symbol, u32)], b: &[(Symbol, u32)]) -> f64 {
    let (mut i, mut j, mut least) = (0, 0, 0_u32);
    while let (Some(one), Some(other)) = (a.get(i), b.get(j)) {
        match one.0.cmp(&other.0) {
            std::cmp::Ordering::Equal => {
                least += one.1.min(other.1);
                (i, j) = (i + 1, j + 1);
            }
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
        }
    }
    let total = |names: &[(Symbol, u32)]| names.iter().map(|(_, times)| times).sum::<u32>();
    let most = total(a) + total(b) - least;
    if most == 0 { 0.0 } else { f64::from(least) / f64::from(most) }
}
