//! The loaded traces, shared with threads that answer while a cell runs.

use super::Groups;
use crate::sync::lock;
use crate::{Failure, Problem};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use trace_core::TraceSet;

/// The number of a load. A label that is loaded again has another number; a trace whose columns move from memory to a file keeps its
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoadId(pub(super) u64);

/// A loaded trace.
#[derive(Clone)]
pub struct LoadedTrace {
    /// Which load it is of.
    pub id: LoadId,
    /// The trace.
    pub trace: Arc<TraceSet>,
}

/// The loaded traces and the groups of runs at one moment. Cheap to clone. While a snapshot exists, its traces stay in memory, also
/// after `%trace_drop`: keep a [`LoadId`] rather than a snapshot.
#[derive(Clone, Default)]
pub struct Snapshot(Arc<Contents>);

#[derive(Default)]
struct Contents {
    traces: BTreeMap<String, LoadedTrace>,
    groups: Groups,
}

impl Snapshot {
    pub(super) fn new(traces: BTreeMap<String, LoadedTrace>, groups: Groups) -> Self {
        Self(Arc::new(Contents { traces, groups }))
    }

    /// Returns the loaded traces by label, in the order of their labels.
    pub fn traces(&self) -> &BTreeMap<String, LoadedTrace> {
        &self.0.traces
    }

    /// Returns the labels of several runs.
    pub fn groups(&self) -> &Groups {
        &self.0.groups
    }

    /// Returns the trace under `label`; of a group of runs the first.
    ///
    /// # Errors
    /// `UsageError` if nothing has this label; its message lists the labels that there are.
    pub fn trace(&self, label: &str) -> Result<LoadedTrace, Failure> {
        self.runs(label)?.into_iter().next().ok_or_else(|| self.unknown(label))
    }

    /// Returns the runs of a label: those of a group, or the one trace. There is at least one.
    ///
    /// # Errors
    /// `UsageError` if nothing has this label; its message lists the labels that there are.
    pub fn runs(&self, label: &str) -> Result<Vec<LoadedTrace>, Failure> {
        let runs: Vec<LoadedTrace> = match self.0.groups.runs(label) {
            Some(runs) => runs.iter().filter_map(|run| self.0.traces.get(run)).cloned().collect(),
            None => self.0.traces.get(label).cloned().into_iter().collect(),
        };
        if runs.is_empty() { Err(self.unknown(label)) } else { Ok(runs) }
    }

    /// Whether the trace of this load is still loaded.
    pub fn contains(&self, id: LoadId) -> bool {
        self.0.traces.values().any(|loaded| loaded.id == id)
    }

    fn unknown(&self, label: &str) -> Failure {
        let labels: Vec<&str> = self.0.traces.keys().map(String::as_str).collect();
        let unknown = Problem::Unknown { what: "trace", name: label.to_owned(), expected: labels.join(", ") };
        Failure::new("UsageError", unknown.to_string()).with_hint("%trace_load PATH --as NAME loads a trace")
    }
}

/// The latest snapshot of a session, which replaces it at every change. Clones share it.
#[derive(Clone, Default)]
pub struct SharedSnapshot(Arc<Shared>);

#[derive(Default)]
struct Shared {
    latest: Mutex<Snapshot>,
    /// The condition of the events that are selected in a timeline.
    selection: Mutex<Option<String>>,
    watcher: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl SharedSnapshot {
    /// Returns the latest snapshot.
    pub fn latest(&self) -> Snapshot {
        lock(&self.0.latest).clone()
    }

    /// Keeps the condition of the events that are selected in a timeline: `--where sel` stands for it from now on.
    pub fn select(&self, condition: String) {
        *lock(&self.0.selection) = Some(condition);
    }

    /// Returns the condition of the events that were selected last.
    pub fn selection(&self) -> Option<String> {
        lock(&self.0.selection).clone()
    }

    /// Calls `changed` after every change, on the thread that makes it. Only the first watcher counts.
    pub fn watch(&self, changed: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.watcher.set(Box::new(changed));
    }

    pub(super) fn replace(&self, snapshot: Snapshot) {
        let former = std::mem::replace(&mut *lock(&self.0.latest), snapshot);
        drop(former);
        if let Some(changed) = self.0.watcher.get() {
            changed();
        }
    }
}
