//! Edges of kernels, and of synchronisations with them.

use super::edges::{EdgeKind, Edges};
use super::graph::{LeftOut, Stage};
use super::names::Meaning;
use super::queues::Queues;
use super::waits::Waits;
use super::{Frame, Row};
use std::collections::HashMap;

/// A gap between kernels of this length or longer has no cause to HTA, in ns.
const LONGEST_GAP: i64 = 1_500_000;

/// What a walk along the events of the GPU knows.
struct Walk<'w, 'f, F> {
    stage: &'w Stage<'f, F>,
    edges: &'w mut Edges,
    waits: Waits,
    queues: Queues,
    /// The end of the last kernel of each stream, by the stream's number alone, in order of the first kernels.
    last: Vec<u32>,
    last_of: HashMap<i64, usize>,
    /// By index of a kernel: index of the one that it waits for.
    held: HashMap<i64, i64>,
    zero_weight_launch_edges: bool,
    left_out: LeftOut,
}

/// Adds the edges of kernels in order of their starts, and of synchronisations in order of their ends.
///
/// A kernel has time of its own. What it waited for is a kernel of another stream behind whose event it was put; else its
/// launch, if the queue was empty and the stream idle; else the kernel before it on the stream, if that ended less than
/// 1,500 µs ago. One without any of these has no cause in the graph, as in HTA: the first of each burst of launches.
pub(super) fn add<F: Frame>(stage: &Stage<'_, F>, edges: &mut Edges, zero_weight_launch_edges: bool) -> LeftOut {
    let mut walk = Walk {
        stage,
        edges,
        waits: Waits::of(stage.frame, &stage.names),
        queues: Queues::of(stage.frame, &stage.names),
        last: Vec::new(),
        last_of: HashMap::new(),
        held: HashMap::new(),
        zero_weight_launch_edges,
        left_out: LeftOut::default(),
    };
    let mut order: Vec<(i64, u32)> = Vec::new();
    for event in 0..stage.events.len() as u32 {
        let (row, name) = (stage.row(event), stage.name(event));
        if row.partner >= 0 && (row.is_on_gpu() || name.is(Meaning::EVENT_SYNC | Meaning::CONTEXT_SYNC)) {
            let is_sync = stage.names.of_code(row.cat).is(Meaning::SYNC);
            order.push((if is_sync { row.end() } else { row.ts }, event));
        }
    }
    order.sort_unstable();
    for (_, event) in order {
        if stage.names.of_code(stage.row(event).cat).is(Meaning::SYNC) {
            walk.synchronise(event);
        } else {
            walk.kernel(event);
        }
    }
    walk.left_out
}

impl<F: Frame> Walk<'_, '_, F> {
    fn synchronise(&mut self, event: u32) {
        let (row, name) = (self.stage.row(event), self.stage.name(event));
        if name.is(Meaning::STREAM_WAIT) {
            let Some(source) = self.waits.source(&row) else { return };
            match self.waits.held_by(row.partner) {
                Some(Some(kernel)) => _ = self.held.insert(kernel, source),
                Some(None) => {}
                None => self.left_out.waits_without_call += 1,
            }
        } else if name.is(Meaning::EVENT_SYNC) {
            let source = self.waits.source(&row).and_then(|source| self.end_of(source));
            self.until(source, &row);
        } else if name.is(Meaning::STREAM_SYNC) {
            self.until(self.last_on(row.stream), &row);
        } else if name.is(Meaning::CONTEXT_SYNC) {
            for at in 0..self.last.len() {
                self.until(Some(self.last[at]), &row);
            }
        } else {
            self.left_out.unknown_synchronisations += 1;
        }
    }

    /// Adds that the call of a synchronisation returned after a kernel's end.
    fn until(&mut self, end: Option<u32>, sync: &Row) {
        if let Some((end, returned)) = end.zip(self.end_of(sync.partner)) {
            self.edges.add(&self.stage.nodes, [end, returned], EdgeKind::SyncDependency, false, None);
        }
    }

    fn kernel(&mut self, event: u32) {
        let (stage, row) = (self.stage, self.stage.row(event));
        let nodes = &stage.nodes;
        let Some((start, end)) = nodes.start(event).zip(nodes.end(event)) else { return };
        self.edges.add(nodes, [start, end], EdgeKind::Operator, false, Some(row.index));
        let waited = self.held.remove(&row.index).and_then(|source| self.end_of(source));
        if let Some(waited) = waited {
            self.edges.add(nodes, [waited, start], EdgeKind::SyncDependency, false, None);
        }
        let last = self.last_on(row.stream);
        let ts = |node: u32| nodes.node(node).ts;
        let launch = stage.frame.position(row.partner);
        let launched = launch.map(|launch| stage.frame.row(launch).ts);
        let is_before_launch = |node: u32| launched.is_some_and(|launched| ts(node) < launched);
        let mut has_launch = false;
        if self.queues.was_alone(launch, stage.events[event as usize])
            && last.is_none_or(is_before_launch)
            && waited.is_none_or(is_before_launch)
        {
            has_launch = self.launch(row.partner, start, false);
            self.left_out.launches_without_nodes += usize::from(!has_launch);
        } else if let Some(last) = last
            && ts(start).saturating_sub(ts(last)) < LONGEST_GAP
            && waited.is_none_or(|waited| ts(waited) < ts(last))
        {
            let before = stage.row(nodes.node(last).event).index;
            self.edges.add(nodes, [last, start], EdgeKind::KernelKernelDelay, false, Some(before));
        }
        if self.zero_weight_launch_edges && !has_launch {
            self.launch(row.partner, start, true);
        }
        self.remember(row.stream, end);
    }

    /// Adds the edge from a launch to its kernel; returns whether the launch has nodes.
    fn launch(&mut self, call: i64, kernel: u32, is_free: bool) -> bool {
        let start = self.stage.event(call).and_then(|call| self.stage.nodes.start(call));
        if let Some(start) = start {
            self.edges.add(&self.stage.nodes, [start, kernel], EdgeKind::KernelLaunchDelay, is_free, None);
        }
        start.is_some()
    }

    fn end_of(&self, index: i64) -> Option<u32> {
        self.stage.event(index).and_then(|event| self.stage.nodes.end(event))
    }

    fn last_on(&self, stream: i64) -> Option<u32> {
        self.last_of.get(&stream).map(|&at| self.last[at])
    }

    fn remember(&mut self, stream: i64, end: u32) {
        let at = *self.last_of.entry(stream).or_insert(self.last.len());
        match self.last.get_mut(at) {
            Some(last) => *last = end,
            None => self.last.push(end),
        }
    }
}
