//! PyTorch's execution trace of a rank: what its operators took and returned, as columns of the events.

use super::trace::Trace;
use super::trace_set::TraceSet;
use crate::domain::EventKind;
use crate::error::{BesideError, ExecutionTraceReason};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::{ET_COLUMNS, EXTERNAL_ID};
use crate::frame::{Categories, IntColumn, categorical};
use crate::read::{AnomalyCounts, compact, read_text};
use crate::{Compat, Rank, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::{Column, DataFrame, IntoColumn, NamedFrom, NewChunkedArray, Series, UInt32Chunked};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// An execution trace (`torch.profiler.ExecutionTraceObserver`), as MLCommons Chakra reads it: a node for each operator.
#[derive(Debug, Clone)]
pub struct ExecutionTrace {
    schema: String,
    nodes: Vec<Node>,
}

/// How many events of a rank have a node of its execution trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchedNodes {
    /// The rank.
    pub rank: i64,
    /// Its operators and annotations.
    pub events: usize,
    /// Those with a node.
    pub matched: usize,
    /// Nodes of the execution trace that could belong to an event.
    pub nodes: usize,
}

/// A node: texts of lists are JSON on one line, empty if they are not recorded.
#[derive(Debug, Clone, Default)]
struct Node {
    id: i64,
    /// The number that an event has as its external id.
    rf_id: Option<i64>,
    /// Schema, shapes and types of inputs and outputs, name: in the order of [`ET_COLUMNS`] without the node.
    texts: [String; 6],
}

/// Begin of the schemas that are known; those of 1.0.1 are flat, later ones nested.
const SCHEMAS: [&str; 6] = ["1.0.1", "1.0.2-chakra", "1.0.3-chakra", "1.0.4-chakra", "1.1.0-chakra", "1.1.1-chakra"];

/// Nodes of the process and of threads, whose numbers belong to no event.
const ROOTS: [&str; 2] = ["[pytorch|profiler|execution_trace|process]", "[pytorch|profiler|execution_trace|thread]"];

/// A node as the file has it, of any schema.
#[derive(Deserialize)]
struct FileNode {
    id: i64,
    #[serde(default)]
    name: String,
    /// Of nested schemas with shapes and types, of the flat one beside them.
    #[serde(default)]
    inputs: Value,
    #[serde(default)]
    outputs: Value,
    input_shapes: Option<Value>,
    input_types: Option<Value>,
    output_shapes: Option<Value>,
    output_types: Option<Value>,
    rf_id: Option<i64>,
    op_schema: Option<String>,
    #[serde(default)]
    attrs: Vec<Attribute>,
}

/// An entry of the attributes of a nested node.
#[derive(Deserialize)]
struct Attribute {
    name: String,
    #[serde(default)]
    value: Value,
}

/// The file.
#[derive(Deserialize)]
struct File {
    schema: String,
    nodes: Vec<FileNode>,
}

impl ExecutionTrace {
    /// Reads an execution trace: JSON, also gzip or zstd.
    ///
    /// # Errors
    /// If the file cannot be read, is not an execution trace, or is of an unknown schema.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::of(&read_text(path)?)
            .map_err(|reason| BesideError::ExecutionTrace { path: path.to_owned(), reason }.into())
    }

    /// Reads the text of a file.
    fn of(text: &str) -> std::result::Result<Self, ExecutionTraceReason> {
        let file: File =
            serde_json::from_str(text).map_err(|error| ExecutionTraceReason::Malformed(error.to_string()))?;
        if !SCHEMAS.iter().any(|known| file.schema.starts_with(known)) {
            return Err(ExecutionTraceReason::Schema { found: file.schema, known: SCHEMAS.join(", ") });
        }
        let is_flat = file.schema == SCHEMAS[0];
        let nodes = file.nodes.into_iter().map(|node| node.read(is_flat)).collect();
        Ok(Self { schema: file.schema, nodes })
    }

    /// Returns the schema: `1.1.1-chakra.0.0.4`.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
}

impl FileNode {
    fn read(self, is_flat: bool) -> Node {
        let attribute = |name: &str| Some(&self.attrs.iter().find(|attribute| attribute.name == name)?.value);
        let (rf_id, op_schema) = match is_flat {
            true => (self.rf_id, self.op_schema.as_deref()),
            false => (attribute("rf_id").and_then(Value::as_i64), attribute("op_schema").and_then(Value::as_str)),
        };
        let [input_shapes, input_types, output_shapes, output_types] = self.lists(is_flat).map(line);
        let rf_id = rf_id.filter(|_| !ROOTS.contains(&self.name.as_str()));
        let op_schema = op_schema.unwrap_or_default().to_owned();
        let texts = [op_schema, input_shapes, input_types, output_shapes, output_types, self.name];
        Node { id: self.id, rf_id, texts }
    }

