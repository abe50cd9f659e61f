//! Host events nested by their intervals, and the launches of GPU events.

use crate::input::event::Event;
use crate::input::kind::Kind;
use crate::tree::node::NONE;
use std::cmp::Reverse;
use std::collections::HashMap;

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
        let is_host = |event: &Event| !(event.kind.is_gpu() || without_stacks && event.kind.is_stack());
        let mut order: Vec<u32> = (0..events.len() as u32).filter(|&at| is_host(&events[at as usize])).collect();
        let key = |at: u32| {
            let event = &events[at as usize];
            (event.thread, event.start, Reverse(event.end), at)
        };
        order.sort_by_key(|&at| key(at));
        let mut parent = vec![NONE; events.len()];
        let mut open: Vec<u32> = Vec::new();
        for &at in &order {
            let event = &events[at as usize];
            while let Some(&last) = open.last() {
                let around = &events[last as usize];
                // An event without length holds others of the same moment only if they have none either.
                let holds = around.thread == event.thread
                    && (event.start < around.end
                        || (event.start == around.end && around.start == around.end && event.end == event.start));
                if holds {
                    break;
                }
                open.pop();
            }
            parent[at as usize] = open.last().copied().unwrap_or(NONE);
            open.push(at);
        }
        // In the order of their begins, whatever the thread, parents before children.
        order.sort_by_key(|&at| {
            let (thread, start, end, at) = key(at);
            (start, end, thread, at)
        });
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
