//! Snapshots of the notebook for completion and inspection, which answer while a cell runs.

use super::{Groups, Items, Variable};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};
use trace_core::TraceSet;
use trace_core::analysis::FrequentCudaKernelSequences;
use trace_view::FrameSchema;

/// A snapshot of the notebook.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Labels of the loaded traces and of groups of runs.
    pub labels: Vec<String>,
    /// The loaded traces, in the order of their labels.
    pub traces: Vec<Arc<TraceView>>,
    /// The labels of several runs.
    pub groups: Groups,
    /// Rust variables, bound ones included.
    pub variables: Vec<Variable>,
    /// The columns of data frames, bound by magics or made by cells, by variable.
    pub frames: BTreeMap<String, Arc<FrameSchema>>,
    /// The columns of the events of each loaded trace, by label.
    pub events: BTreeMap<String, Arc<FrameSchema>>,
    /// The items that cells define.
    pub items: Arc<Items>,
    /// The names of the saved statements of SQL.
    pub statements: Vec<String>,
}

impl View {
    /// Returns the trace under `label`; of a group of runs the first.
    pub fn trace(&self, label: &str) -> Option<&TraceView> {
        let label = self.groups.runs(label).and_then(<[String]>::first).map_or(label, String::as_str);
        self.traces.iter().find(|trace| trace.label == label).map(Arc::as_ref)
    }
}

/// The facts about a loaded trace that completion offers.
#[derive(Debug)]
pub struct TraceView {
    /// Its label.
    pub label: String,
    /// Its ranks, ascending.
    pub ranks: Vec<i64>,
    /// Its iterations, ascending.
    pub iterations: Vec<i64>,
    /// The streams of its ranks, ascending.
    pub streams: Vec<i64>,
    /// Weak, so that a snapshot does not keep a dropped or replaced trace in memory.
    trace: Weak<TraceSet>,
    operators: OnceLock<Vec<String>>,
    names: OnceLock<Vec<String>>,
}

/// The most names of operators that completion offers.
const MOST_OPERATORS: usize = 40;
/// The most names of events that completion offers.
const MOST_NAMES: usize = 500;

impl TraceView {
    /// Collects the facts about a trace.
    pub(super) fn of(trace: &Arc<TraceSet>) -> Self {
        let mut streams: Vec<i64> = trace.info().iter().flat_map(|info| info.streams.iter().copied()).collect();
        streams.sort_unstable();
        streams.dedup();
        Self {
            label: trace.label().to_owned(),
            ranks: trace.ranks(),
            iterations: trace.iterations(),
            streams,
            trace: Arc::downgrade(trace),
            operators: OnceLock::new(),
            names: OnceLock::new(),
        }
    }

    /// Tells whether this describes `trace` itself, not another trace with the same label.
    pub(super) fn is_of(&self, trace: &Arc<TraceSet>) -> bool {
        std::ptr::eq(self.trace.as_ptr(), Arc::as_ptr(trace))
    }

    /// Returns the names of operators that launch kernels; computed at the first call.
    pub fn operators(&self) -> &[String] {
        let find = || {
            let trace = self.trace.upgrade()?;
            FrequentCudaKernelSequences::operators(&trace, MOST_OPERATORS).ok()
        };
        self.operators.get_or_init(|| find().unwrap_or_default())
    }

    /// Returns the names of events, the most frequent first; computed at the first call.
    pub fn names(&self) -> &[String] {
        let find = || self.trace.upgrade()?.frequent_names(MOST_NAMES).ok();
        self.names.get_or_init(|| find().unwrap_or_default())
    }
}
