//! Modules of regions.

use call_tree::{Alignment, Grade, Kind, LabelId, Labels, NodeId, Region, Tree, Why};

/// The modules that a region belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RegionModules {
    /// The modules, the outermost first; of several kernels those that all of them have. Empty outside of modules.
    pub(super) path: Vec<String>,
    /// The calls above the kernels do not tell: it is a backward operator, or one of the side that has no modules there.
    pub(super) is_borrowed: bool,
    /// Only the side without modules has the region, so that its modules are not recorded.
    pub(super) is_unknown: bool,
}

impl RegionModules {
    /// Name of the row of regions without modules.
    pub(super) fn outside(&self) -> &'static str {
        if self.is_unknown { "module not recorded" } else { "outside of modules" }
    }
}

/// Which sides have modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SidesWithModules {
    pub(super) control: bool,
    pub(super) test: bool,
}

impl SidesWithModules {
    pub(super) fn of(alignment: &Alignment, labels: &Labels) -> Self {
        let has = |tree: &Tree| {
            let is_module = |&label: &LabelId| labels.kind(label) == Kind::Module;
            tree.nodes().iter().any(|node| node.modules.is_some() || node.chain.iter().any(is_module))
        };
        Self { control: has(&alignment.control), test: has(&alignment.test) }
    }

    /// Returns the modules of leaves that are compared with each other: those of control, else those of test.
    pub(super) fn modules(self, alignment: &Alignment, region: &Region, labels: &Labels) -> RegionModules {
        let (control, test) = (&region.control[..], &region.test[..]);
        let is_unknown = match (control, test) {
            ([], _) => self.control && !self.test,
            (_, []) => self.test && !self.control,
            _ => false,
        };
        // Where control has no modules at all, test tells those of what both have.
        let by_test = control.is_empty() || !self.control && !test.is_empty();
        let (tree, leaves) = if by_test { (&alignment.test, test) } else { (&alignment.control, control) };
        let (path, is_borrowed) = common(tree, leaves, labels);
        let path: Vec<String> = path.into_iter().map(|label| labels.text(label).to_owned()).collect();
        let is_borrowed = is_borrowed || by_test && !control.is_empty() && !path.is_empty();
        RegionModules { path, is_borrowed, is_unknown }
    }

    /// Returns the modules of a leaf that only one side has.
    pub(super) fn of_leaf(
        self,
        alignment: &Alignment,
        leaf: NodeId,
        is_control: bool,
        labels: &Labels,
    ) -> RegionModules {
        let (control, test) = if is_control { (vec![leaf], Vec::new()) } else { (Vec::new(), vec![leaf]) };
        self.modules(alignment, &Region { control, test, grade: Grade::Region, why: Why::OneSided }, labels)
    }

    /// Returns the side that has modules, 0 or 1, if the other one has none.
    pub(super) fn only(self) -> Option<usize> {
        match (self.control, self.test) {
            (true, false) => Some(0),
            (false, true) => Some(1),
            _ => None,
        }
    }
}

/// The modules that all leaves have, and whether a leaf has modules that the calls above it do not tell.
fn common(tree: &Tree, leaves: &[NodeId], labels: &Labels) -> (Vec<LabelId>, bool) {
    let is_borrowed = leaves.iter().any(|&leaf| tree.node(leaf).modules.is_some());
    let paths = leaves.iter().map(|&leaf| modules_of(tree, leaf, labels));
    let common = paths.reduce(|mut path, other| {
        path.truncate(path.iter().zip(&other).take_while(|(one, other)| one == other).count());
        path
    });
    (common.unwrap_or_default(), is_borrowed)
}

/// The modules of a leaf, the outermost first.
fn modules_of(tree: &Tree, leaf: NodeId, labels: &Labels) -> Vec<LabelId> {
    if let Some(modules) = &tree.node(leaf).modules {
        return modules.to_vec();
    }
    let mut path = Vec::new();
    let mut at = Some(leaf);
    while let Some(id) = at {
        let node = tree.node(id);
        path.extend(node.chain.iter().rev().filter(|&&label| labels.kind(label) == Kind::Module));
        at = tree.nodes().get(node.parent as usize).map(|_| node.parent);
    }
    path.reverse();
    path
}
