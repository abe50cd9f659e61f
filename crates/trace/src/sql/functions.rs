//! Table functions: what trace people miss in plain SQL.

use super::calls::{Argument, Call, Value};
use super::interval_tables::{gap_table, intersect_table, overlap_table};
use super::messages::at_bytes;
use super::rank_rows::{OF_INTERVALS, as_in_sql};
use super::statement::Run;
use super::views::{END_TS, TRACE, View};
use crate::frame::columns::{DUR, TS};
use crate::{CallGraph, CallStack, Compat, Error, Result, Trace, TraceSet};
use polars::prelude::{BooleanChunked, Column, DataFrame, NewChunkedArray, PlSmallStr, Scalar};
use std::ops::Range;

/// A table function.
pub(super) struct TableFunction {
    pub(super) name: &'static str,
    /// How it is called.
    pub(super) usage: &'static str,
    /// What its rows are.
    pub(super) meaning: &'static str,
    pub(super) columns: &'static [&'static str],
}

/// The columns of tables of calls.
const OF_CALLS: &[&str] = &[
    "trace",
    "rank",
    "id",
    "name",
    "cat",
    "pid",
    "tid",
    "stream",
    "iteration",
    "ts",
    "dur",
    "end_ts",
    "self_dur",
    "parent",
    "depth",
    "height",
    "num_kernels",
    "kernel_dur_sum",
    "kernel_span",
    "first_kernel_start",
    "last_kernel_end",
    "relation",
];

/// All table functions.
pub(super) const FUNCTIONS: &[TableFunction] = &[
    TableFunction {
        name: "ancestors",
        usage: "ancestors(id, rank => 0, trace => 'control')",
        meaning: "the calls around an event, the outermost first; of a kernel those around its launch",
        columns: OF_CALLS,
    },
    TableFunction {
        name: "descendants",
        usage: "descendants(id, rank => 0, trace => 'control')",
        meaning: "the calls inside an event and their kernels, each before what is below it",
        columns: OF_CALLS,
    },
    TableFunction {
        name: "self_time",
        usage: "self_time(rank => 0, trace => 'control')",
        meaning: "all events with their place in the call graph: self_dur, parent, depth, kernels below",
        columns: OF_CALLS,
    },
    TableFunction {
        name: "gaps",
        usage: "gaps(stream, rank => 0, trace => 'control')",
        meaning: "the times at which a stream runs nothing, between its first and its last kernel; of all streams without an argument",
        columns: &[
            "trace",
            "rank",
            "iteration",
            "stream",
            "ts",
            "dur",
            "end_ts",
            "before_id",
            "before_name",
            "after_id",
            "after_name",
        ],
    },
    TableFunction {
        name: "intersect",
        usage: "intersect(a, b)",
        meaning: "the pairs of rows of two tables whose times intersect, per trace and rank; other columns end in _a and _b",
        columns: &["trace", "rank", "ts", "dur", "end_ts", "id_a", "name_a", "id_b", "name_b"],
    },
    TableFunction {
        name: "overlap",
        usage: "overlap(table)",
        meaning: "how many rows of a table are open at a time, per trace and rank; of kernels without an argument",
        columns: &["trace", "rank", "ts", "dur", "end_ts", "open"],
    },
];

/// A call in a statement, with what it may use.
pub(super) struct Evaluation<'e, 'r> {
    pub(super) statement: &'e str,
    pub(super) call: &'e Call,
    /// The bytes of the tables of WITH that are complete before the call; may be empty.
    pub(super) with: Range<usize>,
    pub(super) run: &'e mut Run<'r>,
}

impl Evaluation<'_, '_> {
    /// Returns the rows of the call.
    ///
    /// # Errors
    /// If its arguments are wrong, or the rows cannot be made.
    pub(super) fn rows(mut self) -> Result<DataFrame> {
        match self.call.name.as_str() {
            "ancestors" => self.relatives(&["ancestor"]),
            "descendants" => self.relatives(&["descendant", "kernel"]),
            "self_time" => self.self_time(),
            "gaps" => self.gaps(),
            "intersect" => {
                let [a, b] = self.tables(2)?.try_into().unwrap_or_default();
                intersect_table(&a, &b).map_err(|error| self.in_call(error))
            }
            _ => {
                let table = self.tables(1)?.into_iter().next().unwrap_or_default();
                overlap_table(&table).map_err(|error| self.in_call(error))
            }
        }
    }

