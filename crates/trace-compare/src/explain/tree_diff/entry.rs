//! An entry of the aligned tree.

use crate::explain::certainty::Judged;
use crate::explain::modules::RegionModules;
use call_tree::Change;

/// What a row of the aligned tree stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TreeKind {
    /// A thread, a module, a frame of Python or an operator, with what it calls below it.
    Call,
    /// A region: what of control and what of test is compared with each other.
    Region,
    /// A kernel of a region that only one side has.
    Kernel,
    /// Idle time of the GPU: all of it, of one cause, or of one frame of the host.
    Idle,
    /// Time of GPU events in a selected step that another step launched.
    Unattributed,
    /// Rows that were left out under the same parent, added up.
    Rest,
}

impl TreeKind {
    /// Returns the word of frames and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Region => "region",
            Self::Kernel => "kernel",
            Self::Idle => "idle",
            Self::Unattributed => "unattributed",
            Self::Rest => "rest",
        }
    }
}

/// Measures of an entry of the tree; those of a parent are the sums of those below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Measures {
    pub(super) count: Change,
    pub(super) attributed_ns: Change,
    pub(super) total_ns: Change,
}

impl Measures {
    pub(super) fn add(&mut self, more: &Self) {
        for (sum, more) in [
            (&mut self.count, more.count),
            (&mut self.attributed_ns, more.attributed_ns),
            (&mut self.total_ns, more.total_ns),
        ] {
            *sum = *sum + more;
        }
    }

    /// Size of the change: test − control, times the weights of both sides, so that it is a whole number.
    pub(super) fn change(&self) -> i128 {
        self.attributed_ns.numerator()
    }
}

/// An entry of the tree. Entries have the order of rows: a parent before what is below it.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) parent: Option<usize>,
    pub(super) name: String,
    pub(super) kind: TreeKind,
    pub(super) grade: Option<&'static str>,
    pub(super) why: String,
    pub(super) region: Option<usize>,
    /// Modules of the call, the outermost first.
    pub(super) modules: Vec<String>,
    /// Of a region or a kernel, the modules that it belongs to.
    pub(super) within: RegionModules,
    pub(super) own: Measures,
    pub(super) all: Measures,
    pub(super) judged: Option<Judged>,
    /// Of a rest: the number of rows that it stands for.
    pub(super) rows: usize,
}

impl Entry {
    pub(super) fn new(kind: TreeKind, name: impl Into<String>) -> Self {
        Self {
            parent: None,
            name: name.into(),
            kind,
            grade: None,
            why: String::new(),
            region: None,
            modules: Vec::new(),
            within: RegionModules::default(),
            own: Measures::default(),
            all: Measures::default(),
            judged: None,
            rows: 1,
        }
    }
}
