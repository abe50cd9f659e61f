//! A trace whose ranks an engine reads.

use super::{Engine, Input, TraceSpec};
use crate::error::DistributedReason;
use crate::frame::NamedType;
use crate::{Error, Warning};
use std::fmt;
use std::sync::Arc;

/// A trace whose ranks an engine reads.
pub struct Remote {
    /// The engine.
    pub engine: Arc<dyn Engine>,
    /// Path, pattern or address of the trace.
    pub uri: String,
    /// How its ranks are loaded.
    pub spec: TraceSpec,
    /// Files that could not be read.
    pub unread: Vec<UnreadFile>,
}

/// A file that an engine could not read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadFile {
    /// Path or address of the file.
    pub file: String,
    /// Why it could not be read, in one line.
    pub reason: String,
    /// The last lines that the task wrote that was to read it; empty if they say no more than the reason.
    pub log: String,
}

/// A rank whose events an engine reads.
#[derive(Clone)]
pub struct ElsewhereRank {
    pub(crate) remote: Arc<Remote>,
    /// Its file.
    pub input: Input,
    /// The node that read it.
    pub node: Option<String>,
    /// The columns of its events.
    pub columns: Vec<NamedType>,
    /// Whether it has frames of Python or of modules.
    pub has_stacks: bool,
    /// Whether it has launches of graphs.
    pub has_graphs: bool,
}

impl ElsewhereRank {
    /// Returns the error of a use of the events on this machine.
    pub(crate) fn not_here(&self, rank: i64) -> Error {
        let (uri, engine) = (self.remote.uri.clone(), self.remote.engine.name());
        Error::Distributed(DistributedReason::EventsElsewhere { rank, uri, engine })
    }
}

impl Remote {
    /// Returns the warning that ranks are missing; `None` if all were read.
    pub fn missing(&self, label: &str, read: usize) -> Option<Warning> {
        let all = read + self.unread.len();
        (all > read).then(|| Warning::PartOfRanks { label: label.to_owned(), read, all })
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({} by {})", self.uri, self.engine.name())
    }
}
