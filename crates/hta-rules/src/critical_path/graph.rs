//! HTA's graph of a window.

use super::edges::{Edge, EdgeKind, Edges};
use super::names::{Meaning, Names};
use super::nodes::Nodes;
use super::window::clipped;
use super::{Frame, NoGraph, Node, Row, Window, WindowSpan, kernels, lock, threads};

/// How a graph is made: HTA's switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What is analysed.
    pub window: Window,
    /// Whether every kernel hangs on its launch, if only by an edge without weight: for simulations.
    pub zero_weight_launch_edges: bool,
    /// Whether negative weights stay as they are in the search, instead of counting as 0.
    pub strict_negative_weights: bool,
    /// The most events that a window may have: the graph takes about 190 bytes for each.
    pub most_events: usize,
}

impl Options {
    /// Returns HTA's defaults for a window.
    pub fn of(window: Window) -> Self {
        Self { window, zero_weight_launch_edges: false, strict_negative_weights: false, most_events: usize::MAX }
    }
}

/// What HTA fails at, and this graph leaves out; numbers of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Waits of streams whose call is not in the trace.
    pub waits_without_call: usize,
    /// Synchronisations of an unknown kind.
    pub unknown_synchronisations: usize,
    /// Launches that have no nodes since their category is none of CUDA's.
    pub launches_without_nodes: usize,
    /// Synchronisations of a stream with itself, and edges from a node to itself.
    pub edges_within_a_stream: usize,
    /// Edges that would close a cycle.
    pub edges_of_cycles: usize,
    /// Weights below −1 µs, where negative weights were to stay.
    pub negative_weights: usize,
}

/// What the stages that add edges share: the events of the window, what their names mean, and their nodes.
pub(super) struct Stage<'f, F> {
    pub(super) frame: &'f F,
    pub(super) names: Names<'f, F>,
    /// Places of the events, by index.
    pub(super) events: Vec<u32>,
    pub(super) nodes: Nodes,
}

impl<F: Frame> Stage<'_, F> {
    /// Returns an event of the window.
    #[inline]
    pub(super) fn row(&self, event: u32) -> Row {
        self.frame.row(self.events[event as usize] as usize)
    }

    /// Returns what the name of an event means.
    #[inline]
    pub(super) fn name(&self, event: u32) -> Meaning {
        self.names.of_code(self.row(event).name)
    }

    /// Returns the number, within the window, of the event with an index in the file.
    pub(super) fn event(&self, index: i64) -> Option<u32> {
        let found = self.events.binary_search_by_key(&index, |&position| self.frame.row(position as usize).index);
        found.ok().map(|event| event as u32)
    }
}

/// HTA's graph of a window: nodes in order of time, edges in the order in which networkx holds them, which decides ties.
#[derive(Debug)]
pub struct Graph {
    /// From when to when the window lasts.
    pub span: WindowSpan,
    /// Places in the frame of the events of the window, by index.
    pub events: Vec<u32>,
    /// What is left out.
    pub left_out: LeftOut,
    pub(super) nodes: Nodes,
    /// Edges by their first node, in the order in which nodes joined the graph, then by insertion.
    pub(super) edges: Vec<Edge>,
    /// The nodes with edges, in the order in which they joined.
    pub(super) joined: Vec<u32>,
    /// For each node where its edges begin in `edges`, and their number.
    pub(super) successors: Vec<[u32; 2]>,
    /// For each node where the edges that end at it begin in `into`, and their number.
    pub(super) predecessors: Vec<[u32; 2]>,
    /// Numbers of edges by the node that they end at, then by insertion.
    pub(super) into: Vec<u32>,
}

