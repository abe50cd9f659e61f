//! Host events nested by their intervals, and the launches of GPU events.

use crate::input::event::Event;
use crate::input::kind::Kind;
use crate::nesting::{Call, Step, nest_each};
use crate::tree::node::NONE;
use foldhash::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// Host events in order, each with its enclosing event.
pub(crate) struct Nested {
    /// Events in the order of their begins, parents before children.
    pub(crate) order: Vec<u32>,
    /// Event that each event is in, or [`NONE`].
    pub(crate) parent: Vec<u32>,
}

impl Nested {
    /// Nests by intervals per thread: at equal begins the longer event is outside, at equal intervals the earlier one of the
    /// file. An event that begins inside another one is its child, also if it ends later.
    pub(crate) fn of(events: &[Event], without_stacks: bool) -> Self {
        let threads = Threads::of(events, without_stacks);
        let parent = threads.parents(events);
        // In the order of their begins, whatever the thread: a thread's are in order already, and stay so.
        let mut order = threads.order;
        order.sort_by_key(|&at| nesting_key(&events[at as usize]));
        Self { order, parent }
    }

    /// Duration of each event without those of its children, in ns; at least 0.
    pub(crate) fn own_times(&self, events: &[Event]) -> Vec<i64> {
        let length = |event: &Event| (event.end - event.start).max(0);
        let mut times: Vec<i64> = events.iter().map(length).collect();
        for &at in &self.order {
            let up = self.parent[at as usize];
            if up != NONE {
                let (event, around) = (&events[at as usize], &events[up as usize]);
                times[up as usize] -= (event.end.min(around.end) - event.start).max(0);
            }
        }
        times.iter_mut().for_each(|time| *time = (*time).max(0));
        times
    }
}

/// The host events of each thread, in the order in which they nest.
pub(crate) struct Threads {
    /// Places of the events, thread by thread.
    order: Vec<u32>,
    of: BTreeMap<u32, Range<usize>>,
}

impl Threads {
    pub(crate) fn of(events: &[Event], without_stacks: bool) -> Self {
        let is_host = |event: &Event| !(event.kind.is_gpu() || without_stacks && event.kind.is_stack());
        let mut order = Vec::with_capacity(events.iter().filter(|event| is_host(event)).count());
        order.extend((0..).zip(events).filter(|(_, event)| is_host(event)).map(|(at, _): (u32, _)| at));
        let thread = |at: u32| events[at as usize].thread;
        order.sort_by_key(|&at| (thread(at), nesting_key(&events[at as usize])));
        let mut of = BTreeMap::new();
        let mut from = 0;
        for of_thread in order.chunk_by(|&one, &other| thread(one) == thread(other)) {
            let to = from + of_thread.len();
            of.insert(thread(of_thread[0]), from..to);
            from = to;
        }
        Self { order, of }
    }

    /// The threads with host events.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.of.keys().copied()
    }

    /// Places of the events of a thread, by their begins.
    pub(crate) fn events(&self, thread: u32) -> &[u32] {
        self.of.get(&thread).map_or(&[], |range| &self.order[range.clone()])
    }

    /// Returns the event that each event is in, or [`NONE`].
    pub(crate) fn parents(&self, events: &[Event]) -> Vec<u32> {
        let mut parent = vec![NONE; events.len()];
        for range in self.of.values() {
            let call = |&row: &u32| {
                let event = &events[row as usize];
                Call { start: event.start, end: event.end, row }
            };
            nest_each(self.order[range.clone()].iter().map(call), |step| {
                if let Step::Begins(call, Some(around)) = step {
                    parent[call.row as usize] = around.row;
                }
            });
        }
        parent
    }
}

/// By begin, the longer one first.
fn nesting_key(event: &Event) -> (i64, Reverse<i64>) {
    (event.start, Reverse(event.end.max(event.start)))
}

/// The thread with most annotations and frames of Python, else with most host events.
pub(crate) fn main_thread(events: &[Event]) -> u32 {
    let mut counts: HashMap<u32, (usize, usize)> = HashMap::default();
    for event in events.iter().filter(|event| !event.kind.is_gpu()) {
        let count = counts.entry(event.thread).or_default();
        count.0 += usize::from(event.kind == Kind::Annotation || event.kind.is_stack());
        count.1 += 1;
    }
    counts.into_iter().max_by_key(|&(thread, count)| (count, Reverse(thread))).map_or(0, |(thread, _)| thread)
}
