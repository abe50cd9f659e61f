//! The graph as a list of edges.

use crate::input::word::{Because, BoundBy};
use crate::model::graph::Graph;
use crate::model::segment::Track;

/// A cause of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Rank of the cause, by its place among the ranks that the graph was built of.
    pub from_rank: u32,
    /// Thread or stream of the cause.
    pub from_track: Track,
    /// Row of the event that begins or ends at the cause; `None` where ranks meet.
    pub from_event: Option<u32>,
    /// Time of the cause in ns, on the clock of its rank.
    pub from_ts: i64,
    /// Rank of the point.
    pub to_rank: u32,
    /// Thread or stream of the point.
    pub to_track: Track,
    /// Row of the event that begins or ends at the point; `None` where ranks meet.
    pub to_event: Option<u32>,
    /// Time of the point in ns, on the clock of its rank.
    pub to_ts: i64,
    /// The class of the time from the cause to the point.
    pub bound_by: BoundBy,
    /// The reason for which the point waits for the cause.
    pub because: Because,
    /// The least time from the cause to the point, in ns.
    pub lag: i64,
    /// True for the binding cause: the one that sets the time of the point; of several with the same end, the likeliest.
    pub binding: bool,
}

impl Graph {
    /// Visits the causes of all points, in one order of time.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        (0..self.points() as u32).flat_map(move |to| {
            let binding = self.binding(to);
            self.causes(to).map(move |cause| {
                let (from, lag) = (self.from[cause], self.lag_of(cause, to));
                let (from_span, to_span) = (self.span(from), self.span(to));
                Edge {
                    from_rank: from_span.rank,
                    from_track: from_span.track,
                    from_event: self.event(from),
                    from_ts: self.ts[from as usize] + self.ahead(from_span.rank),
                    to_rank: to_span.rank,
                    to_track: to_span.track,
                    to_event: self.event(to),
                    to_ts: self.ts[to as usize] + self.ahead(to_span.rank),
                    bound_by: lag.bound_by,
                    because: lag.because,
                    lag: lag.ns,
                    binding: binding == Some(cause),
                }
            })
        })
    }
}
