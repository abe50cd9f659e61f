//! The loaded traces by label, and what magics bound.

use super::{Cells, View};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::TraceSet;

/// What a notebook holds.
#[derive(Default)]
pub struct Session {
    traces: BTreeMap<String, Arc<TraceSet>>,
    /// Where each trace came from, as the person wrote it.
    paths: BTreeMap<String, PathBuf>,
    /// The columns of bound frames, by variable; the frames themselves lie with the cells.
    frames: BTreeMap<String, Vec<String>>,
}

impl Session {
    /// The loaded traces, by label.
    pub fn traces(&self) -> &BTreeMap<String, Arc<TraceSet>> {
        &self.traces
    }

    /// The trace loaded under `label`.
    pub fn trace(&self, label: &str) -> Option<&Arc<TraceSet>> {
        self.traces.get(label)
    }

    /// Where the trace under `label` came from.
    pub fn path(&self, label: &str) -> Option<&Path> {
        self.paths.get(label).map(PathBuf::as_path)
    }

    /// Keeps a trace under its label; an older one of that label is let go.
    pub fn insert(&mut self, trace: Arc<TraceSet>, path: PathBuf) {
        let label = trace.label().to_owned();
        self.frames.remove(&label);
        self.paths.insert(label.clone(), path);
        self.traces.insert(label, trace);
    }

    /// Keeps `same` in place of each trace that is still loaded: the same events, elsewhere in memory.
    pub fn replace(&mut self, traces: Vec<(Arc<TraceSet>, Arc<TraceSet>)>) {
        if traces.is_empty() {
            return;
        }
        for (trace, same) in traces {
            if let Some(kept) = self.traces.get_mut(trace.label()).filter(|kept| Arc::ptr_eq(kept, &trace)) {
                *kept = same;
            }
        }
        super::memory::give_back();
    }

    /// Lets a trace go.
    pub fn remove(&mut self, label: &str) -> Option<Arc<TraceSet>> {
        self.paths.remove(label);
        self.traces.remove(label)
    }

    /// Notes that the variable `name` now is a frame with these columns.
    pub fn bound(&mut self, name: &str, columns: Vec<String>) {
        self.frames.insert(name.to_owned(), columns);
    }

    /// Notes that the variable `name` now is no frame.
    pub fn bound_other(&mut self, name: &str) {
        self.frames.remove(name);
    }

    /// A snapshot for completion and inspection.
    pub fn view(&self, cells: &dyn Cells) -> View {
        let variables = cells.variables();
        let known = |name: &str| variables.iter().any(|variable| variable.name == name);
        let columns = self
            .frames
            .iter()
            .filter(|(name, _)| known(name))
            .map(|(name, columns)| (name.clone(), columns.clone()))
            .collect();
        View { labels: self.traces.keys().cloned().collect(), columns, variables }
    }
}
