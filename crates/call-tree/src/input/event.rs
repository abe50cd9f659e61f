//! Events of one rank, as a call tree needs them.

use super::label::LabelId;

/// Role of an event in the call tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Annotation of the user, or an iteration of the profiler.
    Annotation,
    /// Frame of a Python module (`nn.Module: Linear_12`).
    Module,
    /// Frame of a Python function.
    Python,
    /// Operator.
    Operator,
    /// Runtime or driver call that can launch GPU work.
    Launch,
    /// Launch of a CUDA or HIP graph: all its kernels hang below it.
    GraphLaunch,
    /// Work on a GPU.
    Gpu(Class),
}

/// What work counts as when the time of a step is divided; an earlier class hides a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Computation.
    Compute,
    /// Communication: collectives, send and receive.
    Communication,
    /// Copies and fills of memory.
    Copy,
    /// Work of the host, in recordings without GPU work.
    Host,
}

impl Kind {
    /// Whether the event runs on a GPU.
    pub fn is_gpu(self) -> bool {
        matches!(self, Self::Gpu(_))
    }

    /// Whether the event is a frame of Python, which only recordings with stacks have.
    pub fn is_stack(self) -> bool {
        matches!(self, Self::Module | Self::Python)
    }
}

/// One event. Host events nest by their interval on a thread; GPU events hang below their launch.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// Role in the tree.
    pub kind: Kind,
    /// Begin in nanoseconds.
    pub start: i64,
    /// End in nanoseconds; an end before `start` counts as `start`.
    pub end: i64,
    /// Thread of a host event, stream of a GPU event; any dense numbering.
    pub thread: u32,
    /// Labels of the event.
    pub label: LabelId,
    /// Id that a launch shares with its GPU events; `None` without one.
    pub correlation: Option<i64>,
    /// Row of the caller, given back in answers.
    pub row: u32,
}
