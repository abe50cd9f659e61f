//! Forward operators of backward operators, by the numbers that autograd gives them.

use super::args::AUTOGRAD_ARGS;
use super::builder::{Column, IdColumn, IdColumnBuilder};
use super::columns::{PID, TID, TS};
use super::int_column::IntColumn;
use crate::exec::checkpoint::cancellable;
use crate::{AttributeSpec, Result, ValueType};
use hashbrown::HashMap;
use polars::prelude::DataFrame;

/// The numbers of operators, as far as they are recorded: some rows only, so that they take no column.
///
/// A backward operator has the number of the forward operator that made its node; the profiler draws its flows `fwdbwd` from the
/// same numbers. Of the operators that share a number, the last one made the node: those before it made none.
#[derive(Debug, Default)]
pub(super) struct Autograd {
    /// Rows with a number, ascending.
    rows: Vec<u32>,
    numbers: Vec<i64>,
    /// Rows with the thread of a forward operator, ascending: backward operators.
    backward: Vec<u32>,
}

/// The last forward operator of a number.
struct Forward {
    row: usize,
    start: i64,
    thread: (Option<i64>, Option<i64>),
    /// Operators of another thread have the same number: threads count on their own.
    is_shared: bool,
}

/// When and where operators run.
pub(super) trait Calls {
    /// Returns the start of the operator of a row.
    fn start(&self, row: usize) -> Option<i64>;

    /// Returns the process and the thread of the operator of a row.
    fn thread(&self, row: usize) -> (Option<i64>, Option<i64>);
}

/// The columns of a rank that is being read.
pub(super) struct ReadCalls<'c> {
    pub(super) ts: &'c Column<i64>,
    pub(super) pid: &'c IdColumn,
    pub(super) tid: &'c IdColumn,
}

impl Calls for ReadCalls<'_> {
    fn start(&self, row: usize) -> Option<i64> {
        self.ts.get(row)
    }

    fn thread(&self, row: usize) -> (Option<i64>, Option<i64>) {
        (self.pid.get(row), self.tid.get(row))
    }
}

/// The columns of a frame of events.
struct FrameCalls {
    ts: IntColumn,
    pid: IntColumn,
    tid: IntColumn,
}

impl Calls for FrameCalls {
    fn start(&self, row: usize) -> Option<i64> {
        self.ts.get(row)
    }

    fn thread(&self, row: usize) -> (Option<i64>, Option<i64>) {
        (self.pid.get(row), self.tid.get(row))
    }
}

/// Returns the rows of forward operators, each with that of a backward operator, of a frame of events with the columns of
/// [`autograd_args`]; none without them.
///
/// # Errors
/// If another column of events is missing.
pub fn forward_rows(events: &DataFrame) -> Result<Vec<(usize, usize)>> {
    let (Ok(number), Ok(forward)) = (IntColumn::of(events, SEQUENCE), IntColumn::of(events, FORWARD_THREAD)) else {
        return Ok(Vec::new());
    };
    let mut autograd = Autograd::default();
    for row in cancellable(0..events.height()) {
        autograd.push(row, true, number.get(row));
        autograd.push(row, false, forward.get(row));
    }
    let int = |name: &str| IntColumn::of(events, name);
    Ok(autograd.pairs(&FrameCalls { ts: int(TS)?, pid: int(PID)?, tid: int(TID)? }))
}

/// Returns the arguments that tie backward operators to forward ones.
pub fn autograd_args() -> [AttributeSpec; 2] {
    let [number, forward] = AUTOGRAD_ARGS;
    [(SEQUENCE, number), (FORWARD_THREAD, forward)]
        .map(|(name, raw_name)| AttributeSpec::new(name, raw_name, ValueType::Int))
}

/// The columns of [`autograd_args`].
const SEQUENCE: &str = "sequence";
const FORWARD_THREAD: &str = "fwd_thread_id";

impl Autograd {
    /// Sets the number of a row at or after the last one set, or the thread of its forward operator; 0 is none. Not inlined, so that the
    /// code of a row is short.
    #[inline(never)]
    pub(super) fn push(&mut self, row: usize, is_number: bool, value: Option<i64>) {
        let row = row as u32;
        match value {
            Some(number) if is_number && number >= 0 => {
                if self.rows.last() == Some(&row) {
                    self.numbers.pop();
                } else {
                    self.rows.push(row);
                }
                self.numbers.push(number);
            }
            Some(thread) if !is_number && thread > 0 && self.backward.last() != Some(&row) => self.backward.push(row),
            _ => {}
        }
    }

    /// Moves the rows of a later fragment behind these, from `row` on.
    pub(super) fn append(&mut self, row: usize, fragment: &mut Self) {
        let row = row as u32;
        self.rows.extend(fragment.rows.drain(..).map(|of| of + row));
        self.numbers.append(&mut fragment.numbers);
        self.backward.extend(fragment.backward.drain(..).map(|of| of + row));
    }

    /// Returns the index of the forward operator of each row that is a backward operator; `None` if no row has one.
    pub(super) fn forward(&self, index: &IdColumn, calls: &impl Calls, rows: usize) -> Option<IdColumn> {
        let (mut found, mut any) = (IdColumnBuilder::default(), false);
        for (forward, backward) in self.pairs(calls) {
            if let Some(index) = index.get(forward) {
                found.set(backward, index);
                any = true;
            }
        }
        any.then(|| found.fill(rows))
    }

