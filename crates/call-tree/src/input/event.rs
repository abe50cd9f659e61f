//! Events of one rank, as a call tree needs them.

use super::kind::Kind;
use super::label::LabelId;

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
