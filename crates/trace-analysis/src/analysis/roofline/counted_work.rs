//! The work of the operators of a rank: each piece counted once, with the time of its kernels.

use super::batches::sums_of;
use crate::analysis::RankView;
use crate::analysis::call_inputs::CallInputs;
use crate::analysis::call_trees::CallTrees;
use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::frame::columns::{INPUT_DIMS, INPUT_TYPE};
use crate::frame::{RankEvents, recorded_text};
use crate::{Result, ServedStep, Trace};
use call_tree::nesting::Walk;
use efficiency::{Call, NoModel, Operands, Sums, Work, is_composite, work, work_of_leaf};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::PlSmallStr;
use serde_json::Value;
use std::collections::BTreeMap;
use trace_events::serving::Annotated;

/// The values of the inputs that are no tensors.
const CONCRETE_INPUTS: &str = "concrete_inputs";
/// The arguments that are read.
const VALUES: [&str; 3] = [INPUT_DIMS, INPUT_TYPE, CONCRETE_INPUTS];

/// The recorded inputs of operators: shapes, types, and values of those that are no tensors.
struct Inputs {
    columns: CallInputs<3>,
    /// Whether values could be read.
    are_read: bool,
}

/// The codes of the inputs of a call, with that of its name.
type InputCodes = (u32, [Option<u32>; 3]);

impl Inputs {
    fn of(rank: &RankView, trees: &CallTrees) -> Result<Self> {
        let read = rank.args(&VALUES)?;
        let loaded = rank.all_events_with(&[INPUT_DIMS, INPUT_TYPE])?;
        let mut are_read = read.is_some();
        let of_lender = |lender: &Trace| {
            if let Some(read) = lender.args(&VALUES)? {
                return Ok(read);
            }
            are_read = false;
            lender.frame_of(&[INPUT_DIMS, INPUT_TYPE].map(PlSmallStr::from_static))
        };
        let columns = CallInputs::of(VALUES, read.as_ref().unwrap_or(&loaded), trees, of_lender)?;
        Ok(Self { columns, are_read })
    }

    fn codes(&self, trees: &CallTrees, row: usize) -> InputCodes {
        (trees.rows().name(row), self.columns.codes(trees, row))
    }
}

/// Returns the texts of the inputs of a call; empty where they are not known.
fn texts<'r>(rows: &'r RankEvents, codes: &InputCodes) -> [&'r str; 3] {
    codes.1.map(|code| code.and_then(|code| recorded_text(rows.text(code))).unwrap_or_default())
}

/// One call with work: of an operator, as recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::analysis) struct CountedCall {
    /// Its operator.
    pub(in crate::analysis) name: String,
    /// Shapes of its inputs: `64×32, 32×16`.
    pub(in crate::analysis) shapes: String,
    /// Their types, each once: `bf16, int64`.
    pub(in crate::analysis) types: String,
    /// What it had to do.
    pub(in crate::analysis) work: Work,
}

/// Writes shapes without those of inputs that are no tensors: `64×32, 32×16`; lists of tensors as their number.
fn shapes_in_words(json: &str) -> String {
    let Ok(Value::Array(shapes)) = serde_json::from_str(json) else { return json.to_owned() };
    let shape = |shape: &Value| match shape {
        Value::Array(dims) if dims.is_empty() => None,
        Value::Array(dims) if dims.iter().all(Value::is_u64) => {
            Some(dims.iter().map(Value::to_string).collect::<Vec<String>>().join("×"))
        }
        Value::Array(tensors) => Some(format!("{} tensors", tensors.len())),
        _ => None,
    };
    shapes.iter().filter_map(shape).collect::<Vec<String>>().join(", ")
}

