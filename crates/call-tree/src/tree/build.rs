//! Builder of call trees: one per iteration of a rank.

use super::contract::contract;
use super::graph::{Lending, in_order_of_graph, joined, lends, number_in_graph};
use super::modules::Modules;
use super::nesting::{Nested, main_thread};
use super::node::{Chain, Cost, NONE, Node, NodeId, Role, Tree};
use crate::input::event::{Event, launches};
use crate::input::family::Family;
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels};
use crate::input::reason::Reason;
use crate::input::recording::Recording;
use crate::input::window::{Window, window_at};
use foldhash::HashMap;
use smallvec::smallvec;

/// The call tree of one iteration of a rank.
#[derive(Debug)]
pub struct Iteration {
    /// Number of the iteration; 0 of a recording without iterations.
    pub iteration: i64,
    /// Its tree, contracted; each leaf is one GPU event.
    pub tree: Tree,
    /// Row of each leaf.
    pub rows: Vec<(NodeId, u32)>,
}

/// A GPU event that is in no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// Row of the event.
    pub row: u32,
    /// The reason.
    pub reason: Reason,
}

/// Builds the trees of a rank. Every GPU event is in exactly one tree, once, or left out with a reason.
#[derive(Debug, Clone, Copy, Default)]
pub struct Builder {
    /// Ignores modules and Python frames, since the other side of a comparison has none.
    pub without_stacks: bool,
}

impl Builder {
    /// Builds one tree for each window, in their order. Without iterations the whole recording is iteration 0.
    ///
    /// Linear in the events but for sorting.
    pub fn build(&self, recording: &Recording, labels: &Labels) -> (Vec<Iteration>, Vec<LeftOut>) {
        let mut iterations = Vec::with_capacity(recording.windows.len());
        let left_out = self.build_each(recording, labels, |iteration| iterations.push(iteration));
        (iterations, left_out)
    }

    /// Builds the trees one by one, as [`Self::build`] does: only one of them is in memory at a time.
    pub fn build_each(&self, recording: &Recording, labels: &Labels, mut found: impl FnMut(Iteration)) -> Vec<LeftOut> {
        self.build_bare(recording, labels, |mut iteration| {
            iteration.tree.summarise(labels);
            found(iteration);
        })
    }

