//! Host events nested by their intervals, and the launches of GPU events.

use crate::input::event::Event;
use crate::input::kind::Kind;
use crate::nesting::{Call, Closing, Step, nest, sort};
use crate::tree::node::NONE;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

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
        let mut parent = vec![NONE; events.len()];
        let mut order = Vec::new();
        for calls in threads(events, without_stacks).values() {
            nest(calls, Closing::OwnEnd, |step| {
                if let Step::Begins(call, around) = step {
                    parent[call.row as usize] = around.map_or(NONE, |around| around.row);
                    order.push((call.start, Reverse(call.end), call.row));
                }
            });
        }
        // In the order of their begins, whatever the thread: a thread's are in order already, and stay so.
        order.sort_by_key(|&(start, end, _)| (start, end));
        Self { order: order.into_iter().map(|(_, _, at)| at).collect(), parent }
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

/// The host events of each thread, sorted; their rows are their places.
pub(crate) fn threads(events: &[Event], without_stacks: bool) -> BTreeMap<u32, Vec<Call>> {
    let mut threads: BTreeMap<u32, Vec<Call>> = BTreeMap::new();
    for (event, row) in events.iter().zip(0..) {
        if !(event.kind.is_gpu() || without_stacks && event.kind.is_stack()) {
            let call = Call { start: event.start, end: event.end.max(event.start), row };
            threads.entry(event.thread).or_default().push(call);
        }
    }
    threads.values_mut().for_each(|calls| sort(calls));
    threads
}

/// The thread with most annotations and frames of Python, else with most host events.
pub(crate) fn main_thread(events: &[Event]) -> u32 {
    let mut counts: HashMap<u32, (usize, usize)> = HashMap::new();
    for event in events.iter().filter(|event| !event.kind.is_gpu()) {
        let count = counts.entry(event.thread).or_default();
        count.0 += usize::from(event.kind == Kind::Annotation || event.kind.is_stack());
        count.1 += 1;
    }
    counts.into_iter().max_by_key(|&(thread, count)| (count, Reverse(thread))).map_or(0, |(thread, _)| thread)
}

pub(crate) fn launches(events: &[Event]) -> HashMap<i64, u32> {
    let mut launches = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        if let (Kind::Launch | Kind::GraphLaunch, Some(id)) = (event.kind, event.correlation) {
            launches.entry(id).or_insert(at as u32);
        }
    }
    launches
}
