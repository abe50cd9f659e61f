//! Reasons for which no critical path is found.

use trace_view::format::{counted, list};

/// Why no critical path is found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CriticalPathReason {
    /// No rank that was asked for has such an annotation.
    #[error(
        "trace \"{label}\" has no annotation whose name contains `{annotation}`{}; an empty text takes the whole recording",
        known_text(.known)
    )]
    NoAnnotation {
        /// The trace.
        label: String,
        /// The text.
        annotation: String,
        /// Some annotations that there are.
        known: Vec<String>,
    },
    /// A rank has fewer annotations.
    #[error(
        "rank {rank} has no instance {instance} of `{annotation}`: it has {}, numbered from 0 in order of time",
        counted(*.count, "instance")
    )]
    NoSuchInstance {
        /// The rank.
        rank: i64,
        /// The text.
        annotation: String,
        /// The instance that was asked for.
        instance: usize,
        /// The number of instances.
        count: usize,
    },
    /// A rank has fewer annotations, as HTA counts them.
    #[error(
        "rank {rank} has no instance {instance} of `{annotation}`: it has {}, numbered from 0 in HTA's order, those of the GPU first",
        counted(*.count, "instance")
    )]
    NoHtaInstance {
        /// The rank.
        rank: i64,
        /// The text.
        annotation: String,
        /// The instance that was asked for.
        instance: usize,
        /// The number of instances.
        count: usize,
    },
    /// HTA's graph has negative weights, which were to be refused.
    #[error("rank {rank} has {} below −1 µs in HTA's graph; leave strict_negative_weights out", counted(*.count, "weight"))]
    NegativeWeights {
        /// The rank.
        rank: i64,
        /// The number of weights.
        count: usize,
    },
    /// There is nothing to follow.
    #[error("rank {rank} has no events of a CPU or a GPU in the window; choose another --instance or --annotation")]
    EmptyWindow {
        /// The rank.
        rank: i64,
    },
    /// The edges of the graph were asked for, but not kept.
    #[error("cannot list the edges of the graph: they were not kept; set CriticalPath::edges")]
    EdgesNotRetained,
}

fn known_text(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!(" (it has {})", list(known)) }
}
