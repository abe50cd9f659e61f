//! HTA's critical path as data frames and as tables to show.

use super::path::HtaPath;
use crate::analysis::{AnswerTable, TableSchema};
use crate::present::{Field, answer_frame, declared};
use crate::stats::micros;
use crate::{Result, shorten_name};
use hta_rules::critical_path::{Edge, EdgeRow, Node, Row, Share, is_blocking_call};
use polars::prelude::DataFrame;
use std::collections::BTreeMap;
use trace_view::Unit;

const SUMMARY: [Field<Share>; 3] = [
    Field::word("bound_by", "what bounds this part of HTA's path; empty for order without time", |share| {
        Some(share.bound_by.word())
    }),
    Field::time("duration", "sum of the edges of the path", |share| Some(share.duration)),
    Field::number("percent", Unit::Percent, "share of the path, which is not the step", |share| Some(share.percent)),
];

/// A node of the path, with the edge to the next one.
struct PathRow<'a> {
    path: &'a HtaPath,
    position: usize,
    node: u32,
}

impl PathRow<'_> {
    const COLUMNS: [Field<Self>; 10] = [
        Field::id("position", "position on the path", |row| i64::try_from(row.position).ok()),
        Field::id("node", "number of the node", |row| Some(row.node.into())),
        Field::id("event", "position in traceEvents of its event", |row| Some(row.path.row(row.node).index)),
        Field::flag("is_start", "whether it is the start of the event, not the end", |row| {
            row.path.graph.nodes()[row.node as usize].is_start
        }),
        Field::time("ts", "moment, since the first event of all ranks", |row| {
            Some(row.path.graph.nodes()[row.node as usize].ts)
        }),
        Field::name("name", "name of the event", |row| Some(row.path.text(row.path.row(row.node).name))),
        Field::word("edge_type", "what the edge to the next node stands for", |row| Some(row.edge()?.kind.word())),
        Field::time("weight", "length of that edge", |row| Some(row.edge()?.duration)),
        Field::id("edge_event", "event that its time is attributed to", |row| row.edge()?.event),
        Field::word("bound_by", "what bounds it", |row| Some(row.edge()?.bound_by.word())),
    ];

    fn edge(&self) -> Option<&EdgeRow> {
        self.path.breakdown.get(self.position)
    }
}

/// An edge of the path, with the event that its time is attributed to.
struct BreakdownRow<'a> {
    path: &'a HtaPath,
    edge: &'a EdgeRow,
    row: Option<&'a Row>,
}

impl BreakdownRow<'_> {
    const COLUMNS: [Field<Self>; 9] = [
        Field::id("event_idx", "event that its time is attributed to", |of| of.edge.event),
        Field::time("duration", "length", |of| Some(of.edge.duration)),
        Field::text("type", "what it stands for", |of| Some(format!("critical_path_{}", of.edge.kind.word()))),
        Field::text("s_name", "short name of the event", |of| Some(shorten_name(of.path.text(of.row?.name)))),
        Field::word("cat", "category of the event", |of| Some(of.path.text(of.row?.cat))),
        Field::id("pid", "process of the event", |of| Some(of.row?.pid)),
        Field::id("tid", "thread of the event", |of| Some(of.row?.tid)),
        Field::id("stream", "stream of the event", |of| Some(of.row?.stream)),
        Field::word("bound_by", "what bounds it", |of| Some(of.edge.bound_by.word())),
    ];
}

/// Edges of the path of one kind, with the short name of their event.
struct NameRow<'a> {
    bound_by: &'a str,
    kind: &'a str,
    name: String,
    count: i64,
    duration: i64,
}

impl NameRow<'_> {
    const COLUMNS: [Field<Self>; 5] = [
        Field::word("bound_by", "what bounds these edges of the path", |row| Some(row.bound_by)),
        Field::text("type", "what they stand for", |row| Some(format!("critical_path_{}", row.kind))),
        Field::name("s_name", "short name of the event that their time is attributed to", |row| Some(&row.name)),
        Field::whole("count", Unit::Count, "number of edges", |row| Some(row.count)),
        Field::time("duration", "sum of their lengths", |row| Some(row.duration)),
    ];
}

/// A node of the graph.
struct NodeRow<'a> {
    path: &'a HtaPath,
    number: u32,
    node: &'a Node,
}

impl NodeRow<'_> {
    const COLUMNS: [Field<Self>; 5] = [
        Field::id("node", "number of the node", |row| Some(row.number.into())),
        Field::id("event", "position in traceEvents of its event", |row| Some(row.path.row(row.number).index)),
        Field::time("ts", "moment, since the first event of all ranks", |row| Some(row.node.ts)),
        Field::flag("is_start", "whether it is the start of the event, not the end", |row| row.node.is_start),
        Field::flag("is_blocking", "whether the call waits for the GPU", |row| {
            is_blocking_call(row.path.text(row.path.row(row.number).name))
        }),
    ];
}

const EDGES: [Field<Edge>; 6] = [
    Field::id("begin", "number of the node at which it begins", |edge| Some(edge.begin.into())),
    Field::id("end", "number of the node at which it ends", |edge| Some(edge.end.into())),
    Field::word("type", "what it stands for", |edge| Some(edge.kind.word())),
    Field::time("weight", "length", |edge| Some(edge.weight)),
    Field::time("graph_weight", "length in the search, where negative ones count as 0", |edge| {
        Some(edge.search_weight)
    }),
    Field::id("event", "event that its time is attributed to", |edge| edge.event),
];