/// Writes types of tensors by their short names, each once: `bf16, int64`.
pub(in crate::analysis) fn types_in_words(json: &str) -> String {
    let Ok(Value::Array(types)) = serde_json::from_str(json) else { return json.to_owned() };
    let mut words: Vec<&str> = Vec::new();
    for name in types.iter().filter_map(Value::as_str) {
        let word = match name {
            "" | "Scalar" | "ScalarList" | "TensorList" => continue,
            "c10::BFloat16" => "bf16",
            "c10::Half" => "fp16",
            "float" => "fp32",
            "double" => "fp64",
            "long" | "long int" => "int64",
            "int" => "int32",
            "short" | "short int" => "int16",
            "signed char" => "int8",
            "unsigned char" => "uint8",
            other => other.strip_prefix("c10::").unwrap_or(other),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// Number and times of equal calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::analysis) struct CallTimes {
    /// Calls.
    pub(in crate::analysis) calls: u64,
    /// Time of their kernels in ns.
    pub(in crate::analysis) gpu: i64,
    /// Their own time on the CPU in ns.
    pub(in crate::analysis) host: i64,
    /// Of the time of their kernels that of calls that a companion lends.
    pub(in crate::analysis) borrowed: i64,
}

/// The work of a rank.
#[derive(Debug, Default)]
pub(in crate::analysis) struct CountedWork {
    /// Calls with work, equal ones together.
    pub(in crate::analysis) counted: Vec<(CountedCall, CallTimes)>,
    /// Rows of the operators with work, by the walk over the call trees, each with the number of its call.
    rows: Vec<(u32, u32)>,
    /// GPU time of operators without a model, by the name of the innermost, in ns.
    pub(in crate::analysis) without_model: BTreeMap<String, i64>,
    /// GPU time of operators whose shapes were not recorded, in ns.
    pub(in crate::analysis) without_shapes: i64,
    /// GPU time of kernels without an operator, in ns: of graphs, and those launched before the recording.
    pub(in crate::analysis) without_operator: i64,
    /// GPU time of collectives without a model, in ns.
    pub(in crate::analysis) communication: i64,
    /// Time of all kernels, copies and fills in ns.
    pub(in crate::analysis) gpu: i64,
    /// Whether the inputs that are no tensors could be read: strides, groups, masks.
    pub(in crate::analysis) has_values: bool,
}

/// Reasons why a call is not counted, with what is needed to tell calls apart.
#[derive(Clone, Copy)]
enum Counted {
    /// The number of the call.
    Work(u32),
    Not(NoModel),
}

/// The walk over the call trees of a rank.
struct Counting<'r, C> {
    /// By the code of a name.
    is_composite: C,
    trees: &'r CallTrees,
    rows: &'r RankEvents,
    graph: &'r RankGraph,
    inputs: &'r Inputs,
    /// Steps of a server.
    steps: &'r Annotated<ServedStep>,
    /// By inputs, whether no operator is below, and the batch where the work depends on it.
    known: HashMap<(InputCodes, bool, Option<Sums>), Counted, FixedState>,
    found: CountedWork,
    /// The outermost counted operator that is open, by its row.
    inside: Option<usize>,
    /// Open operators without work: row, and why.
    open: Vec<(usize, NoModel)>,
    /// By the code of the name, and why it has no model in words.
    without: BTreeMap<(u32, &'static str), i64>,
    /// Whether a row is a kernel of a collective.
    communication: Vec<bool>,
}

/// Says why an operator that has a model in general has none here; empty for any other.
fn in_words(reason: NoModel) -> &'static str {
    match reason {
        NoModel::Mismatch => ", whose shapes do not fit each other",
        NoModel::NoSums => ", whose batch is not known (record with the detailed annotations of the server)",
        _ => "",
    }
}

impl<C: FnMut(u32) -> bool> Counting<'_, C> {
    fn counted(&mut self, row: usize) -> Counted {
        let codes = self.inputs.codes(self.trees, row);
        let is_leaf = (self.is_composite)(codes.0) && !self.calls_operator(row);
        match self.counted_with(codes, is_leaf, None) {
            Counted::Not(NoModel::NoSums) => match self.steps.step(self.rows, row).as_ref().and_then(sums_of) {
                None => Counted::Not(NoModel::NoSums),
                batch => self.counted_with(codes, is_leaf, batch),
            },
            counted => counted,
        }
    }

    /// Counts the work of a call with these inputs, in a batch if one is known.
    fn counted_with(&mut self, codes: InputCodes, is_leaf: bool, batch: Option<Sums>) -> Counted {
        let key = (codes, is_leaf, batch);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let name = self.rows.text(codes.0);
        let [shapes, types, values] = texts(self.rows, &codes);
        let counted = match Operands::parse(shapes, types, values) {
            Err(_) => Counted::Not(NoModel::NoShapes),
            Ok(operands) => {
                let call = Call { sums: batch, ..Call::new(name, &operands) };
                match if is_leaf { work_of_leaf(&call) } else { work(&call) } {
                    Err(reason) => Counted::Not(reason),
                    Ok(work) => {
                        let (name, shapes, types) = (name.to_owned(), shapes_in_words(shapes), types_in_words(types));
                        self.found.counted.push((CountedCall { name, shapes, types, work }, CallTimes::default()));
                        Counted::Work(self.found.counted.len() as u32 - 1)
                    }
                }
            }
        };
        self.known.insert(key, counted);
        counted
    }

    /// Tells whether an operator is somewhere below a call.
    fn calls_operator(&self, row: usize) -> bool {
        let mut open: Vec<u32> = self.graph.forest().children(row).to_vec();
        while let Some(below) = open.pop() {
            match self.rows.kind(below as usize) {
                EventKind::Operator => return true,
                EventKind::Kernel | EventKind::Memory => {}
                _ => open.extend(self.graph.forest().children(below as usize)),
            }
        }
        false
    }

    fn is_communication(&self, row: usize) -> bool {
        self.communication[row]
    }

    fn visit(&mut self, step: Walk) {
        match step {
            Walk::Enter(_) if self.inside.is_some() => {}
            Walk::Enter(row) if self.graph.is_launched(self.rows, row) => {
                let ns = self.graph.kernels(row).ns;
                let is_communication = self.is_communication(row);
                match self.open.last() {
                    _ if is_communication => self.found.communication += ns,
                    None => self.found.without_operator += ns,
                    Some((_, NoModel::NoShapes)) => self.found.without_shapes += ns,
                    Some(&(operator, reason)) => {
                        *self.without.entry((self.rows.name(operator), in_words(reason))).or_default() += ns;
                    }
                }
            }
            Walk::Enter(row) if self.rows.kind(row) == EventKind::Operator => match self.counted(row) {
                Counted::Work(number) => {
                    let times = &mut self.found.counted[number as usize].1;
                    times.calls += 1;
                    let ns = self.graph.kernels(row).ns;
                    times.gpu = times.gpu.saturating_add(ns);
                    if self.trees.is_borrowed(row) {
                        times.borrowed = times.borrowed.saturating_add(ns);
                    }
                    times.host = times.host.saturating_add(self.rows.dur(row).max(0));
                    self.found.rows.push((row as u32, number));
                    self.inside = Some(row);
                }
                Counted::Not(reason) => self.open.push((row, reason)),
            },
            Walk::Enter(_) => {}
            Walk::Leave(row) => {
                if self.inside == Some(row) {
                    self.inside = None;
                }
                self.open.pop_if(|(open, _)| *open == row);
            }
        }
    }
}

