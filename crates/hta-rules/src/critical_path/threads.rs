//! Edges along the calls of each thread.

use super::edges::{EdgeKind, Edges};
use super::graph::Stage;
use super::names::Meaning;
use super::{Frame, Row};
use std::cmp::Reverse;

/// A call of a thread.
#[derive(Clone, Copy)]
struct Call {
    event: u32,
    index: i64,
    ts: i64,
    dur: i64,
}

/// Adds the edges of all threads of the CPU, ascending by process and thread. A thread with any event on a stream is none of
/// the CPU.
pub(super) fn add<F: Frame>(stage: &Stage<'_, F>, edges: &mut Edges) {
    let backward = merged_threads(stage);
    let mut threads: Vec<(i64, i64, u32)> = Vec::with_capacity(stage.events.len());
    for event in 0..stage.events.len() as u32 {
        let Row { pid, tid, .. } = stage.row(event);
        let tid = backward.filter(|&(from, _)| from == tid).map_or(tid, |(_, to)| to);
        threads.push((pid, tid, event));
    }
    threads.sort_unstable();
    for thread in threads.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        let rows = || thread.iter().map(|&(_, _, event)| (event, stage.row(event)));
        if rows().all(|(_, row)| row.stream < 0) {
            let call = |(event, row): (u32, Row)| Call { event, index: row.index, ts: row.ts, dur: row.dur.max(0) };
            add_thread(stage, edges, &rows().map(call).collect::<Vec<Call>>());
        }
    }
}

/// Returns the thread of the backward pass and that of the forward pass, which is taken for one with it, if there is exactly
/// one of each, found by operators and annotations whose names contain `forward` and `autograd`.
fn merged_threads<F: Frame>(stage: &Stage<'_, F>) -> Option<(i64, i64)> {
    let only = |bit: u32| {
        let mut found = None;
        for event in 0..stage.events.len() as u32 {
            let row = stage.row(event);
            if stage.name(event).is(bit) && stage.names.of_code(row.cat).is(Meaning::PASS) {
                match found {
                    None => found = Some(row.tid),
                    Some(tid) if tid == row.tid => {}
                    Some(_) => return None,
                }
            }
        }
        found.filter(|&tid| tid != 0)
    };
    let (forward, backward) = (only(Meaning::FORWARD)?, only(Meaning::AUTOGRAD)?);
    (forward != backward).then_some((backward, forward))
}

/// The ends and starts of a thread's calls in HTA's order: at the same moment ends come first; of two starts the longer call
/// and then the smaller index comes first, of two ends the shorter and then the larger index.
fn points(calls: &[Call]) -> Vec<(u32, bool)> {
    let mut points: Vec<(u32, bool)> = (0..calls.len() as u32).flat_map(|call| [(call, true), (call, false)]).collect();
    points.sort_unstable_by_key(|&(call, is_start)| {
        let Call { index, ts, dur, .. } = calls[call as usize];
        if is_start { (ts, true, Reverse(dur), index) } else { (ts.saturating_add(dur), false, Reverse(-dur), -index) }
    });
    points
}

/// What a walk along a thread knows.
struct Walk<'w, 'f, F> {
    stage: &'w Stage<'f, F>,
    edges: &'w mut Edges,
    /// The last node, and the index of its event's parent.
    last: Option<(u32, i64)>,
    /// Number of open calls that have nodes.
    depth: usize,
}

/// Adds the edges of one thread: each start and end hangs on the one before it.
///
/// ```text
/// |- a ------------------|   |- b -|     a → c → c's end → a's end, whose time counts
///     |- c -|                            a's end → b, whose time does not
/// ```
///
/// An end closes the call that started last, whichever it ends, as in HTA: of calls that overlap without nesting the ends
/// change places.
fn add_thread<F: Frame>(stage: &Stage<'_, F>, edges: &mut Edges, calls: &[Call]) {
    let mut walk = Walk { stage, edges, last: None, depth: 0 };
    let mut open: Vec<u32> = Vec::new();
    let parent = |open: &[u32]| open.last().map_or(-1, |&call| calls[call as usize].index);
    for (call, is_start) in points(calls) {
        if is_start {
            walk.enter(calls[call as usize].event, parent(&open));
            open.push(call);
        } else if let Some(closed) = open.pop() {
            walk.exit(calls[closed as usize].event, parent(&open));
        }
    }
}

impl<F: Frame> Walk<'_, '_, F> {
    fn enter(&mut self, event: u32, parent: i64) {
        let Some(start) = self.stage.nodes.start(event) else { return };
        if let Some((last, last_parent)) = self.last
            && !(self.both_lock(last, event) && self.stage.nodes.node(last).is_start)
        {
            if self.depth == 0 {
                self.edges.add(&self.stage.nodes, [last, start], EdgeKind::Dependency, false, None);
            } else {
                self.operator([last, start], last_parent, false);
            }
        }
        self.last = Some((start, parent));
        self.depth += 1;
    }

    fn exit(&mut self, event: u32, parent: i64) {
        let Some(end) = self.stage.nodes.end(event) else { return };
        if let Some((last, last_parent)) = self.last
            && !self.both_lock(last, event)
        {
            self.operator([last, end], last_parent, self.stage.name(event).is(Meaning::BLOCKING));
        }
        self.last = Some((end, parent));
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether the call of a node and another one share the lock.
    fn both_lock(&self, last: u32, event: u32) -> bool {
        let one = self.stage.nodes.node(last).event;
        self.stage.name(one).is(Meaning::LOCK) && self.stage.name(event).is(Meaning::LOCK)
    }

    /// Adds time of a call: from a start, that of its call; to an end, that of the call which ends; else that of the call
    /// around the last one.
    fn operator(&mut self, ends: [u32; 2], around: i64, is_free: bool) {
        let [begin, end] = ends.map(|node| self.stage.nodes.node(node));
        let event = match (begin.is_start, end.is_start) {
            (true, _) => self.stage.row(begin.event).index,
            (false, false) => self.stage.row(end.event).index,
            (false, true) => around,
        };
        self.edges.add(&self.stage.nodes, ends, EdgeKind::Operator, is_free, Some(event));
    }
}