impl Graph {
    /// Makes the graph of a window.
    ///
    /// # Errors
    /// If there is no such window, or it has too many events.
    pub fn of<F: Frame>(frame: &F, options: &Options) -> Result<Self, NoGraph> {
        let names = Names::of(frame);
        let span = options.window.span(frame).map_err(NoGraph::NoInstance)?;
        let events = clipped(frame, &names, span);
        if events.len() > options.most_events {
            return Err(NoGraph::TooManyEvents { events: events.len() });
        }
        let nodes = Nodes::of(frame, &names, &events);
        let stage = Stage { frame, names, events, nodes };
        let mut edges = Edges::between(stage.nodes.list.len());
        lock::add(&stage, &mut edges);
        threads::add(&stage, &mut edges);
        let mut left_out = kernels::add(&stage, &mut edges, options.zero_weight_launch_edges);
        left_out.edges_within_a_stream = edges.own;

        let mut list = edges.list;
        let within = |edge: &Edge| {
            let [one, other] = [edge.begin, edge.end].map(|node| stage.row(stage.nodes.node(node).event).stream);
            edge.kind == EdgeKind::SyncDependency && one == other && one != -1
        };
        let joined = joined(&list, stage.nodes.list.len());
        let before = list.len();
        list.retain(|edge| !within(edge));
        left_out.edges_within_a_stream += before - list.len();
        for edge in &mut list {
            if options.strict_negative_weights {
                left_out.negative_weights += usize::from(edge.weight < -1_000);
            } else if edge.weight <= -1_000 {
                edge.search_weight = 0;
            }
        }
        let mut graph = Self::arranged(span, stage.events, left_out, stage.nodes, &list, joined);
        for only_sync in [true, false] {
            let before = list.len();
            graph.open_cycles(&mut list, only_sync);
            if list.len() == before {
                continue;
            }
            graph.left_out.edges_of_cycles += before - list.len();
            let Self { events, left_out, nodes, joined, .. } = graph;
            graph = Self::arranged(span, events, left_out, nodes, &list, joined);
        }
        Ok(graph)
    }

    /// Arranges edges, which come in the order of their insertion.
    fn arranged(
        span: WindowSpan,
        events: Vec<u32>,
        left_out: LeftOut,
        nodes: Nodes,
        inserted: &[Edge],
        joined: Vec<u32>,
    ) -> Self {
        let count = nodes.list.len();
        let mut graph = Self {
            span,
            events,
            left_out,
            nodes,
            edges: Vec::new(),
            joined,
            successors: vec![[0; 2]; count],
            predecessors: vec![[0; 2]; count],
            into: vec![0; inserted.len()],
        };
        for edge in inserted {
            graph.successors[edge.begin as usize][1] += 1;
            graph.predecessors[edge.end as usize][1] += 1;
        }
        let (mut from, mut to) = (0, 0);
        for &node in &graph.joined {
            let [out, into] = [&mut graph.successors[node as usize], &mut graph.predecessors[node as usize]];
            (out[0], into[0]) = (from, to);
            (from, to) = (from + out[1], to + into[1]);
        }
        let mut numbers: Vec<u32> = vec![0; inserted.len()];
        let (mut next_out, mut next_in) = (graph.successors.clone(), graph.predecessors.clone());
        for (edge, number) in inserted.iter().zip(&mut numbers) {
            *number = next_out[edge.begin as usize][0];
            next_out[edge.begin as usize][0] += 1;
            let slot = &mut next_in[edge.end as usize][0];
            graph.into[*slot as usize] = *number;
            *slot += 1;
        }
        let mut edges: Vec<Edge> = inserted.to_vec();
        for (edge, number) in inserted.iter().zip(numbers) {
            edges[number as usize] = *edge;
        }
        graph.edges = edges;
        graph
    }

    /// Leaves edges out of a list that lead back in time within cycles.
    fn open_cycles(&self, list: &mut Vec<Edge>, only_sync: bool) {
        let order = self.order();
        if order.len() == self.joined.len() {
            return;
        }
        let mut is_open = vec![false; self.nodes.list.len()];
        order.iter().for_each(|&node| is_open[node as usize] = true);
        list.retain(|edge| {
            let in_cycle = !is_open[edge.begin as usize] && !is_open[edge.end as usize];
            !(in_cycle && edge.begin > edge.end && (!only_sync || edge.kind == EdgeKind::SyncDependency))
        });
    }

    /// Returns the nodes, in order of time.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes.list
    }

    /// Returns the place in the frame of a node's event.
    pub fn position(&self, node: u32) -> usize {
        self.events[self.event(node)] as usize
    }

    /// Returns the number of a node's event among [`Graph::events`].
    pub fn event(&self, node: u32) -> usize {
        self.nodes.node(node).event as usize
    }

    /// Returns the edges, in the order in which networkx holds them.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the number of nodes that have an edge.
    pub fn nodes_with_edges(&self) -> usize {
        self.joined.len()
    }
}

/// Returns the nodes of edges, in the order in which they first occur.
fn joined(edges: &[Edge], nodes: usize) -> Vec<u32> {
    let (mut joined, mut is_joined) = (Vec::with_capacity(nodes), vec![false; nodes]);
    for node in edges.iter().flat_map(|edge| [edge.begin, edge.end]) {
        if !std::mem::replace(&mut is_joined[node as usize], true) {
            joined.push(node);
        }
    }
    joined
}