    /// Returns the rows of forward operators, each with that of a backward operator, by the latter.
    fn pairs(&self, calls: &impl Calls) -> Vec<(usize, usize)> {
        let numbered = || self.rows.iter().copied().zip(self.numbers.iter().copied());
        let mut forward: HashMap<i64, Forward, foldhash::fast::FixedState> = HashMap::default();
        let mut backward = self.backward.iter().peekable();
        for (row, number) in numbered() {
            while backward.next_if(|&&of| of < row).is_some() {}
            let row = row as usize;
            let (false, Some(start)) = (backward.peek() == Some(&&(row as u32)), calls.start(row)) else { continue };
            let thread = calls.thread(row);
            let last = forward.entry(number).or_insert(Forward { row, start, thread, is_shared: false });
            last.is_shared |= last.thread != thread;
            if start >= last.start {
                (last.row, last.start) = (row, start);
            }
        }
        let mut pairs = Vec::new();
        let mut backward = self.backward.iter().peekable();
        for (row, number) in numbered() {
            while backward.next_if(|&&of| of < row).is_some() {}
            if backward.peek() != Some(&&row) {
                continue;
            }
            let of = forward.get(&number).filter(|of| !of.is_shared && Some(of.start) <= calls.start(row as usize));
            pairs.extend(of.map(|of| (of.row, row as usize)));
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{ParserConfig, TraceSet};
    use trace_testkit::TraceBuilder;

    fn operator(trace: TraceBuilder, name: &str, at: i64, thread: i64, number: i64, forward: i64) -> TraceBuilder {
        trace
            .complete("cpu_op", name, 100, thread, at..at + 5)
            .arg("Sequence number", &number.to_string())
            .arg("Fwd thread id", &forward.to_string())
    }

    fn forward(trace: &TraceBuilder) -> Option<Vec<Option<i64>>> {
        let trace = TraceSet::from_bytes(trace.json()).unwrap().traces()[0].clone();
        let events = trace.frame().unwrap();
        let column = events.column("index_forward").ok()?;
        Some(column.i32().unwrap().iter().map(|index| index.map(i64::from)).collect())
    }

    #[test]
    fn the_last_forward_operator_of_a_number_counts() {
        let module = TraceBuilder::new().complete("python_function", "nn.Module: Linear_0", 100, 1, 0..50);
        let mut trace = operator(module.clone(), "aten::t", 1, 1, 7, 0);
        trace = operator(trace, "aten::addmm", 10, 1, 7, 0);
        trace = operator(trace, "AddmmBackward0", 60, 2, 7, 1);
        trace = operator(trace, "NoneBackward0", 70, 2, 8, 1);
        assert_eq!(forward(&trace), Some(vec![None, None, None, Some(2), None]));
        // Without modules nothing is asked of them.
        let plain = operator(TraceBuilder::new(), "aten::addmm", 10, 1, 7, 0);
        assert_eq!(forward(&operator(plain, "AddmmBackward0", 60, 2, 7, 1)), None);
        // Two threads that count the same number tell nothing.
        let mut shared = operator(module, "aten::addmm", 10, 1, 7, 0);
        shared = operator(shared, "aten::mm", 11, 3, 7, 0);
        assert_eq!(forward(&operator(shared, "AddmmBackward0", 60, 2, 7, 1)), None);
    }

    #[test]
    fn numbers_are_columns_only_if_they_are_requested() {
        let json = operator(TraceBuilder::new(), "aten::addmm", 10, 1, 7, 0).json();
        let default = TraceSet::from_bytes(json.as_bytes()).unwrap();
        assert!(default.traces()[0].frame().unwrap().column("sequence").is_err());
        let config: ParserConfig = "cpu_op::sequence_number,cpu_op::fwd_thread".parse().unwrap();
        let asked = crate::LoadOptions { parser_config: Some(config), ..Default::default() };
        let asked = TraceSet::from_bytes_with(json.as_bytes(), &asked).unwrap();
        let frame = asked.traces()[0].frame().unwrap();
        assert_eq!(frame.column("sequence").unwrap().i32().unwrap().get(0), Some(7));
        assert_eq!(frame.column("fwd_thread_id").unwrap().i32().unwrap().get(0), Some(0));
    }

    #[test]
    fn graph_nodes_are_columns_under_both_spellings() {
        let trace = |keys: [&str; 2]| {
            let kernel = |trace: TraceBuilder, graph: &str, node: &str| {
                trace.kernel("k", trace_testkit::Stream(7), 1..2).arg(keys[0], graph).arg(keys[1], node)
            };
            kernel(kernel(TraceBuilder::new(), "0", "0"), "3", "12884901890").json()
        };
        for keys in [["graph id", "graph node id"], ["graphId", "graphNodeId"]] {
            let trace = TraceSet::from_bytes(trace(keys)).unwrap();
            let frame = trace.traces()[0].frame().unwrap();
            let graph: Vec<Option<i32>> = frame.column("graph_id").unwrap().i32().unwrap().iter().collect();
            let node: Vec<Option<i64>> = frame.column("graph_node_id").unwrap().i64().unwrap().iter().collect();
            assert_eq!((graph, node), (vec![None, Some(3)], vec![None, Some(12_884_901_890)]));
        }
        let none = TraceBuilder::new().kernel("k", trace_testkit::Stream(7), 1..2).arg("graph id", "0").json();
        assert!(TraceSet::from_bytes(none).unwrap().traces()[0].frame().unwrap().column("graph_id").is_err());
    }
}
