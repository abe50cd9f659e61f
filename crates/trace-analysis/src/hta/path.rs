//! HTA's critical path of a rank: its graph, its edges, and what a change of their weights would bring.

use super::frame::HtaFrame;
use super::query::HtaCriticalPath;
use crate::RankInfo;
use crate::analysis::RankView;
use hta_rules::critical_path::{Edge, EdgeKind, EdgeRow, Frame, Graph, LeftOut, Path, Row, Share};
use std::collections::HashMap;

/// HTA's critical path of a rank, with the graph that it is the longest path of.
#[derive(Debug)]
pub struct HtaPath {
    pub(super) rank: i64,
    pub(super) annotation: String,
    pub(super) instances: (usize, usize),
    pub(super) graph: Graph,
    pub(super) path: Path,
    pub(super) breakdown: Vec<EdgeRow>,
    /// The events of the window, by index.
    pub(super) rows: Vec<Row>,
    /// The texts of their names and categories.
    texts: HashMap<u32, String>,
    pub(super) info: RankInfo,
}

/// An edge of HTA's graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HtaEdge<'p> {
    /// `operator`, `dependency`, `kernel_launch_delay`, `kernel_kernel_delay` or `sync_dependency`.
    pub kind: &'static str,
    /// Its length, in ns.
    pub weight: i64,
    /// Position in `traceEvents` of the event that its time is attributed to.
    pub event: Option<i64>,
    /// Name of that event.
    pub name: Option<&'p str>,
    /// Whether that event is one of the GPU.
    pub is_on_gpu: bool,
}

impl HtaPath {
    pub(super) fn of(view: &RankView, frame: &HtaFrame, query: &HtaCriticalPath, graph: Graph) -> Self {
        // The search asks for the weight of each edge once.
        let path = graph.path_with(|edge| {
            frame.checkpoint();
            edge.search_weight as f64
        });
        let breakdown = graph.breakdown(frame, &path);
        let rows: Vec<Row> = graph.events.iter().map(|&position| frame.row(position as usize)).collect();
        let mut texts = HashMap::new();
        for code in rows.iter().flat_map(|row| [row.name, row.cat]) {
            texts.entry(code).or_insert_with(|| frame.text(code).to_owned());
        }
        Self {
            rank: view.rank(),
            annotation: query.annotation.clone(),
            instances: query.instances,
            graph,
            path,
            breakdown,
            rows,
            texts,
            info: view.info().clone(),
        }
    }

    /// Returns the rank.
    pub fn rank(&self) -> i64 {
        self.rank
    }

    /// Returns the length of the path: the sum of its edges, in µs. Negative edges count as such, as in HTA's tables.
    pub fn length(&self) -> f64 {
        self.breakdown.iter().fold(0, |sum: i64, edge| sum.saturating_add(edge.duration)) as f64 / 1000.0
    }

    /// Returns the number of nodes on the path.
    pub fn nodes_on_path(&self) -> usize {
        self.path.nodes.len()
    }

    /// Returns what HTA would have failed at, and what is left out of the graph instead.
    pub fn left_out(&self) -> LeftOut {
        self.graph.left_out
    }

    /// Returns the nodes and the length in µs of the longest path when each edge weighs `factor` times as much: HTA's way to ask what a
    /// change would bring, which its tables do not follow.
    ///
    /// It is far from the truth: a kernel may then start before its launch, unless
    /// [`HtaCriticalPath::add_zero_weight_launch_edges`] is set.
    pub fn simulate(&self, factor: impl Fn(&HtaEdge<'_>) -> f64) -> (usize, f64) {
        let path = self.graph.path_with(|edge| edge.search_weight as f64 * factor(&self.edge(edge)));
        (path.nodes.len(), path.length / 1000.0)
    }

    /// Returns an edge with the event that its time is attributed to.
    fn edge(&self, edge: &Edge) -> HtaEdge<'_> {
        let row = edge.event.and_then(|event| self.row_of(event));
        HtaEdge {
            kind: edge.kind.word(),
            weight: edge.weight,
            event: edge.event,
            name: row.map(|row| self.text(row.name)),
            is_on_gpu: row.is_some_and(|row| row.stream >= 0),
        }
    }

    /// Returns the event with a position in `traceEvents`, if it is in the window.
    pub(super) fn row_of(&self, index: i64) -> Option<&Row> {
        self.rows.binary_search_by_key(&index, |row| row.index).ok().map(|at| &self.rows[at])
    }

    /// Returns the event of a node.
    pub(super) fn row(&self, node: u32) -> &Row {
        &self.rows[self.graph.event(node)]
    }

    pub(super) fn text(&self, code: u32) -> &str {
        self.texts.get(&code).map_or("", String::as_str)
    }

    pub(super) fn shares(&self) -> Vec<Share> {
        Share::of(&self.breakdown)
    }

    /// Returns the positions in `traceEvents` of the events on the path, ascending.
    pub fn critical_events(&self) -> Vec<i64> {
        let mut events: Vec<i64> = self.path.nodes.iter().map(|&node| self.row(node).index).collect();
        events.sort_unstable();
        events.dedup();
        events
    }

    /// Returns properties of the graph by name, in a fixed order: sizes, sums of weights by kind in µs, and the ends of the path.
    pub fn facts(&self) -> Vec<(String, f64)> {
        let (graph, micros) = (&self.graph, |nanos: i64| nanos as f64 / 1000.0);
        let mut facts: Vec<(String, f64)> = Vec::new();
        let mut put = |key: &str, value: f64| facts.push((key.to_owned(), value));
        put("rank", self.rank as f64);
        put("clipped_events", graph.events.len() as f64);
        put("nodes", graph.nodes().len() as f64);
        put("nodes_with_edges", graph.nodes_with_edges() as f64);
        put("edges", graph.edges().len() as f64);
        put("window_start", micros(graph.span.start));
        if let Some(end) = graph.span.end {
            put("window_end", micros(end));
        }
        for kind in EdgeKind::ALL {
            let of_kind = || graph.edges().iter().filter(|edge| edge.kind == kind);
            put(&format!("edges_{}", kind.word()), of_kind().count() as f64);
            put(&format!("weight_{}", kind.word()), micros(of_kind().map(|edge| edge.weight).sum()));
        }
        put("edges_negative", graph.edges().iter().filter(|edge| edge.weight < 0).count() as f64);
        put("critical_nodes", self.path.nodes.len() as f64);
        put("critical_edges", self.path.edges.len() as f64);
        put("critical_events", self.critical_events().len() as f64);
        put("path_length", self.length());
        put("path_length_clamped", self.path.length / 1000.0);
        if let [first, .., last] = self.path.nodes[..] {
            put("path_first_node", f64::from(first));
            put("path_last_node", f64::from(last));
        }
        facts
    }
}
