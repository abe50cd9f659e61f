//! A snapshot of the notebook for completion and inspection, which answer while a cell runs.

use super::{Items, Variable};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};
use trace::TraceSet;
use trace::analysis::FrequentCudaKernelSequences;
use trace_view::FrameSchema;

/// What completion and inspection know of the notebook.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Labels of the loaded traces.
    pub labels: Vec<String>,
    /// What is known of the loaded traces, in the order of the labels.
    pub traces: Vec<Arc<TraceView>>,
    /// Rust variables, bound ones included.
    pub variables: Vec<Variable>,
    /// The columns of data frames, by variable: of bound ones, and of those that cells made.
    pub frames: BTreeMap<String, Arc<FrameSchema>>,
    /// The columns of the events of each loaded trace, by label.
    pub events: BTreeMap<String, Arc<FrameSchema>>,
    /// What cells have defined.
    pub items: Arc<Items>,
}

impl View {
    /// What is known of the trace under `label`.
    pub fn trace(&self, label: &str) -> Option<&TraceView> {
        self.traces.iter().find(|trace| trace.label == label).map(Arc::as_ref)
    }
}

/// What completion knows of a loaded trace.
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
    /// Not held: a trace that is dropped is gone, and so is one whose columns now lie elsewhere.
    trace: Weak<TraceSet>,
    operators: OnceLock<Vec<String>>,
}

/// Names of operators that completion offers.
const MOST_OPERATORS: usize = 40;

impl TraceView {
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
        }
    }

    /// Whether this is a view of `trace` itself, not of one that had its label before.
    pub(super) fn is_of(&self, trace: &Arc<TraceSet>) -> bool {
        std::ptr::eq(self.trace.as_ptr(), Arc::as_ptr(trace))
    }

    /// Operators that launch kernels, by name; found at the first call.
    pub fn operators(&self) -> &[String] {
        let find = || {
            let trace = self.trace.upgrade()?;
            FrequentCudaKernelSequences::operators(&trace, MOST_OPERATORS).ok()
        };
        self.operators.get_or_init(|| find().unwrap_or_default())
    }
}
