//! Errors of files that PyTorch writes beside traces: execution traces and memory timelines.

use std::fmt;
use std::path::PathBuf;

/// Why a file is no execution trace that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecutionTraceReason {
    /// It is not the JSON of one; the parser's words.
    Malformed(String),
    /// Its schema is unknown.
    Schema {
        /// The schema that it names.
        found: String,
        /// Begin of those that are known.
        known: String,
    },
}

impl fmt::Display for ExecutionTraceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(words) => {
                write!(f, "expected an object with schema and nodes, as ExecutionTraceObserver writes it ({words})")
            }
            Self::Schema { found, known } => write!(f, "its schema is {found:?}; expected one of {known}"),
        }
    }
}

/// An error of a file beside a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BesideError {
    /// A file is no execution trace.
    #[error("cannot read the execution trace {}: {reason}", .path.display())]
    ExecutionTrace {
        /// The file.
        path: PathBuf,
        /// Why it is none.
        reason: ExecutionTraceReason,
    },
    /// A file is no raw memory timeline.
    #[error("cannot read the memory timeline {}: {reason}; expected a list of [time, action, bytes, category], as \
        export_memory_timeline(\"x.raw.json.gz\") writes it", .path.display())]
    MemoryTimeline {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file has no annotations of nodes of graphs.
    #[error("cannot read the annotations of graphs {}: {reason}; expected an object with a list of annotations for the number of each \
        node, as json.dump(get_kernel_annotations(), file) writes it", .path.display())]
    GraphAnnotations {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Annotations of nodes of graphs are in a pickle.
    #[error(
        "{} is not read: to open a pickle runs code that is in it; save the annotations as JSON: \
        json.dump(get_kernel_annotations(), file)", .path.display()
    )]
    PickledAnnotations {
        /// The file.
        path: PathBuf,
    },
    /// A rank was loaded without the ids that tie its operators to nodes of an execution trace.
    #[error(
        "rank {rank} has no external ids, which execution traces need; load it with --args default, or record it with a newer PyTorch"
    )]
    NoExternalIds {
        /// The rank.
        rank: i64,
    },
}
