//! HTA's critical path as data frames and as tables to show.

use super::path::HtaPath;
use crate::analysis::{AnswerTable, TableSchema};
use crate::stats::micros;
use crate::{Result, shorten_name};
use hta_rules::critical_path::{EdgeRow, Row, is_blocking_call};
use polars::df;
use polars::prelude::DataFrame;
use std::collections::BTreeMap;
use trace_view::{Column, Unit};

const SUMMARY: &[Column] = &[
    Column::new("bound_by", Unit::None, "what bounds this part of HTA's path; empty for order without time"),
    Column::new("duration", Unit::Micros, "sum of the edges of the path"),
    Column::new("percent", Unit::Percent, "share of the path, which is not the step"),
];

const PATH: &[Column] = &[
    Column::new("position", Unit::None, "place on the path"),
    Column::new("node", Unit::None, "number of the node"),
    Column::new("event", Unit::None, "position in traceEvents of its event"),
    Column::new("is_start", Unit::None, "whether it is the start of the event, not the end"),
    Column::new("ts", Unit::Micros, "moment, since the first event of all ranks"),
    Column::new("name", Unit::None, "name of the event"),
    Column::new("edge_type", Unit::None, "what the edge to the next node stands for"),
    Column::new("weight", Unit::Micros, "length of that edge"),
    Column::new("edge_event", Unit::None, "event that its time is attributed to"),
    Column::new("bound_by", Unit::None, "what bounds it"),
];

const BY_NAME: &[Column] = &[
    Column::new("bound_by", Unit::None, "what bounds these edges of the path"),
    Column::new("type", Unit::None, "what they stand for"),
    Column::new("s_name", Unit::None, "short name of the event that their time is attributed to"),
    Column::new("count", Unit::Count, "number of edges"),
    Column::new("duration", Unit::Micros, "sum of their lengths"),
];

const EDGES: &[Column] = &[
    Column::new("begin", Unit::None, "number of the node at which it begins"),
    Column::new("end", Unit::None, "number of the node at which it ends"),
    Column::new("type", Unit::None, "what it stands for"),
    Column::new("weight", Unit::Micros, "length"),
    Column::new("graph_weight", Unit::Micros, "length in the search, where negative ones count as 0"),
    Column::new("event", Unit::None, "event that its time is attributed to"),
];

