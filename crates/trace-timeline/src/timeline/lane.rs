//! Lanes: what they show, and where they are.

use timeline::{Lane, Series};

/// What a lane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LaneKind {
    /// Annotations of a CPU thread.
    Annotation,
    /// Operators and calls of a CPU thread.
    Thread,
    /// Annotations of a GPU stream.
    GpuAnnotation,
    /// Kernels, copies and fills of a GPU stream, or what waits for it.
    Stream,
    /// A value over time.
    Counter,
}

impl LaneKind {
    /// Returns its name in the format.
    pub fn word(self) -> &'static str {
        match self {
            Self::Annotation => "annotation",
            Self::Thread => "thread",
            Self::GpuAnnotation => "gpu_annotation",
            Self::Stream => "stream",
            Self::Counter => "counter",
        }
    }

    /// Whether its events are nested calls.
    pub(super) fn nests(self) -> bool {
        matches!(self, Self::Annotation | Self::Thread)
    }
}

/// The identity of a lane within its rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// Process, or device.
    pub(super) pid: Option<i64>,
    /// Thread, or stream.
    pub(super) tid: Option<i64>,
    pub(super) kind: LaneKind,
    /// Whether it has what waits for a stream instead of its work.
    pub(super) is_sync: bool,
}

/// A lane of a rank.
pub(super) struct RankLane {
    pub(super) key: Key,
    pub(super) label: String,
    /// Whether it is a thread that runs Python only, beside threads that run operators or launch work: a front end folds it.
    pub(super) is_helper: bool,
    pub(super) content: Content,
}

/// What a lane consists of.
pub(super) enum Content {
    Events(Lane),
    Counter(Series, &'static str),
}

/// A lane of a timeline: where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneLocation {
    pub(super) side: usize,
    pub(super) rank: usize,
    pub(super) lane: usize,
}
