//! Points of CPU threads, and what each interval between two of them is spent on.

use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::{HostEvent, NONE};

/// The points of the threads of a rank.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// Times, thread by thread, in order within each.
    pub(crate) ts: Vec<i64>,
    /// The innermost event of the interval that ends at the point; [`NONE`] between events.
    pub(crate) owner: Vec<u32>,
    /// The event that begins or ends at the point.
    pub(crate) event: Vec<u32>,
    /// By event the point at its start.
    pub(crate) start_of: Vec<u32>,
    /// By event the point at its end.
    pub(crate) end_of: Vec<u32>,
    /// The threads, by number, with the points of each.
    pub(crate) spans: Vec<Span>,
}

/// The points of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) thread: u32,
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Threads {
    /// Finds the points of events, whose times are valid.
    pub(crate) fn of(events: &[HostEvent], check: &mut Check<'_>) -> Result<Self, Stopped> {
        let mut order: Vec<u32> = (0..events.len() as u32).collect();
        let event = |at: u32| &events[at as usize];
        // Of equal starts the longer event is outside. Recorded rows are nearly in this order, which the sort makes use of.
        order.sort_by_key(|&at| (event(at).thread, event(at).start, std::cmp::Reverse(event(at).end), at));
        check()?;
        let mut found = Self {
            ts: Vec::with_capacity(events.len() * 2),
            owner: Vec::with_capacity(events.len() * 2),
            event: Vec::with_capacity(events.len() * 2),
            start_of: vec![NONE; events.len()],
            end_of: vec![NONE; events.len()],
            spans: Vec::new(),
        };
        let (mut open, mut ends) = (Open::default(), Vec::new());
        for thread in order.chunk_by(|&one, &other| event(one).thread == event(other).thread) {
            let first = found.ts.len() as u32;
            ends.clear();
            // Of equal ends the inner event, which begins later, ends first.
            ends.extend(thread.iter().rev().copied().filter(|&at| event(at).start < event(at).end));
            ends.sort_by_key(|&at| event(at).end);
            let mut ending = ends.iter().copied().peekable();
            open.stack.clear();
            for (step, &at) in thread.iter().enumerate() {
                at_times(step, check)?;
                let start = event(at).start;
                while let Some(over) = ending.next_if(|&over| event(over).end <= start) {
                    found.end(over, event(over).end, &mut open);
                }
                found.start_of[at as usize] = found.push(start, at, open.top(&found.end_of));
                if event(at).end > start {
                    open.stack.push(at);
                } else {
                    found.end_of[at as usize] = found.push(start, at, at);
                }
            }
            for over in ending {
                found.end(over, event(over).end, &mut open);
            }
            let thread = event(thread[0]).thread;
            found.spans.push(Span { thread, first, end: found.ts.len() as u32 });
        }
        Ok(found)
    }

    fn push(&mut self, ts: i64, event: u32, owner: u32) -> u32 {
        let point = self.ts.len() as u32;
        self.event.push(event);
        self.ts.push(ts);
        self.owner.push(owner);
        point
    }

    fn end(&mut self, at: u32, ts: i64, open: &mut Open) {
        let owner = open.top(&self.end_of);
        self.end_of[at as usize] = self.push(ts, at, owner);
    }
}

/// Events that have begun, the innermost last. Those that cross others end below the top; they leave once they surface.
#[derive(Default)]
struct Open {
    stack: Vec<u32>,
}

impl Open {
    /// The innermost event that has not ended.
    fn top(&mut self, end_of: &[u32]) -> u32 {
        while let Some(&top) = self.stack.last() {
            if end_of[top as usize] == NONE {
                return top;
            }
            self.stack.pop();
        }
        NONE
    }
}