impl HtaPath {
    /// Returns the path by what bounds it: `bound_by`, `duration` in µs, `percent`; ascending by `bound_by`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn summary(&self) -> Result<DataFrame> {
        let shares = self.shares();
        Ok(df!(
            "bound_by" => shares.iter().map(|share| share.bound_by.word()).collect::<Vec<&str>>(),
            "duration" => shares.iter().map(|share| micros(share.duration)).collect::<Vec<f64>>(),
            "percent" => shares.iter().map(|share| share.percent).collect::<Vec<f64>>(),
        )?)
    }

    /// Returns the nodes of the path in order, each with the edge to the next: `position`, `node`, `event`, `is_start`, `ts` in µs,
    /// `name`, `edge_type`, `weight` in µs, `edge_event`, `bound_by`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn path(&self) -> Result<DataFrame> {
        let nodes = &self.path.nodes;
        let rows = || nodes.iter().map(|&node| self.row(node));
        let all = || nodes.iter().map(|&node| &self.graph.nodes()[node as usize]);
        let edge = |at: usize| self.breakdown.get(at);
        Ok(df!(
            "position" => (0..nodes.len() as i64).collect::<Vec<i64>>(),
            "node" => nodes.iter().map(|&node| i64::from(node)).collect::<Vec<i64>>(),
            "event" => rows().map(|row| row.index).collect::<Vec<i64>>(),
            "is_start" => all().map(|node| node.is_start).collect::<Vec<bool>>(),
            "ts" => all().map(|node| micros(node.ts)).collect::<Vec<f64>>(),
            "name" => rows().map(|row| self.text(row.name)).collect::<Vec<&str>>(),
            "edge_type" => (0..nodes.len()).map(|at| edge(at).map(|edge| edge.kind.word())).collect::<Vec<_>>(),
            "weight" => (0..nodes.len()).map(|at| edge(at).map(|edge| micros(edge.duration))).collect::<Vec<_>>(),
            "edge_event" => (0..nodes.len()).map(|at| edge(at)?.event).collect::<Vec<_>>(),
            "bound_by" => (0..nodes.len()).map(|at| edge(at).map(|edge| edge.bound_by.word())).collect::<Vec<_>>(),
        )?)
    }

    /// Returns the edges of the path with the events that their time is attributed to: `event_idx`, `duration` in µs, `type`, `s_name`,
    /// `cat`, `pid`, `tid`, `stream`, `bound_by`; by event, type and duration. HTA's order is arbitrary.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn breakdown(&self) -> Result<DataFrame> {
        let mut edges: Vec<&EdgeRow> = self.breakdown.iter().collect();
        edges.sort_by_key(|edge| (edge.event.is_none(), edge.event, edge.kind.word(), edge.duration));
        let rows = || edges.iter().map(|edge| edge.event.and_then(|event| self.row_of(event)));
        let number = |of: fn(&Row) -> i64| rows().map(|row| row.map(of)).collect::<Vec<Option<i64>>>();
        Ok(df!(
            "event_idx" => edges.iter().map(|edge| edge.event).collect::<Vec<_>>(),
            "duration" => edges.iter().map(|edge| micros(edge.duration)).collect::<Vec<f64>>(),
            "type" => edges.iter().map(|edge| format!("critical_path_{}", edge.kind.word())).collect::<Vec<_>>(),
            "s_name" => rows().map(|row| Some(shorten_name(self.text(row?.name)))).collect::<Vec<_>>(),
            "cat" => rows().map(|row| Some(self.text(row?.cat))).collect::<Vec<_>>(),
            "pid" => number(|row| row.pid),
            "tid" => number(|row| row.tid),
            "stream" => number(|row| row.stream),
            "bound_by" => edges.iter().map(|edge| edge.bound_by.word()).collect::<Vec<&str>>(),
        )?)
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
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(_, (_, duration))| std::cmp::Reverse(*duration));
        Ok(df!(
            "bound_by" => sums.iter().map(|((bound_by, ..), _)| *bound_by).collect::<Vec<&str>>(),
            "type" => sums.iter().map(|((_, kind, _), _)| format!("critical_path_{kind}")).collect::<Vec<_>>(),
            "s_name" => sums.iter().map(|((.., name), _)| name.as_str()).collect::<Vec<&str>>(),
            "count" => sums.iter().map(|(_, (count, _))| *count).collect::<Vec<i64>>(),
            "duration" => sums.iter().map(|(_, (_, duration))| micros(*duration)).collect::<Vec<f64>>(),
        )?)
    }

    /// Returns the nodes of the graph in order of time: `node`, `event`, `ts` in µs, `is_start`, `is_blocking`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn nodes(&self) -> Result<DataFrame> {
        let nodes = self.graph.nodes();
        let rows = || (0..nodes.len() as u32).map(|node| self.row(node));
        Ok(df!(
            "node" => (0..nodes.len() as i64).collect::<Vec<i64>>(),
            "event" => rows().map(|row| row.index).collect::<Vec<i64>>(),
            "ts" => nodes.iter().map(|node| micros(node.ts)).collect::<Vec<f64>>(),
            "is_start" => nodes.iter().map(|node| node.is_start).collect::<Vec<bool>>(),
            "is_blocking" => rows().map(|row| is_blocking_call(self.text(row.name))).collect::<Vec<bool>>(),
        )?)
    }

    /// Returns the edges of the graph in HTA's order, which decides ties: `begin`, `end`, `type`, `weight` and `graph_weight` in µs,
    /// `event`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn edges(&self) -> Result<DataFrame> {
        let edges = self.graph.edges();
        Ok(df!(
            "begin" => edges.iter().map(|edge| i64::from(edge.begin)).collect::<Vec<i64>>(),
            "end" => edges.iter().map(|edge| i64::from(edge.end)).collect::<Vec<i64>>(),
            "type" => edges.iter().map(|edge| edge.kind.word()).collect::<Vec<&str>>(),
            "weight" => edges.iter().map(|edge| micros(edge.weight)).collect::<Vec<f64>>(),
            "graph_weight" => edges.iter().map(|edge| micros(edge.search_weight)).collect::<Vec<f64>>(),
            "event" => edges.iter().map(|edge| edge.event).collect::<Vec<_>>(),
        )?)
    }

    /// Returns the tables to show: the summary, `by_name`, `path`, and `edges` if they are wanted.
    pub(super) fn tables(&self, with_edges: bool) -> Result<Vec<AnswerTable>> {
        let table = |name, columns, frame| AnswerTable::new(&TableSchema::new(name, columns), frame).of_rank(self.rank);
        let mut tables = vec![
            table("", SUMMARY, self.summary()?),
            table("by_name", BY_NAME, self.by_name()?),
            table("path", PATH, self.path()?),
        ];
        if with_edges {
            tables.push(table("edges", EDGES, self.edges()?).shown_if(false));
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
