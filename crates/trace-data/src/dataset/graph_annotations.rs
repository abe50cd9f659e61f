//! Annotations of the nodes of graphs, as PyTorch records them at capture (`torch.cuda.graph(…, enable_annotations=True)`): names of kernels
//! that share the launch of their graph.
//!
//! They are in the trace itself (`export_chrome_trace(…, cuda_graph_annotations=…)`), or in files in the folder of the trace or the one
//! above: `kernel_annotations_rank0_*.json`, an object with a list of annotations for each node. They become a companion: a recording in
//! which each node was launched by itself, inside an operator for each of its names.

use super::trace::Trace;
use super::trace_set::TraceSet;
use crate::Result;
use crate::domain::EventKind;
use crate::error::BesideError;
use crate::exec::checkpoint;
use crate::frame::columns::{ARG_NAME, GRAPH_NODE_ID};
use crate::frame::{IntColumn, TextColumn};
use crate::read::{ANNOTATIONS, read_text};
use polars::prelude::PlSmallStr;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Key of an annotation that has the name; of a collective.
const NAMES: [&str; 2] = ["name", "Collective name"];
/// Key of the recording with the file that its annotations belong to.
const ANNOTATES: &str = "tracebook_annotates";

/// Names of the nodes of a rank, the outermost first.
type Nodes = BTreeMap<i64, Vec<String>>;

/// What was found for a trace.
#[derive(Debug, Default)]
pub struct GraphAnnotations {
    /// A companion for this trace alone, called `NAME_annotations`; `None` without annotations.
    pub companion: Option<TraceSet>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// Nodes with names, of all ranks.
    pub nodes: usize,
    /// Files that could not be read, as sentences.
    pub problems: Vec<String>,
}

impl GraphAnnotations {
    /// Reads the annotations in the trace and in the files beside it.
    ///
    /// # Errors
    /// If events cannot be read. A file that cannot be read is one of the problems.
    pub fn of(traces: &TraceSet) -> Result<Self> {
        let (mut found, mut ranks) = (Self::default(), Vec::new());
        let mut listed: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for trace in traces.traces().iter().filter(|trace| trace.elsewhere().is_none()) {
            checkpoint::check()?;
            if !trace.columns().iter().any(|(name, _)| name == GRAPH_NODE_ID) {
                continue;
            }
            let mut nodes = inline(trace)?;
            for file in found.beside(trace, &mut listed) {
                match of_file(&file) {
                    Ok(more) => {
                        more.into_iter().for_each(|(node, names)| _ = nodes.entry(node).or_insert(names));
                        found.files.push(file);
                    }
                    Err(error) => found.problems.push(error.to_string()),
                }
            }
            if !nodes.is_empty() {
                found.nodes += nodes.len();
                ranks.extend(TraceSet::from_bytes(recording(trace, &nodes))?.traces().iter().cloned());
            }
        }
        if !ranks.is_empty() {
            let label = format!("{}_annotations", traces.label());
            found.companion = Some(TraceSet::of(&label, traces.compat(), ranks, Vec::new()));
        }
        Ok(found)
    }

    /// Tells whether a trace is such a companion.
    pub fn are(traces: &TraceSet) -> bool {
        traces.traces().first().is_some_and(|trace| trace.annotated_file().is_some())
    }

    /// Returns the files with annotations of a rank, in its folder and in the one above, by name.
    fn beside(&mut self, trace: &Trace, listed: &mut BTreeMap<PathBuf, Vec<String>>) -> Vec<PathBuf> {
        let file = Path::new(&trace.info().file);
        let prefix = format!("{ANNOTATIONS}{}", trace.rank());
        let mut found = Vec::new();
        for folder in file.ancestors().skip(1).take(2).filter(|_| trace.info().source.is_some()) {
            let names = listed.entry(folder.to_owned()).or_insert_with(|| names_in(folder));
            let of_rank = names.iter().filter(|name| name.strip_prefix(&prefix).is_some_and(ends_number));
            for name in of_rank {
                let path = folder.join(name);
                if name.ends_with(".pkl") {
                    self.problems.push(BesideError::PickledAnnotations { path }.to_string());
                } else if [".json", ".json.gz"].iter().any(|ending| name.ends_with(ending)) {
                    found.push(path);
                }
            }
        }
        found
    }
}