impl CountedWork {
    /// Counts the work of the rows of a view, whose call trees are `trees`: on each path that of the outermost operator with a model.
    ///
    /// # Errors
    /// If events cannot be read any more.
    pub(in crate::analysis) fn of(rank: &RankView, trees: &CallTrees) -> Result<Self> {
        let (rows, graph) = (trees.rows(), trees.graph());
        let inputs = Inputs::of(rank, trees)?;
        let found = Self { has_values: inputs.are_read, ..Self::default() };
        let (known, open, without) = (HashMap::default(), Vec::new(), BTreeMap::new());
        let mut communication = vec![false; rows.len()];
        for event in rank.communication() {
            communication[event.row as usize] = true;
        }
        rows.kinds();
        let (inputs, steps) = (&inputs, &Annotated::steps(rows));
        let is_composite = rows.per_text(is_composite);
        let mut counting = Counting {
            is_composite,
            trees,
            rows,
            graph,
            inputs,
            steps,
            known,
            found,
            inside: None,
            open,
            without,
            communication,
        };
        graph.forest().walk(|row| row, |step| counting.visit(step));
        let Counting { mut found, without, .. } = counting;
        for ((name, reason), ns) in without {
            *found.without_model.entry(format!("{}{reason}", rows.text(name))).or_default() += ns;
        }
        found.gpu = rank.gpu_work_ns();
        let attributed: i64 = found.counted.iter().map(|(_, times)| times.gpu).sum::<i64>()
            + found.without_model.values().sum::<i64>()
            + found.without_shapes
            + found.communication
            + found.without_operator;
        // Kernels whose launch is not in the view are in no tree.
        found.without_operator += (found.gpu - attributed).max(0);
        Ok(found)
    }