    /// Builds the trees one by one, without families and hashes of their nodes.
    pub(crate) fn build_bare(
        &self,
        recording: &Recording,
        labels: &Labels,
        mut found: impl FnMut(Iteration),
    ) -> Vec<LeftOut> {
        let events = &recording.events[..];
        let all = [Window { iteration: 0, start: i64::MIN, end: i64::MAX, thread: main_thread(events) }];
        let has_steps = !(recording.windows.is_empty() && recording.others.is_empty());
        let windows = if has_steps { &recording.windows[..] } else { &all };
        let nested = Nested::of(events, self.without_stacks);
        let mut left_out = Vec::new();
        let mut launched: Vec<(u32, u32)> = Vec::new();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); windows.len()];
        let launches = launches(events);
        let mut gpu: Vec<u32> = (0..events.len() as u32).filter(|&at| events[at as usize].kind.is_gpu()).collect();
        gpu.sort_by_key(|&at| (events[at as usize].start, at));
        for &at in &gpu {
            let event = &events[at as usize];
            let launch = event.correlation.and_then(|id| launches.get(&id)).copied();
            let began = launch.map_or(event.start, |launch| events[launch as usize].start);
            match (window_at(windows, began), launch) {
                (None, launch) => {
                    left_out.push(LeftOut { row: event.row, reason: reason(&recording.others, began, launch) });
                }
                (Some(_), Some(launch)) => launched.push((launch, at)),
                (Some(window), None) => before[window].push(at),
            }
        }
        let has_gpu = !gpu.is_empty();
        drop((gpu, launches));
        let launched = Launched::of(events.len(), &launched);
        let wanted = with_gpu(&nested, events, windows, &launched, has_gpu);
        let own_times = if has_gpu { Vec::new() } else { nested.own_times(events) };
        let mut modules = Modules::of(recording, &nested, self.without_stacks);
        let mut lending = Lending::of(recording, labels, self.without_stacks);
        let begin = |window: usize| {
            let mut tree = Growing::new();
            if let Some(gpu) = before.get(window).filter(|gpu| !gpu.is_empty()) {
                let node = tree.tree.add(Role::LaunchedBefore, Tree::ROOT, Chain::new());
                for &at in gpu {
                    let event = &events[at as usize];
                    tree.leaf(event, node, labels.get(event.label).family, length(event));
                }
            }
            tree
        };
        // Host events come in the order of their begins, and so do their windows.
        let (mut current, mut tree) = (0, begin(0));
        for &at in &nested.order {
            let event = &events[at as usize];
            let Some(window) = window_at(windows, event.start).filter(|_| wanted[at as usize]) else { continue };
            while current < window {
                found(std::mem::replace(&mut tree, begin(current + 1)).finish(windows[current].iteration));
                current += 1;
            }
            let step = &windows[window];
            let parent = tree.parent(events, &nested.parent, at, step.thread);
            let is_step = event.kind == Kind::Annotation
                && (event.start, event.end, event.thread) == (step.start, step.end, step.thread);
            let below = match event.kind {
                Kind::Launch => parent,
                _ if is_step => parent,
                // With operators below it, it is a call like any other.
                Kind::GraphLaunch if !lends(recording, launched.by(at)) => {
                    tree.tree.add(Role::Graph, parent, smallvec![event.label])
                }
                _ => tree.tree.add(Role::Host, parent, smallvec![event.label]),
            };
            tree.nodes.insert(at, below);
            if launched.by(at).is_empty() && has_gpu {
                continue;
            }
            let within = modules.as_mut().and_then(|modules| modules.of_call(at));
            if !has_gpu && below != parent {
                let leaf = tree.leaf(event, below, labels.get(event.label).family, own_times[at as usize]);
                leaf.modules.clone_from(&within);
            }
            lending.begin(at, &nested.parent);
            for gpu in in_order_of_graph(recording, event.kind, launched.by(at)) {
                let event = &events[gpu as usize];
                let (below, borrowed) = lending.below(&mut tree.tree, below, event.row);
                let operator = tree.tree.node(below).chain.last().map_or(Family::Other, |&id| labels.get(id).family);
                let own = labels.get(event.label).family;
                let family = if own == Family::Other { operator } else { own };
                let leaf = tree.leaf(event, below, family, length(event));
                leaf.graph_node = recording.graph_node(event.row).map_or(0, number_in_graph);
                leaf.modules = joined(within.as_ref(), borrowed);
            }
        }
        for (index, window) in windows.iter().enumerate().skip(current) {
            found(std::mem::replace(&mut tree, begin(index + 1)).finish(window.iteration));
        }
        left_out
    }
}

/// GPU events by launch, in the order of their begins.
struct Launched {
    /// Where the events of each launch begin; one entry more than there are events.
    from: Vec<u32>,
    gpu: Vec<u32>,
}

impl Launched {
    /// `pairs` are launches and their GPU events, these in the order of their begins.
    fn of(events: usize, pairs: &[(u32, u32)]) -> Self {
        let mut from = vec![0; events + 1];
        for &(launch, _) in pairs {
            from[launch as usize + 1] += 1;
        }
        for at in 0..events {
            from[at + 1] += from[at];
        }
        let (mut next, mut gpu) = (from.clone(), vec![0; pairs.len()]);
        for &(launch, at) in pairs {
            let slot = &mut next[launch as usize];
            gpu[*slot as usize] = at;
            *slot += 1;
        }
        Self { from, gpu }
    }

    fn by(&self, launch: u32) -> &[u32] {
        let launch = launch as usize;
        &self.gpu[self.from[launch] as usize..self.from[launch + 1] as usize]
    }
}

/// A tree under construction.
struct Growing {
    tree: Tree,
    nodes: HashMap<u32, NodeId>,
    threads: HashMap<u32, NodeId>,
    rows: Vec<u32>,
}

impl Growing {
    fn new() -> Self {
        Self { tree: Tree::new(), nodes: HashMap::default(), threads: HashMap::default(), rows: Vec::new() }
    }

    /// Returns the parent of a host event: the node of the nearest enclosing event in this tree, otherwise of its thread.
    fn parent(&mut self, events: &[Event], parents: &[u32], at: u32, main: u32) -> NodeId {
        let mut up = parents[at as usize];
        while up != NONE {
            if let Some(&node) = self.nodes.get(&up) {
                return node;
            }
            up = parents[up as usize];
        }
        let thread = events[at as usize].thread;
        if thread == main {
            return Tree::ROOT;
        }
        let tree = &mut self.tree;
        *self.threads.entry(thread).or_insert_with(|| tree.add(Role::Thread, Tree::ROOT, Chain::new()))
    }