impl Trace {
    /// Returns the file whose nodes of graphs this rank of a companion names, as [`GraphAnnotations`] made it; `None` for a recording.
    pub fn annotated_file(&self) -> Option<&str> {
        self.info().metadata.get(ANNOTATES)?.as_str()
    }
}

/// Tells whether the name of a file goes on behind the number of a rank: rank 1 is not rank 10.
fn ends_number(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the names of the files with annotations in a folder, sorted; none if it cannot be listed.
fn names_in(folder: &Path) -> Vec<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(ANNOTATIONS)).collect();
    names.sort();
    names
}

/// Returns the annotations in the trace itself.
fn inline(trace: &Trace) -> Result<Nodes> {
    let mut nodes = Nodes::new();
    let events = trace.frame_of(&[GRAPH_NODE_ID, ARG_NAME].map(PlSmallStr::from_static))?;
    // Without names there is no such column, or one of numbers.
    let Ok(names) = TextColumn::of(&events, ARG_NAME) else { return Ok(nodes) };
    let ids = IntColumn::of(&events, GRAPH_NODE_ID)?;
    for row in 0..events.height() {
        if let (Some(node), Some(code)) = (ids.get(row).filter(|&node| node != 0), names.code(row)) {
            nodes.entry(node).or_insert_with(|| vec![names.text(Some(code)).to_owned()]);
        }
    }
    Ok(nodes)
}

/// Reads a file.
fn of_file(path: &Path) -> Result<Nodes> {
    let malformed = |reason: String| BesideError::GraphAnnotations { path: path.to_owned(), reason };
    let file: Map<String, Value> =
        serde_json::from_str(&read_text(path)?).map_err(|error| malformed(error.to_string()))?;
    let mut nodes = Nodes::new();
    for (key, annotations) in &file {
        let node = key.parse().map_err(|_| malformed(format!("{key:?} is not the number of a node")))?;
        let names = match annotations {
            Value::Array(nested) => nested.iter().filter_map(name).collect(),
            one => name(one).into_iter().collect::<Vec<_>>(),
        };
        if !names.is_empty() {
            nodes.insert(node, names);
        }
    }
    Ok(nodes)
}

/// Returns the name in an annotation.
fn name(annotation: &Value) -> Option<String> {
    let found = annotation.as_str().or_else(|| NAMES.iter().find_map(|key| annotation.get(key)?.as_str()));
    found.filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Returns a recording in which each node was launched by itself. Nodes in a row with the same names, of one graph, have one call.
fn recording(trace: &Trace, nodes: &Nodes) -> String {
    let mut events: Vec<Value> = Vec::new();
    let (mut ts, mut correlation) = (0_i64, 0_i64);
    let nodes: Vec<(&i64, &Vec<String>)> = nodes.iter().collect();
    for calls in nodes.chunk_by(|one, other| one.1 == other.1 && one.0 >> 32 == other.0 >> 32) {
        let Some(&(_, names)) = calls.first() else { continue };
        let (depth, launches) = (names.len() as i64, calls.len() as i64);
        for (level, name) in (0..).zip(names) {
            let dur = 2 * (depth + launches) - 2 * level;
            events.push(
                json!({"ph": "X", "cat": EventKind::OPERATOR, "name": name, "pid": 1, "tid": 1, "ts": ts + level, "dur": dur}),
            );
        }
        for (at, (node, _)) in (0..).zip(calls) {
            let at = ts + depth + 2 * at;
            correlation += 1;
            events.push(json!({"ph": "X", "cat": EventKind::RUNTIME, "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at, "dur": 1,
                "args": {"correlation": correlation}}));
            events.push(
                json!({"ph": "X", "cat": EventKind::KERNEL, "name": "node of a graph", "pid": 0, "tid": 7, "ts": at, "dur": 1,
                "args": {"stream": 7, "correlation": correlation, "graph node id": node}}),
            );
        }
        ts += 2 * (depth + launches) + 1;
    }
    let rank = trace.rank();
    json!({"distributedInfo": {"rank": rank}, ANNOTATES: trace.info().file, "traceEvents": events}).to_string()
}