    /// Returns the rows of the operators with work, each with the number of its call in `counted`. Where the GPU works, those that
    /// launched nothing do not count.
    pub(in crate::analysis) fn operators(&self) -> impl Iterator<Item = (usize, usize)> {
        let rows = self.rows.iter().map(|&(row, number)| (row as usize, number as usize));
        rows.filter(|&(_, number)| self.gpu == 0 || self.counted[number].1.gpu > 0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use crate::analysis::TraceAnalysis;
    use crate::analysis::tests::views;
    use trace_testkit::{Stream, TraceBuilder};

    const SHAPES: &str = r#"[[64, 32], [32, 16]]"#;
    const TYPES: &str = r#"["float", "float"]"#;

    /// ```text
    /// linear(matmul(mm)) with a gemm of 30 µs | foreign with a kernel of 20 µs | mm without shapes, 10 µs | a graph's kernel, 5 µs
    /// ```
    fn builder() -> TraceBuilder {
        let call = |trace: TraceBuilder, at: i64, us: i64| {
            trace
                .runtime("cudaLaunchKernel", at, at + 6..at + 8)
                .kernel("kernel", Stream(7), at + 10..at + 10 + us)
                .correlation(at)
        };
        let shapes = |trace: TraceBuilder| trace.arg("Input Dims", SHAPES).arg("Input type", TYPES);
        let trace = shapes(TraceBuilder::new().operator("aten::linear", 0..20));
        let trace = shapes(shapes(trace.operator("aten::matmul", 1..19)).operator("aten::mm", 2..18));
        let trace = call(trace, 3, 30);
        let trace = call(trace.operator("foreign", 100..120), 101, 20);
        let trace = call(trace.operator("aten::mm", 200..220), 201, 10);
        trace.kernel("of a graph", Stream(7), 300..305)
    }

    #[test]
    fn work_is_counted_once_and_all_gpu_time_has_a_row() {
        let set = TraceSet::from_bytes(builder().json()).unwrap();
        let view = &views(&TraceAnalysis::new(&set).unwrap())[0];
        let found = CountedWork::of(view, &CallTrees::of(view).unwrap()).unwrap();
        let [(call, times)] = &found.counted[..] else { panic!("{found:?}") };
        assert_eq!((call.name.as_str(), call.shapes.as_str()), ("aten::mm", "64×32, 32×16"));
        assert_eq!((call.work.flops, call.work.bytes), (2 * 64 * 32 * 16, 4 * (64 * 32 + 32 * 16 + 64 * 16)));
        assert_eq!(*times, CallTimes { calls: 1, gpu: 30_000, host: 16_000, borrowed: 0 });
        assert_eq!(found.without_model, BTreeMap::from([("foreign".to_owned(), 20_000)]));
        assert_eq!(call.types, "fp32");
        assert_eq!((found.without_shapes, found.without_operator, found.gpu), (10_000, 5_000, 65_000));
    }
    #[test]
    fn attention_of_a_server_is_counted_by_its_batch() {
        // 2 requests that generate a token each, of 100 and of 300 keys; then a step whose annotation has no sums.
        let detailed = "execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk400sqsq2sqsk400)";
        let attention = |trace: TraceBuilder, name: &str, at: i64| {
            trace
                .annotation(name, at..at + 90)
                .operator("vllm::unified_attention", at + 1..at + 30)
                .arg("Input Dims", "[[2, 4, 8], [2, 2, 8], [2, 2, 8]]")
                .arg("Input type", r#"["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"]"#)
                .runtime("cudaLaunchKernel", at + 2, at + 2..at + 4)
                .kernel("attention", Stream(7), at + 40..at + 60)
                .correlation(at + 2)
        };
        let trace = attention(TraceBuilder::new(), detailed, 0);
        let trace = attention(trace, "execute_context_0(0)_generation_2(2)", 100);
        // An annotation around that of the server, without sums, is completed by it.
        let trace = trace.annotation("execute_context_0(0)_generation_2(2)", 200..295);
        let trace = attention(trace, detailed, 201);
        let set = TraceSet::from_bytes(trace.json()).unwrap();
        let view = &views(&TraceAnalysis::new(&set).unwrap())[0];
        let found = CountedWork::of(view, &CallTrees::of(view).unwrap()).unwrap();
        let [(call, times)] = &found.counted[..] else { panic!("{found:?}") };
        // 4 heads, 400 pairs of query and key, products with keys and with values of width 8.
        assert_eq!((call.work.flops, times.calls, times.gpu), (2 * 4 * 400 * (8 + 8), 2, 40_000));
        // Queries and results of 4 heads, new keys and values of 2, and those of the 398 tokens in the cache.
        assert_eq!(call.work.bytes, 2 * (2 * 4 * 16 + 2 * 2 * 16 + 398 * 2 * 16));
        let [(name, ns)] = &found.without_model.iter().collect::<Vec<_>>()[..] else { panic!("{found:?}") };
        assert!(name.starts_with("vllm::unified_attention, whose batch is not known") && **ns == 20_000, "{name}");
    }
}
