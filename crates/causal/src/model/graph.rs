//! The causal graph: points in one order, each after its causes.

use super::lags::Lags;
use super::number::TrackSpan;
use crate::input::event::NONE;
use crate::input::word::{Because, BoundBy};
use crate::model::segment::{Track, Window};

/// Points in time and their causes, of all ranks of a job. About 100 bytes for each event.
#[derive(Debug, Default)]
pub struct Graph {
    /// Recorded times, on the clock of the first rank.
    pub(crate) ts: Vec<i64>,
    /// By point its thread or stream, a place in `spans`.
    pub(crate) span_of: Vec<u32>,
    /// By point the row of the event that begins or ends there.
    pub(crate) events: Vec<u32>,
    /// By point its first cause, and one past the last cause of all. The first of several binding causes is the likely one.
    pub(crate) first: Vec<u32>,
    /// By cause the point that is waited for.
    pub(crate) from: Vec<u32>,
    pub(crate) lags: Lags,
    /// By cause the row of the event that the lag belongs to.
    pub(crate) rows: Vec<u32>,
    pub(crate) words: Vec<(BoundBy, Because)>,
    /// Threads and streams, by ranges in `numbered`.
    pub(crate) spans: Vec<TrackSpan>,
    /// The points of threads and streams, in their order.
    pub(crate) numbered: Vec<u32>,
    /// By rank its number.
    pub(crate) ranks: Vec<i64>,
    /// By rank by how much its clock is ahead of the first one.
    pub(crate) ahead: Vec<i64>,
    pub(crate) left_out: LeftOut,
}

/// What could not be part of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Causes that would be later than what they cause, or close a cycle.
    pub causes: u64,
    /// Waits that name a stream or a record that the trace does not have.
    pub waits: u64,
    /// Collectives that would have ended on one rank before they began on another.
    pub collectives: u64,
    /// Kernels without a launch in the trace.
    pub kernels_without_launch: u64,
}

/// A cause of a point: for how long at least the point is later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lag {
    /// The rank that waits, by its place among the ranks that the graph was built of.
    pub rank: u32,
    /// Row of the event that the time belongs to; [`NONE`] without one.
    pub row: u32,
    /// The class of the time.
    pub bound_by: BoundBy,
    /// Why the point waits.
    pub because: Because,
    /// The time in ns.
    pub ns: i64,
}

impl Lag {
    /// Returns the row of the event that the time belongs to.
    pub fn event(&self) -> Option<u32> {
        Some(self.row).filter(|&row| row != NONE)
    }

    /// Returns the row of the event whose own time this is: a change of events multiplies these, but not the time between events,
    /// nor that in which others are waited for.
    pub fn own_event(&self) -> Option<u32> {
        let is_between = matches!(
            self.bound_by,
            BoundBy::LaunchOverhead
                | BoundBy::KernelKernelOverhead
                | BoundBy::Synchronization
                | BoundBy::WaitingForRank
                | BoundBy::Unexplained
        );
        self.event().filter(|_| !is_between)
    }
}

impl Graph {
    /// Number of points.
    pub fn points(&self) -> usize {
        self.ts.len()
    }

    /// Number of causes of all points.
    pub fn causes_of_all(&self) -> usize {
        self.from.len()
    }

    /// Returns the ranks, as they were given.
    pub fn ranks(&self) -> &[i64] {
        &self.ranks
    }

    /// Returns by how much the clock of a rank is ahead of that of the first one, as far as collectives tell, in ns.
    pub fn ahead(&self, rank: u32) -> i64 {
        self.ahead.get(rank as usize).copied().unwrap_or(0)
    }

    /// Returns what could not be part of the graph.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Returns the window from the first event of a rank to the last one; `None` without events. Those of watchdogs count
    /// only if nothing else works.
    pub fn whole(&self, rank: u32) -> Option<Window> {
        let of_rank = (0..self.points() as u32).filter(|&point| self.span(point).works_for(rank));
        let mut times = of_rank.map(|point| self.ts[point as usize]);
        let first = times.next()?;
        let (start, end) = times.fold((first, first), |(start, end), ts| (start.min(ts), end.max(ts)));
        let ahead = self.ahead(rank);
        Some(Window { rank, thread: None, start: start.saturating_add(ahead), end: end.saturating_add(ahead) })
    }

    /// The causes of a point.
    #[inline]
    pub(crate) fn causes(&self, point: u32) -> std::ops::Range<usize> {
        self.first[point as usize] as usize..self.first[point as usize + 1] as usize
    }

    /// The lag of a cause of a point.
    #[inline]
    pub(crate) fn lag_of(&self, cause: usize, to: u32) -> Lag {
        self.lag_on(self.span(to).rank, cause)
    }

    /// The lag of a cause of a point of a rank.
    #[inline]
    pub(crate) fn lag_on(&self, rank: u32, cause: usize) -> Lag {
        let (bound_by, because) = self.words[cause];
        Lag { rank, row: self.rows[cause], bound_by, because, ns: self.lags.get(cause) }
    }

    /// The cause that a point had to wait for.
    pub(crate) fn binding(&self, point: u32) -> Option<usize> {
        let ts = self.ts[point as usize];
        self.causes(point).find(|&cause| self.ts[self.from[cause] as usize] + self.lags.get(cause) == ts)
    }

    #[inline]
    pub(crate) fn span(&self, point: u32) -> &TrackSpan {
        &self.spans[self.span_of[point as usize] as usize]
    }

    pub(crate) fn event(&self, point: u32) -> Option<u32> {
        Some(self.events[point as usize]).filter(|&row| row != NONE)
    }

    /// The points of a thread or a stream, in order.
    pub(crate) fn points_of(&self, rank: u32, track: Track) -> &[u32] {
        let span = self.spans.iter().find(|span| span.rank == rank && span.track == track);
        span.map_or(&[], |span| &self.numbered[span.first as usize..span.end as usize])
    }

    /// The bounds of a window on the clock of the first rank.
    pub(crate) fn aligned(&self, window: &Window) -> (i64, i64) {
        super::clock::aligned(window, &self.ahead)
    }

    /// Removes the points from their threads and streams that were not written.
    pub(crate) fn remove_unwritten(&mut self) {
        let mut written = Vec::with_capacity(self.points());
        for span in &mut self.spans {
            let all = &self.numbered[span.first as usize..span.end as usize];
            span.first = written.len() as u32;
            written.extend(all.iter().copied().filter(|&point| point != NONE));
            span.end = written.len() as u32;
        }
        self.numbered = written;
    }
}
