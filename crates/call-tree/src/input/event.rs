//! Events of one rank, as a call tree needs them.

use super::kind::Kind;
use super::label::LabelId;
use foldhash::HashMap;
use std::num::NonZeroI64;

/// Id that a launch shares with its GPU events. An optional one takes no more memory than the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Correlation(NonZeroI64);

impl Correlation {
    /// The correlation of a recorded id; `None` for the least number of 64 bits, which no profiler records.
    pub fn of(id: i64) -> Option<Self> {
        NonZeroI64::new(id ^ i64::MIN).map(Self)
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
    pub correlation: Option<Correlation>,
    /// Row of the caller, given back in answers.
    pub row: u32,
}

/// Finds the launches of events, by correlation; of several with one correlation the first.
pub fn launches(events: &[Event]) -> HashMap<Correlation, u32> {
    let mut launches = HashMap::default();
    for (event, index) in events.iter().zip(0..) {
        if let (Kind::Launch | Kind::GraphLaunch, Some(id)) = (event.kind, event.correlation) {
            launches.entry(id).or_insert(index);
        }
    }
    launches
}
