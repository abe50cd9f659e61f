//! The path that bounds a window: from its end back along the causes that points had to wait for.

use super::replay::Times;
use crate::input::word::{Because, BoundBy};
use crate::model::graph::Graph;
use crate::model::segment::{Segment, Track, Window};
use std::ops::Range;

/// Where a moment is on a thread.
#[derive(Debug, Clone, Copy)]
struct Between {
    /// The last point that is not after it.
    before: Option<u32>,
    /// The first point after it.
    after: Option<u32>,
}

impl Graph {
    /// Returns what bounds a window, as recorded: segments in order of time, without gaps, from its begin to its end. Segments
    /// without length are left out. An empty window has none; one whose rank or thread does not exist is unexplained.
    pub fn path(&self, window: &Window) -> Vec<Segment> {
        self.walk(window, &Times::recorded(self), |point| self.binding(point))
    }

    /// Begin and end of a window at other times of the points, on the clock of the first rank. The begin does not move.
    pub(crate) fn bounds(&self, window: &Window, times: &Times<'_>) -> (i64, i64) {
        let (start, end) = self.aligned(window);
        match window.thread {
            Some(thread) => (start, self.moved(window.rank, thread, end, times).max(start)),
            None => {
                let both =
                    self.of_rank(window.rank, start, end).map(|point| (self.ts[point as usize], times.at(point)));
                let last = both.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)));
                // A replay leaves the time between the last point and the end of the window unchanged.
                (start, last.map_or(end, |(recorded, replayed)| replayed.saturating_add(end - recorded)))
            }
        }
    }

    /// The points that a change within a window can move, as a range in the order of all points: those of a thread's window after its
    /// begin, up to the one after its end; else all.
    pub(crate) fn replayed_for(&self, window: &Window) -> Range<u32> {
        let all = 0..self.points() as u32;
        let Some(thread) = window.thread else { return all };
        let (start, end) = self.aligned(window);
        let first = self.between(window.rank, thread, start).before.map_or(0, |before| before + 1);
        let last = self.between(window.rank, thread, end).after.map_or(all.end, |after| after + 1);
        first..last.max(first)
    }

    /// The points of the threads and streams of a rank in a window, thread by thread. Visits no point of another rank.
    fn of_rank(&self, rank: u32, start: i64, end: i64) -> impl Iterator<Item = u32> + '_ {
        let spans = self.spans.iter().filter(move |span| span.works_for(rank));
        let points = spans.flat_map(|span| &self.numbered[span.first as usize..span.end as usize]);
        points.copied().filter(move |&point| (start..=end).contains(&self.ts[point as usize]))
    }

    /// Where a recorded moment of a thread is at other times of the points.
    fn moved(&self, rank: u32, thread: u32, at: i64, times: &Times<'_>) -> i64 {
        let between = self.between(rank, thread, at);
        match (between.before, between.after) {
            (Some(before), _) if self.ts[before as usize] == at => times.at(before),
            (Some(before), Some(after)) => {
                let recorded = i128::from(self.ts[after as usize]) - i128::from(self.ts[before as usize]);
                let replayed = i128::from(times.at(after)) - i128::from(times.at(before));
                let part = (i128::from(at) - i128::from(self.ts[before as usize])) * replayed / recorded.max(1);
                times.at(before).saturating_add(part.clamp(0, i128::from(i64::MAX)) as i64)
            }
            (Some(before), None) => times.at(before).saturating_add(at - self.ts[before as usize]),
            (None, Some(after)) => times.at(after).saturating_sub(self.ts[after as usize] - at),
            (None, None) => at,
        }
    }

    /// The points around a moment of a thread; of several points at the moment the last one.
    fn between(&self, rank: u32, thread: u32, at: i64) -> Between {
        let points = self.points_of(rank, Track::Thread(thread));
        let count = points.partition_point(|&point| self.ts[point as usize] <= at);
        Between { before: count.checked_sub(1).map(|last| points[last]), after: points.get(count).copied() }
    }

    /// Walks from the end of a window back to its begin.
    pub(crate) fn walk(
        &self,
        window: &Window,
        times: &Times<'_>,
        binding: impl Fn(u32) -> Option<usize>,
    ) -> Vec<Segment> {
        let (start, end) = self.bounds(window, times);
        let ahead = self.ahead(window.rank);
        let mut path = Vec::new();
        if start >= end {
            return path;
        }
        let track = Track::Thread(window.thread.unwrap_or(0));
        let unknown = Segment {
            start,
            end,
            rank: window.rank,
            track,
            event: None,
            bound_by: BoundBy::Unexplained,
            because: Because::Unknown,
        };
        let mut add = |segment: Segment| {
            let segment = Segment { start: segment.start.max(start), end: segment.end.min(end), ..segment };
            if segment.start < segment.end {
                path.push(segment);
            }
        };
        let mut at = end;
        let mut point = self.last_of(window, times, &unknown, &mut add, &mut at);
        while let Some(to) = point
            && at > start
        {
            let Some(cause) = binding(to) else { break };
            let (from, lag, span) = (self.from[cause], self.lag_of(cause, to), self.span(to));
            add(Segment {
                start: times.at(from),
                end: at,
                rank: span.rank,
                track: span.track,
                event: lag.event(),
                bound_by: lag.bound_by,
                because: lag.because,
            });
            (at, point) = (times.at(from), Some(from));
        }
        let (rank, track) = point.map_or((window.rank, track), |point| (self.span(point).rank, self.span(point).track));
        add(Segment { end: at, rank, track, ..unknown });
        path.reverse();
        // To the clock of the window's rank.
        path.iter_mut().for_each(|segment| {
            segment.start = segment.start.saturating_add(ahead);
            segment.end = segment.end.saturating_add(ahead);
        });
        path
    }

    /// The point with which the path ends, and the segment from there to the window's end.
    fn last_of(
        &self,
        window: &Window,
        times: &Times<'_>,
        unknown: &Segment,
        add: &mut impl FnMut(Segment),
        at: &mut i64,
    ) -> Option<u32> {
        let (start, end) = self.aligned(window);
        let Some(thread) = window.thread else {
            let last = self.of_rank(window.rank, start, end).max_by_key(|&point| (times.at(point), point))?;
            add(Segment { start: times.at(last), track: self.span(last).track, ..*unknown });
            *at = times.at(last);
            return Some(last);
        };
        let between = self.between(window.rank, thread, end);
        let before = between.before?;
        let lag = between.after.and_then(|after| {
            let cause = self.causes(after).find(|&cause| self.from[cause] == before)?;
            Some(self.lag_of(cause, after))
        });
        add(Segment {
            start: times.at(before),
            event: lag.as_ref().and_then(|lag| lag.event()),
            bound_by: lag.as_ref().map_or(BoundBy::NotRecorded, |lag| lag.bound_by),
            because: Because::ProgramOrder,
            ..*unknown
        });
        *at = times.at(before);
        Some(before)
    }
}