const TABLES: [TableSchema; 4] = [
    TableSchema::new("", &declared(&SUMMARY)),
    TableSchema::new("by_name", &declared(&NameRow::COLUMNS)),
    TableSchema::new("path", &declared(&PathRow::COLUMNS)),
    TableSchema::new("edges", &declared(&EDGES)),
];

impl HtaPath {
    /// Returns the path by what bounds it: `bound_by`, `duration` in µs, `percent`; ascending by `bound_by`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn summary(&self) -> Result<DataFrame> {
        answer_frame(&self.shares(), &SUMMARY)
    }

    /// Returns the nodes of the path in order, each with the edge to the next: `position`, `node`, `event`, `is_start`, `ts` in µs,
    /// `name`, `edge_type`, `weight` in µs, `edge_event`, `bound_by`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn path(&self) -> Result<DataFrame> {
        let rows = self.path.nodes.iter().enumerate();
        let rows = rows.map(|(position, &node)| PathRow { path: self, position, node });
        answer_frame(&rows.collect::<Vec<_>>(), &PathRow::COLUMNS)
    }

    /// Returns the edges of the path with the events that their time is attributed to: `event_idx`, `duration` in µs, `type`, `s_name`,
    /// `cat`, `pid`, `tid`, `stream`, `bound_by`; by event, type and duration. HTA's order is arbitrary.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn breakdown(&self) -> Result<DataFrame> {
        let mut edges: Vec<&EdgeRow> = self.breakdown.iter().collect();
        edges.sort_by_key(|edge| (edge.event.is_none(), edge.event, edge.kind.word(), edge.duration));
        let row = |edge: &'_ EdgeRow| edge.event.and_then(|event| self.row_of(event));
        let rows = edges.iter().map(|&edge| BreakdownRow { path: self, edge, row: row(edge) });
        answer_frame(&rows.collect::<Vec<_>>(), &BreakdownRow::COLUMNS)
    }

    /// Returns the edges of the path by what bounds them, their type and the short name of their event: `bound_by`, `type`, `s_name`,
    /// `count`, `duration` in µs; the longest first.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn by_name(&self) -> Result<DataFrame> {
        let mut sums: BTreeMap<(&str, &str, String), (i64, i64)> = BTreeMap::new();
        for edge in &self.breakdown {
            let row = edge.event.and_then(|event| self.row_of(event));
            let name = row.map_or(String::new(), |row| shorten_name(self.text(row.name)));
            let sum = sums.entry((edge.bound_by.word(), edge.kind.word(), name)).or_default();
            *sum = (sum.0 + 1, sum.1.saturating_add(edge.duration));
        }
        let mut rows: Vec<NameRow<'_>> = sums
            .into_iter()
            .map(|((bound_by, kind, name), (count, duration))| NameRow { bound_by, kind, name, count, duration })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.duration));
        answer_frame(&rows, &NameRow::COLUMNS)
    }

    /// Returns the nodes of the graph in order of time: `node`, `event`, `ts` in µs, `is_start`, `is_blocking`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn nodes(&self) -> Result<DataFrame> {
        let rows = (0_u32..).zip(self.graph.nodes());
        let rows = rows.map(|(number, node)| NodeRow { path: self, number, node });
        answer_frame(&rows.collect::<Vec<_>>(), &NodeRow::COLUMNS)
    }

    /// Returns the edges of the graph in HTA's order, which decides ties: `begin`, `end`, `type`, `weight` and `graph_weight` in µs,
    /// `event`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn edges(&self) -> Result<DataFrame> {
        answer_frame(self.graph.edges(), &EDGES)
    }

    /// Returns the tables to show: the summary, `by_name`, `path`, and `edges` if they are wanted.
    pub(super) fn tables(&self, with_edges: bool) -> Result<Vec<AnswerTable>> {
        let table = |at: usize, frame| AnswerTable::new(&TABLES[at], frame).of_rank(self.rank);
        let mut tables = vec![table(0, self.summary()?), table(1, self.by_name()?), table(2, self.path()?)];
        if with_edges {
            tables.push(table(3, self.edges()?).shown_if(false));
        }
        Ok(tables)
    }

    /// Returns what to say of the window, and of what HTA would have failed at.
    pub(super) fn notes(&self) -> Vec<String> {
        let window = match (self.annotation.as_str(), self.instances) {
            ("", _) => "the whole recording".to_owned(),
            (annotation, (first, last)) if first == last => format!("instance {first} of `{annotation}`"),
            (annotation, (first, last)) => format!("instances {first} to {last} of `{annotation}`"),
        };
        let span = self.graph.span;
        let mut length = format!("Rank {}, {window}: HTA's critical path has {} µs", self.rank, self.length());
        if let Some(end) = span.end.filter(|&end| end > span.start) {
            let wall = micros(end.saturating_sub(span.start));
            length += &format!(" of a window of {wall} µs ({:.0} %)", 100.0 * self.length() / wall);
        }
        let left = self.left_out();
        let counts = [
            ("waits of streams without their call", left.waits_without_call),
            ("synchronisations of an unknown kind", left.unknown_synchronisations),
            ("launches of other vendors", left.launches_without_nodes),
            ("synchronisations within a stream", left.edges_within_a_stream),
            ("edges that close a cycle", left.edges_of_cycles),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}")).collect();
        let left_out =
            (!counts.is_empty()).then(|| format!("Left out, where HTA gives no answer: {}.", counts.join(", ")));
        [format!("{length}.")].into_iter().chain(left_out).collect()
    }
}
