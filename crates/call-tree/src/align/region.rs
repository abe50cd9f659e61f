//! Regions: what of control and what of test is compared with each other.

use super::fusion::fusions;
use super::mapping::{How, Mapping, map};
use super::score::Trees;
use crate::input::family::Family;
use crate::input::label::{Labels, Level};
use crate::tree::node::{NONE, NodeId, Role, Tree};
use std::collections::BTreeMap;

/// Agreement of the two sides of a region; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grade {
    /// Equal code and shapes: an exact or a shape hash.
    Exact,
    /// Equal names.
    Name,
    /// Equal families of kernels.
    Family,
    /// Several events of each side: fusion, split, another library.
    Region,
    /// The same content at another place.
    Moved,
    /// Only in test.
    Added,
    /// Only in control.
    Deleted,
}

/// Why the two sides of a region were brought together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Why {
    /// They are part of equal subtrees.
    EqualSubtree,
    /// Their names are unique among their siblings.
    UniqueName,
    /// Their score, 0 to 1, is the best among their siblings.
    Score(f64),
    /// They are kernels of the same operator, equal in number and families.
    SameOperator,
    /// They are all kernels of the same operator, different in number.
    KernelsOfOperator,
    /// They are left over between the same two neighbours.
    SameNeighbours,
    /// They are kernels of one kind, left over between the same neighbours, of which those of a side ran in a graph.
    KindInGraph,
    /// A kernel changed where its neighbour is gone, or new.
    Fused,
    /// They are equal, at different places.
    Moved,
    /// The other side has nothing like it.
    OneSided,
    /// The other side has one less of so many equal blocks in a row; the last of them is named.
    OneOfEqual(u32),
    /// There are too many siblings to align.
    TooLarge,
}

impl Grade {
    /// Returns the word that tables and files use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Name => "name",
            Self::Family => "family",
            Self::Region => "region",
            Self::Moved => "moved",
            Self::Added => "added",
            Self::Deleted => "deleted",
        }
    }
}

impl Why {
    /// Returns a sentence that says why the sides of a region were brought together.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::EqualSubtree => "equal operators, shapes and kernels below",
            Self::UniqueName => "a name that is unique among its siblings on both sides",
            Self::Score(_) => "the most similar sibling in the same order",
            Self::SameOperator => "kernels of the same operator, as many and of the same kinds",
            Self::KernelsOfOperator => "all kernels of the same operator",
            Self::SameNeighbours => "left over between the same neighbours",
            Self::KindInGraph => "kernels of one kind in a graph, left over between the same neighbours",
            Self::Fused => "a kernel changed where its neighbour is gone or new: fused or split",
            Self::Moved => "equal work at another place",
            Self::OneSided => "nothing like it on the other side",
            Self::OneOfEqual(_) => "one of several equal blocks in a row: the last is named, it may be another one",
            Self::TooLarge => "too many siblings to align one by one",
        }
    }
}

/// Leaves of control and leaves of test that are compared with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Leaves of control.
    pub control: Vec<NodeId>,
    /// Leaves of test.
    pub test: Vec<NodeId>,
    /// Agreement of the two sides.
    pub grade: Grade,
    /// Why they were brought together.
    pub why: Why,
}

/// Two aligned trees. Every leaf of both is in exactly one region.
#[derive(Debug)]
pub struct Alignment {
    /// Control. A few chains may be split where test has their parts apart.
    pub control: Tree,
    /// Test.
    pub test: Tree,
    /// Partner of each node of control, or [`NONE`].
    pub to_test: Vec<NodeId>,
    /// Partner of each node of test, or [`NONE`].
    pub to_control: Vec<NodeId>,
    /// The regions, in the order of control; added ones last.
    pub regions: Vec<Region>,
}

/// An operator with more kernels than this is no set of kernels.
const MOST_IN_SET: u32 = 16;

/// Aligns two trees, and divides their leaves into regions.
///
/// Durations and gaps in time take no part, or a regression would break its own pairing. Near linear in the nodes where the
/// trees are alike.
pub fn align(control: &Tree, test: &Tree, labels: &Labels) -> Alignment {
    aligned(control.clone(), test.clone(), labels)
}

/// Aligns two trees as [`align`] does, and takes them.
pub(crate) fn aligned(control: Tree, test: Tree, labels: &Labels) -> Alignment {
    let mapping = map(Trees::Runs, control, test, labels);
    let mut regions = Regions {
        mapping: &mapping,
        labels,
        taken: (vec![false; mapping.to_test.len()], vec![false; mapping.to_control.len()]),
        found: Vec::new(),
    };
    for (control, test) in fusions(&mapping, labels) {
        regions.add(control, test, Grade::Region, Why::Fused);
    }
    regions.sets();
    regions.pairs();
    regions.blocks();
    let mut found = regions.found;
    found.sort_by_key(|region| {
        (region.control.first().copied().unwrap_or(NONE), region.test.first().copied().unwrap_or(NONE))
    });
    let Mapping { control, test, to_test, to_control, .. } = mapping;
    Alignment { control, test, to_test, to_control, regions: found }
}

