//! Windows of time and the segments of their paths.

use crate::input::word::{Because, BoundBy};

/// A thread of the CPU or a stream of a GPU, by its number within the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Track {
    /// A thread.
    Thread(u32),
    /// A stream.
    Stream(u32),
}

/// A window of time of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    /// The rank, by its place among the ranks that the graph was built of.
    pub rank: u32,
    /// The thread on which the window begins and ends, which move with it in a replay. `None`: it ends with the last event of the
    /// rank that ends in it, on a thread or a stream; its begin does not move.
    pub thread: Option<u32>,
    /// Begin, as recorded, in ns.
    pub start: i64,
    /// End, as recorded, in ns.
    pub end: i64,
}

/// A segment of the path that bounds a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Begin in ns, on the clock of the window's rank; of a replay, as replayed.
    pub start: i64,
    /// End in ns, likewise.
    pub end: i64,
    /// The rank that waits, by its place among the ranks that the graph was built of.
    pub rank: u32,
    /// The thread or stream that waits.
    pub track: Track,
    /// Row of the event that the time belongs to: whose own time it is, or, between events, the GPU event or the call that waits.
    /// `None` if no event is known.
    pub event: Option<u32>,
    /// The class of the time.
    pub bound_by: BoundBy,
    /// Why the segment's end waits for its begin.
    pub because: Because,
}

impl Segment {
    /// Length in ns.
    pub fn duration(&self) -> i64 {
        self.end - self.start
    }
}