    fn relatives(&self, relations: &[&str]) -> Result<DataFrame> {
        let id = match self.positional().as_slice() {
            [Argument { value: Value::Number(id), .. }] => *id,
            [other] => {
                return Err(self.wrong(
                    other,
                    "an event is named by its id, a number",
                    "ids are in the column id of events",
                ));
            }
            _ => return Err(self.refused("it takes the id of one event", "")),
        };
        let scope = self.scope()?;
        let [(set, traces)] = scope.as_slice() else {
            let labels: Vec<&str> = scope.iter().map(|(set, _)| set.label()).collect();
            let rewrite = format!("name one: {}({id}, trace => '{}')", self.call.name, labels.first().unwrap_or(&""));
            return Err(
                self.refused(&format!("ids are numbered per trace, and there are {}", labels.join(", ")), &rewrite)
            );
        };
        let [trace] = traces.as_slice() else {
            let rewrite =
                format!("name one: {}({id}, rank => {})", self.call.name, traces.first().map_or(0, Trace::rank));
            return Err(
                self.refused(&format!("ids are numbered per rank, and {} has {}", set.label(), traces.len()), &rewrite)
            );
        };
        let query = CallStack {
            index: id,
            rank: Some(trace.rank()),
            skip_ancestors: !relations.contains(&"ancestor"),
            compat: Some(Compat::Exact),
        };
        let stack = match set.call_stack(&query) {
            Err(Error::WrongParameter { .. }) => {
                let what = format!("rank {} of {} has no event with id {id}", trace.rank(), set.label());
                return Err(self.refused(&what, "ids are in the column id of events"));
            }
            stack => stack?,
        };
        let relation = stack.column("relation")?.str()?.clone();
        let keep: Vec<bool> =
            relation.iter().map(|found| found.is_some_and(|found| relations.contains(&found))).collect();
        of_trace(set, &stack.filter(&BooleanChunked::from_slice("keep".into(), &keep))?)
    }

    fn self_time(&self) -> Result<DataFrame> {
        if !self.positional().is_empty() {
            return Err(self.refused("it takes rank => 0 and trace => 'control'", ""));
        }
        let mut all: Option<DataFrame> = None;
        for (set, traces) in self.scope()? {
            let ranks = Some(traces.iter().map(Trace::rank).collect());
            let graph = set.call_graph(&CallGraph { ranks, compat: Some(Compat::Exact), ..CallGraph::default() })?;
            let graph = of_trace(&set, &graph)?;
            match &mut all {
                Some(all) => {
                    all.vstack_mut(&graph)?;
                }
                None => all = Some(graph),
            }
        }
        Ok(all.unwrap_or_default())
    }

    fn gaps(&self) -> Result<DataFrame> {
        let stream = match self.positional().as_slice() {
            [] => None,
            [Argument { value: Value::Number(stream), .. }] => Some(*stream),
            [other, ..] => return Err(self.wrong(other, "a stream is named by its number", "")),
        };
        let mut all: Option<DataFrame> = None;
        for (set, traces) in self.scope()? {
            for trace in &traces {
                let table = gap_table(&set, trace, stream)?;
                match &mut all {
                    Some(all) => {
                        all.vstack_mut(&table)?;
                    }
                    None => all = Some(table),
                }
            }
        }
        Ok(all.unwrap_or_default())
    }

    /// Returns the tables that are the arguments; `kernels` for one that is missing.
    fn tables(&mut self, count: usize) -> Result<Vec<DataFrame>> {
        let usage =
            FUNCTIONS.iter().find(|function| function.name == self.call.name).map_or("", |function| function.usage);
        let arguments = self.call.arguments.clone();
        if let Some(named) = arguments.iter().find(|argument| argument.key.is_some()) {
            return Err(self.wrong(
                named,
                &format!("expected {usage}"),
                "restrict the table: (SELECT * FROM kernels WHERE rank = 0)",
            ));
        }
        if arguments.len() != count && !(count == 1 && arguments.is_empty()) {
            return Err(self.refused(&format!("expected {usage}"), "a table is a name, or a SELECT in parentheses"));
        }
        if arguments.is_empty() {
            let query = self.query_of(View::Kernels.name());
            return Ok(vec![self.run.rows(&query)?]);
        }
        let mut tables = Vec::new();
        for argument in &arguments {
            let rows = match &argument.value {
                Value::Name(name) => {
                    let query = self.query_of(name);
                    self.run.rows(&query).map_err(|error| self.in_argument(argument, error))
                }
                Value::Query(range) => self.run.part(self.statement, &self.with, range),
                _ => Err(self.wrong(argument, "expected a table", "a table is a name, or a SELECT in parentheses")),
            };
            tables.push(rows?);
        }
        Ok(tables)
    }