/// Reason of a region of which only one side is left.
fn one_sided(why: Why) -> Why {
    if matches!(why, Why::OneOfEqual(_)) { why } else { Why::OneSided }
}

/// Tells whether all leaves are kernels of graphs without a call of their own.
fn is_in_graph(tree: &Tree, leaves: &[NodeId]) -> bool {
    leaves.iter().all(|&leaf| tree.node(tree.node(leaf).parent).role == Role::Graph)
}

struct Regions<'m> {
    mapping: &'m Mapping,
    labels: &'m Labels,
    /// Leaves of control and of test that are in a region.
    taken: (Vec<bool>, Vec<bool>),
    found: Vec<Region>,
}

/// Tells whether a leaf has no partner, or one of these leaves as its partner.
fn is_within(partner: NodeId, leaves: &[NodeId]) -> bool {
    partner == NONE || leaves.contains(&partner)
}

impl Regions<'_> {
    fn add(&mut self, mut control: Vec<NodeId>, mut test: Vec<NodeId>, grade: Grade, why: Why) {
        control.retain(|&id| !std::mem::replace(&mut self.taken.0[id as usize], true));
        test.retain(|&id| !std::mem::replace(&mut self.taken.1[id as usize], true));
        let (grade, why) = match (control.is_empty(), test.is_empty()) {
            (true, true) => return,
            (true, false) => (Grade::Added, one_sided(why)),
            (false, true) => (Grade::Deleted, one_sided(why)),
            (false, false) => (grade, why),
        };
        self.found.push(Region { control, test, grade, why });
    }

    /// Operators of which a bare kernel has no partner: their kernels are one region. Kernels of one name keep their partners, if
    /// something is left on both sides, such as two kernels and the fused one.
    fn sets(&mut self) {
        let (control, test) = (&self.mapping.control, &self.mapping.test);
        // Children before their parents: of nested operators the innermost is the region.
        for a in control.bottom_up() {
            let b = self.mapping.to_test[a as usize];
            if b == NONE {
                continue;
            }
            let (one, other) = (control.node(a), test.node(b));
            let fits = |leaves: u32| (1..=MOST_IN_SET).contains(&leaves);
            let bare = |tree: &Tree, children: &[NodeId], to: &[NodeId]| {
                children.iter().any(|&id| tree.node(id).is_leaf() && to[id as usize] == NONE)
            };
            if one.is_operator(self.labels)
                && other.is_operator(self.labels)
                && fits(control.summary(a).leaves())
                && fits(test.summary(b).leaves())
                && (bare(control, &one.children, &self.mapping.to_test)
                    || bare(test, &other.children, &self.mapping.to_control))
            {
                // Leaves whose partner is in another operator have moved, and keep their partner.
                let (mut ours, mut theirs) = (control.leaves(a), test.leaves(b));
                let (all_ours, all_theirs) = (ours.clone(), theirs.clone());
                ours.retain(|&id| is_within(self.mapping.to_test[id as usize], &all_theirs));
                theirs.retain(|&id| is_within(self.mapping.to_control[id as usize], &all_ours));
                self.keep_changed(&mut ours, &mut theirs);
                self.add(ours, theirs, Grade::Region, Why::KernelsOfOperator);
            }
        }
    }

    /// Leaves out the kernels of an operator that have a partner of the same name, unless only one side would be left.
    fn keep_changed(&self, control: &mut Vec<NodeId>, test: &mut Vec<NodeId>) {
        let is_changed = |a: NodeId, b: NodeId| {
            let chains = (&self.mapping.control.node(a).chain, &self.mapping.test.node(b).chain);
            !self.labels.equal(Level::Name, chains.0, chains.1)
        };
        let ours = |&&a: &&NodeId| match self.mapping.to_test[a as usize] {
            NONE => true,
            b => is_changed(a, b),
        };
        let theirs = |&&b: &&NodeId| match self.mapping.to_control[b as usize] {
            NONE => true,
            a => is_changed(a, b),
        };
        let (ours, theirs): (Vec<NodeId>, Vec<NodeId>) =
            (control.iter().filter(ours).copied().collect(), test.iter().filter(theirs).copied().collect());
        if !ours.is_empty() && !theirs.is_empty() {
            (*control, *test) = (ours, theirs);
        }
    }

    /// Leaves with partners.
    fn pairs(&mut self) {
        for a in 0..self.mapping.to_test.len() as NodeId {
            let b = self.mapping.to_test[a as usize];
            if b == NONE
                || !self.mapping.control.node(a).is_leaf()
                || self.taken.0[a as usize]
                || self.taken.1[b as usize]
            {
                continue;
            }
            let (grade, why) = match self.mapping.how[a as usize] {
                Some(How::Subtree(_)) => (Grade::Exact, Why::EqualSubtree),
                Some(How::Moved) => (Grade::Moved, Why::Moved),
                Some(How::InOrder) => (self.grade(a, b), Why::SameOperator),
                Some(How::Anchor) => (self.grade(a, b), Why::UniqueName),
                Some(How::Score(score)) => (self.grade(a, b), Why::Score(score)),
                None => (self.grade(a, b), Why::SameNeighbours),
            };
            // Equal kernels of operators that differ are not the same work.
            let grade = if grade == Grade::Exact { self.grade_of_parents(a, b) } else { grade };
            self.add(vec![a], vec![b], grade, why);
        }
    }

    fn grade(&self, a: NodeId, b: NodeId) -> Grade {
        let (one, other) = (self.mapping.control.node(a), self.mapping.test.node(b));
        let equal = |level: Level| self.labels.equal(level, &one.chain, &other.chain);
        match () {
            () if equal(Level::Shape) => Grade::Exact,
            () if equal(Level::Name) => Grade::Name,
            () => Grade::Family,
        }
    }

    /// Grade of two kernels that are equal themselves: that of the operators that launched them.
    fn grade_of_parents(&self, a: NodeId, b: NodeId) -> Grade {
        let (up, beside) = (self.mapping.control.node(a).parent, self.mapping.test.node(b).parent);
        let operators = self.mapping.control.node(up).is_operator(self.labels)
            || self.mapping.test.node(beside).is_operator(self.labels);
        if operators { self.grade(up, beside).min(Grade::Name) } else { Grade::Exact }
    }

    /// Kernels of a graph that are left over, by what they do: nothing above them tells which belong together.
    fn kinds(&mut self, control: Vec<NodeId>, test: Vec<NodeId>) {
        let mut kinds: BTreeMap<Family, [Vec<NodeId>; 2]> = BTreeMap::new();
        for (side, tree, leaves) in [(0, &self.mapping.control, control), (1, &self.mapping.test, test)] {
            for leaf in leaves {
                kinds.entry(tree.node(leaf).family).or_default()[side].push(leaf);
            }
        }
        for (_, [ours, theirs]) in kinds {
            if ours.is_empty() || theirs.is_empty() {
                ours.into_iter().for_each(|leaf| self.add(vec![leaf], Vec::new(), Grade::Deleted, Why::OneSided));
                theirs.into_iter().for_each(|leaf| self.add(Vec::new(), vec![leaf], Grade::Added, Why::OneSided));
            } else {
                self.add(ours, theirs, Grade::Region, Why::KindInGraph);
            }
        }
    }

    /// Number of equal blocks in a row that end with this one, itself included.
    fn equal_blocks(&self, tree: &Tree, block: &[NodeId]) -> u32 {
        let Some(&first) = block.first() else { return 0 };
        let siblings = &tree.node(tree.node(first).parent).children;
        // Node numbers ascend among siblings but for nodes that a template got later.
        let Ok(start) = siblings.binary_search(&first) else { return 1 };
        let hash = |at: usize| tree.summary(siblings[at]).hashes.exact;
        let is_equal = |before: usize| {
            let at = start - before * block.len();
            (0..block.len()).all(|offset| start + offset < siblings.len() && hash(at + offset) == hash(start + offset))
        };
        1 + (1..=start / block.len()).take_while(|&before| is_equal(before)).count() as u32
    }

    /// Nodes without partners: what is left over between two matches is one region; on one side, one region a node.
    fn blocks(&mut self) {
        for block in &self.mapping.blocks {
            let leaves =
                |tree: &Tree, nodes: &[NodeId]| nodes.iter().flat_map(|&id| tree.leaves(id)).collect::<Vec<_>>();
            let (control, test) =
                (leaves(&self.mapping.control, &block.control), leaves(&self.mapping.test, &block.test));
            let why = if block.too_large { Why::TooLarge } else { Why::SameNeighbours };
            let is_graph = is_in_graph(&self.mapping.control, &control) || is_in_graph(&self.mapping.test, &test);
            if is_graph && !control.is_empty() && !test.is_empty() {
                self.kinds(control, test);
                continue;
            }
            if control.iter().any(|&id| !self.taken.0[id as usize]) && test.iter().any(|&id| !self.taken.1[id as usize])
            {
                self.add(control, test, Grade::Region, why);
                continue;
            }
            let why = |blocks: u32| if blocks > 1 { Why::OneOfEqual(blocks) } else { Why::OneSided };
            let gone = why(self.equal_blocks(&self.mapping.control, &block.control));
            for &id in &block.control {
                self.add(self.mapping.control.leaves(id), Vec::new(), Grade::Deleted, gone);
            }
            let new = why(self.equal_blocks(&self.mapping.test, &block.test));
            for &id in &block.test {
                self.add(Vec::new(), self.mapping.test.leaves(id), Grade::Added, new);
            }
        }
    }
}
