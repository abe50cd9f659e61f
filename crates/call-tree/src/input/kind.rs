//! Roles of events, and classes of work.

use serde::{Deserialize, Serialize};

/// Role of an event in the call tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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

/// Class of work in the division of a step; an earlier class hides a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// Tells whether the event runs on a GPU.
    pub fn is_gpu(self) -> bool {
        matches!(self, Self::Gpu(_))
    }

    /// Tells whether the event is a kernel, not a copy or a fill.
    pub(crate) fn is_kernel(self) -> bool {
        matches!(self, Self::Gpu(Class::Compute | Class::Communication))
    }

    /// Tells whether the event is a frame of Python, which only recordings with stacks have.
    pub fn is_stack(self) -> bool {
        matches!(self, Self::Module | Self::Python)
    }
}
