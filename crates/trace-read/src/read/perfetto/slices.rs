//! Slices: begins and ends of events → durations.
//!
//! An end belongs to the last begin of its track that is open, in the order of their times. PyTorch writes groups of columns
//! instead: the begins of a group, then their ends in the same order. There times go back, and the n-th end belongs to the n-th
//! begin: kernels that follow each other without a gap, or overlap, could not be told apart by a stack.

use super::event::{Event, UNFINISHED};
use super::tracks::Lane;

/// A begin, or an end (no event).
#[derive(Debug, Clone, Copy)]
struct Mark {
    lane: Lane,
    ts: i64,
    /// Position among all marks of the file.
    order: u32,
    event: Option<u32>,
}

/// The begins of a sequence since its last end, and the ends after them.
#[derive(Default)]
pub(super) struct Run {
    begins: Vec<Mark>,
    ends: Vec<Mark>,
    last: Option<i64>,
    goes_back: bool,
}

/// The begins and ends that are paired by time, once all are known.
#[derive(Default)]
pub(super) struct Slices {
    marks: Vec<Mark>,
    count: u32,
    /// Ends without a begin.
    pub(super) without_begin: u64,
    /// Begins without an end.
    pub(super) without_end: u64,
}

impl Slices {
    /// Notes that an event begins.
    pub(super) fn begin(&mut self, run: &mut Run, events: &mut [Event], event: u32, lane: Lane, ts: i64) {
        if !run.ends.is_empty() {
            self.close(run, events);
        }
        let mark = self.mark(run, lane, ts, Some(event));
        run.begins.push(mark);
    }

    /// Notes that the last event of the track ends. Returns the position of the end.
    pub(super) fn end(&mut self, run: &mut Run, lane: Lane, ts: i64) {
        let mark = self.mark(run, lane, ts, None);
        run.ends.push(mark);
    }

    fn mark(&mut self, run: &mut Run, lane: Lane, ts: i64, event: Option<u32>) -> Mark {
        run.goes_back |= run.last.is_some_and(|last| ts < last);
        run.last = Some(ts);
        let order = self.count;
        self.count = self.count.saturating_add(1);
        Mark { lane, ts, order, event }
    }

    /// Pairs a run by position if it is a group of columns; otherwise leaves it to be paired by time.
    pub(super) fn close(&mut self, run: &mut Run, events: &mut [Event]) {
        let pairs = || run.begins.iter().zip(&run.ends);
        let is_group = run.goes_back
            && run.begins.len() == run.ends.len()
            && pairs().all(|(begin, end)| begin.lane == end.lane && begin.ts <= end.ts);
        if is_group {
            pairs().for_each(|(begin, end)| finish(events, begin, end));
        } else {
            self.marks.append(&mut run.begins);
            self.marks.append(&mut run.ends);
        }
        *run = Run::default();
    }

    /// Pairs what was left, once all runs are closed.
    pub(super) fn pair(&mut self, events: &mut [Event]) {
        let mut marks = std::mem::take(&mut self.marks);
        marks.sort_unstable_by_key(|mark| (mark.lane, mark.ts, mark.order));
        let mut open: Vec<Mark> = Vec::new();
        let mut lane = None;
        for mark in marks {
            if lane != Some(mark.lane) {
                self.without_end += open.len() as u64;
                open.clear();
                lane = Some(mark.lane);
            }
            match (mark.event, open.is_empty()) {
                (Some(_), _) => open.push(mark),
                (None, true) => self.without_begin += 1,
                (None, false) => {
                    if let Some(begin) = open.pop() {
                        finish(events, &begin, &mark);
                    }
                }
            }
        }
        self.without_end += open.len() as u64;
    }
}

fn finish(events: &mut [Event], begin: &Mark, end: &Mark) {
    if let Some(event) = begin.event.and_then(|event| events.get_mut(event as usize)) {
        event.dur = end.ts.checked_sub(begin.ts).unwrap_or(UNFINISHED);
    }
}