    /// Returns shapes and types of inputs, and those of outputs.
    fn lists(&self, is_flat: bool) -> [Option<&Value>; 4] {
        let Self { inputs, outputs, input_shapes, input_types, output_shapes, output_types, .. } = self;
        if is_flat {
            return [input_shapes, input_types, output_shapes, output_types].map(Option::as_ref);
        }
        [inputs.get("shapes"), inputs.get("types"), outputs.get("shapes"), outputs.get("types")]
    }
}

/// Returns a value as JSON on one line, as columns of lists have it; empty if it was not recorded.
fn line(value: Option<&Value>) -> String {
    value.map(|value| compact(value.to_string().as_bytes(), &mut AnomalyCounts::default())).unwrap_or_default()
}

impl TraceSet {
    /// Returns the trace with the columns of an execution trace on one rank, in memory, and how many of its events have a node: each
    /// operator and annotation has the node whose `rf_id` is its external id, of several the last.
    ///
    /// # Columns
    /// `et_node`, `op_schema`, `input_shapes`, `input_types`, `output_shapes`, `output_types`, `et_node_name`; null without a node.
    ///
    /// # Errors
    /// If the rank does not exist, was loaded without external ids, or its events cannot be read any more.
    ///
    /// # Source
    /// HTA `correlate_execution_trace`, `add_et_column`. HTA refuses execution traces whose numbers do not lie within those of the events.
    pub fn with_execution_trace(
        &self,
        rank: impl Into<Rank>,
        execution: &ExecutionTrace,
    ) -> Result<(Self, MatchedNodes)> {
        let rank = self.rank(rank)?;
        let (events, matched) = correlated(&rank, execution)?;
        let with =
            |trace: &Trace| if trace.rank() == rank.rank() { rank.with_events(events.clone()) } else { trace.clone() };
        let traces = self.traces().iter().map(with).collect();
        Ok((self.with_ranks(traces)?, matched))
    }
}

/// Returns the events with the columns of the nodes.
fn correlated(trace: &Trace, execution: &ExecutionTrace) -> Result<(DataFrame, MatchedNodes)> {
    let mut events = trace.frame()?;
    if events.column(EXTERNAL_ID).is_err() {
        return Err(BesideError::NoExternalIds { rank: trace.rank() }.into());
    }
    let (rows, ids) = (trace.rank_events(&events, Compat::Exact)?, IntColumn::of(&events, EXTERNAL_ID)?);
    let kinds = rows.kinds();
    let of_nodes = execution.nodes.iter().enumerate().filter_map(|(at, node)| Some((node.rf_id?, at as u32)));
    // Of repeated numbers the last counts, as in HTA.
    let by_id: HashMap<i64, u32, FixedState> = of_nodes.collect();
    let (mut counted, mut matched) = (0, 0);
    let nodes: Vec<Option<u32>> = cancellable(0..rows.len())
        .map(|row| {
            if !matches!(kinds[row], EventKind::Operator | EventKind::Annotation) {
                return None;
            }
            counted += 1;
            let node = by_id.get(&ids.get(row)?).copied();
            matched += usize::from(node.is_some());
            node
        })
        .collect();
    let ids: Vec<Option<i64>> = nodes.iter().map(|node| node.map(|at| execution.nodes[at as usize].id)).collect();
    events.with_column(Series::new(ET_COLUMNS[0].name.into(), ids).into_column())?;
    for (at, column) in ET_COLUMNS[1..].iter().enumerate() {
        events.with_column(texts(column.name, execution, at, &nodes)?)?;
    }
    let matched = MatchedNodes { rank: trace.rank(), events: counted, matched, nodes: by_id.len() };
    Ok((events, matched))
}

