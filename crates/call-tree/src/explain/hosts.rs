//! The innermost frame of the host at a moment, and the one around it.

use crate::input::event::Event;
use crate::tree::nesting::Threads;
use crate::tree::node::NONE;
use std::cell::Cell;

/// Host events of each thread over time.
pub(super) struct Hosts<'e> {
    events: &'e [Event],
    threads: Threads,
    /// Event that each event is in, or [`NONE`].
    parent: Vec<u32>,
    last: Cell<Innermost>,
}

/// The innermost event at a moment, which was asked for last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Innermost {
    /// The event that began last.
    began: u32,
    moment: i64,
    innermost: u32,
}

impl<'e> Hosts<'e> {
    pub(super) fn of(events: &'e [Event]) -> Self {
        let threads = Threads::of(events, false);
        let parent = threads.parents(events);
        Self { events, threads, parent, last: Cell::new(Innermost { began: NONE, moment: 0, innermost: NONE }) }
    }

    /// The threads with host events.
    pub(super) fn threads(&self) -> impl Iterator<Item = u32> {
        self.threads.numbers()
    }

    /// Returns the events around a host event, the innermost first.
    pub(super) fn around(&self, at: u32) -> impl Iterator<Item = u32> {
        let up = |at: u32| Some(self.parent[at as usize]).filter(|&up| up != NONE);
        std::iter::successors(up(at), move |&at| up(at))
    }

    /// Calls `found` with each frame that ran on a thread between two moments, and for how long.
    pub(super) fn frames(&self, thread: u32, from: i64, to: i64, mut found: impl FnMut(Option<u32>, i64)) {
        let order = self.threads.events(thread);
        let begin = |at: u32| self.events[at as usize].start;
        let mut next = order.partition_point(|&at| begin(at) <= from);
        let mut start = from;
        while start < to {
            let frame = next.checked_sub(1).and_then(|before| self.innermost(order[before], start));
            let behind = frame.map_or(to, |at| self.events[at as usize].end);
            let end = order.get(next).map_or(to, |&at| begin(at)).min(behind).min(to);
            found(frame, end - start);
            start = end;
            while order.get(next).is_some_and(|&at| begin(at) <= start) {
                next += 1;
            }
        }
    }

    /// The innermost event that runs at a moment, of those around the one that began last.
    fn innermost(&self, began: u32, moment: i64) -> Option<u32> {
        let last = self.last.get();
        // Events that have ended at one moment have ended at every later one: the search goes on where the one before ended.
        let is_later = last.began == began && last.moment <= moment;
        let mut at = if is_later { last.innermost } else { began };
        while at != NONE && self.events[at as usize].end <= moment {
            at = self.parent[at as usize];
        }
        self.last.set(Innermost { began, moment, innermost: at });
        Some(at).filter(|&at| at != NONE)
    }
}