    /// Returns the query for all rows of a table: of a view the columns that matter for intervals.
    fn query_of(&self, name: &str) -> String {
        let view = View::ALL.into_iter().find(|view| view.name() == name);
        let columns = view.map(|view| {
            let schema = view.schema(self.run.traces());
            OF_INTERVALS.iter().copied().filter(|name| schema.contains(name)).collect::<Vec<_>>().join(", ")
        });
        let columns = columns.unwrap_or_else(|| "*".to_owned());
        format!("{} SELECT {columns} FROM \"{}\"", &self.statement[self.with.clone()], name.replace('"', "\"\""))
    }

    fn positional(&self) -> Vec<Argument> {
        self.call.arguments.iter().filter(|argument| argument.key.is_none()).cloned().collect()
    }

    /// Returns the traces, each with its ranks, that `trace => …` and `rank => …` leave.
    fn scope(&self) -> Result<Vec<(TraceSet, Vec<Trace>)>> {
        let (mut label, mut rank) = (None, None);
        for argument in &self.call.arguments {
            match (argument.key.as_deref(), &argument.value) {
                (None, _) => {}
                (Some("trace"), Value::Text(text)) => label = Some(text.clone()),
                (Some("rank"), Value::Number(number)) => rank = Some(*number),
                (Some("trace"), _) => {
                    return Err(self.wrong(argument, "a trace is named by its label", "trace => 'control'"));
                }
                (Some("rank"), _) => return Err(self.wrong(argument, "a rank is a number", "rank => 0")),
                (Some(_), _) => return Err(self.wrong(argument, "expected rank => 0 or trace => 'control'", "")),
            }
        }
        let sets = self.run.traces().iter().filter(|set| label.as_deref().is_none_or(|label| set.label() == label));
        let with_ranks = sets.map(|set| {
            let ranks = set.traces().iter().filter(|trace| rank.is_none_or(|rank| trace.rank() == rank));
            (set.clone(), ranks.cloned().collect::<Vec<Trace>>())
        });
        let found: Vec<_> = with_ranks.filter(|(_, ranks)| !ranks.is_empty()).collect();
        if found.is_empty() {
            let labels: Vec<&str> = self.run.traces().iter().map(TraceSet::label).collect();
            let asked = [label.map(|label| format!("trace '{label}'")), rank.map(|rank| format!("rank {rank}"))];
            let asked = asked.into_iter().flatten().collect::<Vec<_>>().join(" with ");
            return Err(self.refused(
                &if asked.is_empty() { "no trace is loaded".to_owned() } else { format!("there is no {asked}") },
                &if labels.is_empty() {
                    "%trace_load PATH --as NAME loads one".to_owned()
                } else {
                    format!("there are {}", labels.join(", "))
                },
            ));
        }
        Ok(found)
    }

    /// Returns an error about the call.
    fn refused(&self, reason: &str, rewrite: &str) -> Error {
        let range = &self.call.range;
        let message = format!("cannot run {}: {reason}", self.call.name);
        Error::Sql(Box::new(at_bytes(self.statement, range.start, range.len(), message, rewrite.to_owned())))
    }

    /// Returns an error about an argument of the call.
    fn wrong(&self, argument: &Argument, reason: &str, rewrite: &str) -> Error {
        let range = &argument.range;
        let message = format!("cannot run {}: {reason}", self.call.name);
        Error::Sql(Box::new(at_bytes(self.statement, range.start, range.len(), message, rewrite.to_owned())))
    }

    /// Gives an error of a table the place of its name.
    fn in_argument(&self, argument: &Argument, error: Error) -> Error {
        match error {
            Error::Sql(error) => {
                let range = &argument.range;
                Error::Sql(Box::new(at_bytes(self.statement, range.start, range.len(), error.message, error.rewrite)))
            }
            error => error,
        }
    }

    /// Gives an error of the rows the place of the call.
    fn in_call(&self, error: Error) -> Error {
        match error {
            Error::Sql(error) if error.place.is_none() => self.refused(&error.message, &error.rewrite),
            error => error,
        }
    }
}

/// Returns a table of calls as one of SQL, of this trace.
fn of_trace(set: &TraceSet, table: &DataFrame) -> Result<DataFrame> {
    let mut found = as_in_sql(table)?;
    let label = Scalar::from(PlSmallStr::from_str(set.label()));
    found.insert_column(0, Column::new_scalar(TRACE.into(), label, found.height()))?;
    let end = (found.column(TS)? + found.column(DUR)?)?.with_name(END_TS.into());
    let at = found.get_column_index(DUR).map_or(found.width(), |at| at + 1);
    found.insert_column(at, end)?;
    Ok(found)
}