/// Returns a column of one of the texts of nodes.
fn texts(name: &'static str, execution: &ExecutionTrace, at: usize, nodes: &[Option<u32>]) -> Result<Column> {
    let categories = Categories::shared();
    let codes = categories.codes(execution.nodes.iter().map(|node| node.texts[at].as_str()))?;
    let of_rows = nodes.iter().map(|node| node.map(|node| codes[node as usize]));
    let codes = UInt32Chunked::from_iter_options(name.into(), of_rows);
    Ok(categorical(codes, &categories).with_name(name.into()).into_column())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use polars::prelude::DataType;
    use trace_testkit::{Stream, TraceBuilder};

    const FLAT: &str = r#"{"schema": "1.0.1", "pid": 1, "nodes": [
        {"name": "[pytorch|profiler|execution_trace|thread]", "id": 2, "rf_id": 7, "parent": 1},
        {"name": "aten::mm", "id": 4, "rf_id": 7, "op_schema": "aten::mm(Tensor self, Tensor mat2) -> Tensor", "inputs": [],
         "input_shapes": [[2, 3], [3, 4]], "input_types": ["Tensor(float)", "Tensor(float)"],
         "output_shapes": [[2, 4]], "output_types": ["Tensor(float)"]}]}"#;

    /// The node of `FLAT` as the nested schemas write it.
    fn nested(schema: &str) -> String {
        format!(
            r#"{{"schema": "{schema}", "pid": 1, "nodes": [
            {{"id": 4, "name": "aten::mm", "ctrl_deps": 1, "inputs": {{"values": [], "shapes": [[2, 3], [3, 4]],
             "types": ["Tensor(float)", "Tensor(float)"], "strides": [[3, 1], [4, 1]]}},
             "outputs": {{"values": [], "shapes": [[2, 4]], "types": ["Tensor(float)"]}},
             "attrs": [{{"name": "rf_id", "type": "uint64", "value": 7}},
              {{"name": "op_schema", "type": "string", "value": "aten::mm(Tensor self, Tensor mat2) -> Tensor"}}]}}]}}"#
        )
    }

    fn trace() -> TraceSet {
        let trace = TraceBuilder::new()
            .operator("aten::mm", 0..5)
            .arg("External id", "7")
            .operator("aten::relu", 6..8)
            .arg("External id", "8")
            .kernel("gemm", Stream(7), 10..20)
            .arg("External id", "7");
        TraceSet::from_bytes(trace.json()).unwrap()
    }

    #[test]
    fn nodes_of_all_schemas_become_the_same_columns() {
        let nested: Vec<String> = [
            "1.0.2-chakra.0.0.4",
            "1.0.3-chakra.0.0.4",
            "1.0.4-chakra.0.0.4",
            "1.1.0-chakra.0.0.4",
            "1.1.1-chakra.0.0.4",
        ]
        .map(nested)
        .into();
        for text in std::iter::once(FLAT).chain(nested.iter().map(String::as_str)) {
            let execution = ExecutionTrace::of(text).unwrap();
            let (with, matched) = trace().with_execution_trace(0, &execution).unwrap();
            assert_eq!(matched, MatchedNodes { rank: 0, events: 2, matched: 1, nodes: 1 });
            let events = with.traces()[0].events();
            let of = |name: &str| {
                let column = events.column(name).unwrap().cast(&DataType::String).unwrap();
                column.str().unwrap().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
            };
            let mm = |text: &str| vec![Some(text.to_owned()), None, None];
            assert_eq!(of("et_node"), mm("4"));
            assert_eq!(of("et_node_name"), mm("aten::mm"));
            assert_eq!(of("op_schema"), mm("aten::mm(Tensor self, Tensor mat2) -> Tensor"));
            assert_eq!(of("input_shapes"), mm("[[2, 3], [3, 4]]"));
            assert_eq!(of("output_types"), mm(r#"["Tensor(float)"]"#));
            assert_eq!(events.column("stream").unwrap().null_count(), 2, "all other columns stay");
        }
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        let unknown = ExecutionTrace::of(&nested("2.0.0")).unwrap_err().to_string();
        assert!(unknown.contains("2.0.0") && unknown.contains("1.0.1"), "{unknown}");
        assert!(ExecutionTrace::of(r#"{"traceEvents": []}"#).is_err());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("et.json");
        std::fs::write(&path, "[]").unwrap();
        let error = ExecutionTrace::load(&path).unwrap_err().to_string();
        assert!(error.contains("et.json") && error.contains("execution trace"), "{error}");
        let without = TraceSet::from_bytes(TraceBuilder::new().operator("a", 0..5).json()).unwrap();
        let error = without.with_execution_trace(0, &ExecutionTrace::of(FLAT).unwrap()).unwrap_err().to_string();
        assert!(error.contains("external ids"), "{error}");
    }
}
