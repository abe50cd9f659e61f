//! The loaded traces by label, and what magics bound.

use super::{Cells, TraceView, View};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::TraceSet;
use trace_view::FrameSchema;

/// Types of variables that have columns.
const FRAMES: &[&str] = &["DataFrame", "LazyFrame", "Column", "Series"];

/// What a notebook holds.
#[derive(Default)]
pub struct Session {
    traces: BTreeMap<String, Arc<TraceSet>>,
    /// Where each trace came from, as the person wrote it.
    paths: BTreeMap<String, PathBuf>,
    /// The columns of each trace's events, by label.
    events: BTreeMap<String, Arc<FrameSchema>>,
    /// The columns of bound frames, by variable; the frames themselves lie with the cells.
    frames: BTreeMap<String, Arc<FrameSchema>>,
    /// The folder that was current before `%cd`.
    previous: Option<PathBuf>,
    /// The folder that was current when each trace was loaded, by label.
    bases: BTreeMap<String, PathBuf>,
    /// What completion knows of the traces, as it was last asked for.
    views: std::cell::RefCell<Vec<Arc<TraceView>>>,
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

    /// Where the files of the trace under `label` lie: a relative path of them as it is seen from the current folder.
    pub fn file_of(&self, label: &str, file: &Path) -> PathBuf {
        match self.bases.get(label) {
            Some(base) if std::env::current_dir().ok().as_ref() != Some(base) => base.join(file),
            _ => file.to_owned(),
        }
    }

    /// The folder that was left last.
    pub fn previous_folder(&self) -> Option<&Path> {
        self.previous.as_deref()
    }

    /// Notes the folder that was left.
    pub fn left_folder(&mut self, folder: Option<PathBuf>) {
        self.previous = folder;
    }

    /// Keeps a trace under its label; an older one of that label is let go.
    pub fn insert(&mut self, trace: Arc<TraceSet>, path: PathBuf) {
        let label = trace.label().to_owned();
        self.frames.remove(&label);
        self.bases.extend(std::env::current_dir().ok().map(|folder| (label.clone(), folder)));
        self.events.insert(label.clone(), Arc::new(trace.events_schema()));
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
        self.bases.remove(label);
        self.events.remove(label);
        self.traces.remove(label)
    }

    /// Notes that the variable `name` now is a frame with these columns.
    pub fn bound(&mut self, name: &str, schema: FrameSchema) {
        self.frames.insert(name.to_owned(), Arc::new(schema));
    }

    /// Notes that the variable `name` now is no frame.
    pub fn bound_other(&mut self, name: &str) {
        self.frames.remove(name);
    }

    /// A snapshot for completion and inspection.
    pub fn view(&self, cells: &dyn Cells) -> View {
        let variables = cells.variables();
        // What cells report counts: a cell may have made another frame of a bound variable.
        let mut frames = cells.frames();
        for (name, schema) in &self.frames {
            frames.entry(name.clone()).or_insert_with(|| Arc::clone(schema));
        }
        let is_frame = |name: &str| {
            let of_name = variables.iter().find(|variable| variable.name == name);
            of_name.is_some_and(|variable| FRAMES.iter().any(|head| variable.type_name.ends_with(head)))
        };
        frames.retain(|name, _| is_frame(name));
        let (labels, events) = (self.traces.keys().cloned().collect(), self.events.clone());
        View { labels, traces: self.trace_views(), events, frames, items: cells.items(), variables }
    }

    /// Of each trace what completion knows; what was found of a trace that is still loaded is kept.
    fn trace_views(&self) -> Vec<Arc<TraceView>> {
        let mut views = self.views.borrow_mut();
        let view = |trace: &Arc<TraceSet>| {
            let known = views.iter().find(|view| view.is_of(trace)).cloned();
            known.unwrap_or_else(|| Arc::new(TraceView::of(trace)))
        };
        let now: Vec<Arc<TraceView>> = self.traces.values().map(view).collect();
        views.clone_from(&now);
        now
    }
}
