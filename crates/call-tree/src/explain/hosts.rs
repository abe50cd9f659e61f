//! The innermost frame of the host at a moment, and the one around it.

use crate::input::event::Event;
use crate::nesting::{Call, Closing, Step, nest};
use crate::tree::nesting::threads;
use crate::tree::node::NONE;
use std::collections::BTreeMap;

/// Innermost host frame of each thread over time.
pub(super) struct Hosts {
    /// By thread: begins of segments, ascending, with the innermost event from there on.
    segments: BTreeMap<u32, Vec<(i64, Option<u32>)>>,
    /// Event that each event is in, or [`NONE`].
    parent: Vec<u32>,
}

impl Hosts {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut parent = vec![NONE; events.len()];
        let mut segments = |calls: &Vec<Call>| {
            let mut segments: Vec<(i64, Option<u32>)> = Vec::new();
            nest(calls, Closing::OwnEnd, |step| match step {
                Step::Begins(call, around) => {
                    parent[call.row as usize] = around.map_or(NONE, |around| around.row);
                    push(&mut segments, call.start, Some(call.row));
                }
                Step::Ends(call, around) => {
                    // A frame that reaches over the end of the one around it keeps that one open.
                    let end = segments.last().map_or(call.end, |&(last, _)| call.end.max(last));
                    push(&mut segments, end, around.map(|around| around.row));
                }
            });
            segments
        };
        let segments = threads(events, false).iter().map(|(&thread, calls)| (thread, segments(calls))).collect();
        Self { segments, parent }
    }

    /// The threads with host events.
    pub(super) fn threads(&self) -> impl Iterator<Item = u32> {
        self.segments.keys().copied()
    }

    /// Returns the events around a host event, the innermost first.
    pub(super) fn around(&self, at: u32) -> impl Iterator<Item = u32> {
        let up = |at: u32| Some(self.parent[at as usize]).filter(|&up| up != NONE);
        std::iter::successors(up(at), move |&at| up(at))
    }

    /// Calls `found` with each frame that ran on a thread between two moments, and for how long.
    pub(super) fn frames(&self, thread: u32, from: i64, to: i64, mut found: impl FnMut(Option<u32>, i64)) {
        let segments = self.segments.get(&thread).map_or(&[][..], Vec::as_slice);
        let mut at = segments.partition_point(|&(start, _)| start <= from);
        let mut frame = at.checked_sub(1).and_then(|before| segments[before].1);
        let mut start = from;
        while start < to {
            let end = segments.get(at).map_or(to, |&(next, _)| next.min(to));
            found(frame, end - start);
            frame = segments.get(at).and_then(|&(_, frame)| frame);
            (start, at) = (end, at + 1);
        }
    }
}

/// Appends a segment; an empty one before it gives way.
fn push(segments: &mut Vec<(i64, Option<u32>)>, start: i64, frame: Option<u32>) {
    segments.pop_if(|&mut (last, _)| last == start);
    segments.push((start, frame));
}