    fn leaf(&mut self, event: &Event, parent: NodeId, family: Family, ns: i64) -> &mut Node {
        self.rows.push(event.row);
        let id = self.tree.add(Role::Leaf, parent, smallvec![event.label]);
        let node = self.tree.node_mut(id);
        node.family = family;
        // The number of the row, until the tree is finished.
        node.costs = smallvec![Cost { sample: self.rows.len() as u32 - 1, count: 1, ns, attributed_ns: 0 }];
        node
    }

    fn finish(mut self, iteration: i64) -> Iteration {
        // Other threads come behind the main one, by their first events.
        let mut children = std::mem::take(&mut self.tree.node_mut(Tree::ROOT).children);
        children.sort_by_key(|&child| self.tree.node(child).role == Role::Thread);
        self.tree.node_mut(Tree::ROOT).children = children;
        let mut tree = contract(self.tree);
        let mut rows = Vec::with_capacity(self.rows.len());
        for (id, node) in tree.nodes.iter_mut().enumerate() {
            for cost in &mut node.costs {
                rows.push((id as NodeId, self.rows[cost.sample as usize]));
                cost.sample = 0;
            }
        }
        Iteration { iteration, tree, rows }
    }
}

/// Tells which host events have GPU work below them in their own window; all events of a recording without GPU work.
fn with_gpu(nested: &Nested, events: &[Event], windows: &[Window], launched: &Launched, has_gpu: bool) -> Vec<bool> {
    let mut wanted: Vec<bool> = (0..events.len() as u32).map(|at| !has_gpu || !launched.by(at).is_empty()).collect();
    for &at in nested.order.iter().rev() {
        let up = nested.parent[at as usize];
        if wanted[at as usize] && up != NONE {
            let window = |at: u32| window_at(windows, events[at as usize].start);
            let mut up = up;
            // Events around it that began in an earlier window are not in this tree.
            while up != NONE && window(up) != window(at) {
                up = nested.parent[up as usize];
            }
            if up != NONE {
                wanted[up as usize] = true;
            }
        }
    }
    wanted
}

/// Returns why an event is left out whose launch, or without one its begin, is in no selected iteration.
fn reason(others: &[(Window, Reason)], began: i64, launch: Option<u32>) -> Reason {
    let after = others.partition_point(|(window, _)| window.start <= began);
    let other = after.checked_sub(1).map(|at| others[at]).filter(|(window, _)| began < window.end);
    match (other, launch) {
        (Some((_, reason)), _) => reason,
        (None, Some(_)) => Reason::OutsideOfSteps,
        (None, None) => Reason::LaunchedBefore,
    }
}

/// The launches of graphs in the order of their begins, each with rows and labels of its GPU events in the order of the tree.
pub(crate) fn graph_kernels(recording: &Recording) -> Vec<(Event, Vec<(u32, LabelId)>)> {
    let events = &recording.events[..];
    let is_graph = |event: &Event| event.kind == Kind::GraphLaunch;
    if !events.iter().any(is_graph) {
        return Vec::new();
    }
    let launches = launches(events);
    let mut launched: HashMap<u32, Vec<u32>> = HashMap::default();
    for (event, at) in events.iter().zip(0..).filter(|(event, _)| event.kind.is_gpu()) {
        let launch = event.correlation.and_then(|id| launches.get(&id)).copied();
        if let Some(launch) = launch.filter(|&launch| is_graph(&events[launch as usize])) {
            launched.entry(launch).or_default().push(at);
        }
    }
    let mut found: Vec<(Event, Vec<(u32, LabelId)>)> = launched
        .into_iter()
        .map(|(launch, mut gpu)| {
            gpu.sort_by_key(|&at| (events[at as usize].start, at));
            let gpu = in_order_of_graph(recording, Kind::GraphLaunch, &gpu).into_iter();
            let named = gpu.map(|at| (events[at as usize].row, events[at as usize].label));
            (events[launch as usize], named.collect())
        })
        .collect();
    found.sort_by_key(|(launch, _)| (launch.start, launch.row));
    found
}

/// Duration of an event in ns.
fn length(event: &Event) -> i64 {
    (event.end - event.start).max(0)
}
