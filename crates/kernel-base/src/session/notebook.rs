//! The session of a notebook: loaded traces by label, and the columns of bound frames.

use super::{CacheSetting, Cells, Groups, LoadId, LoadedTrace, SharedSnapshot, Snapshot, TraceView, View};
use crate::cluster::Chosen;
use crate::session::shown_warnings::ShownWarnings;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_core::task::Engine;
use trace_core::{Cache, TraceSet};
use trace_view::{Folded, FrameSchema};

/// Types of variables that have columns.
const FRAMES: &[&str] = &["DataFrame", "LazyFrame", "Column", "Series"];

/// The state of a notebook.
#[derive(Default)]
pub struct Session {
    cache: CacheSetting,
    /// The engines that were chosen, so that equal choices are one.
    engines: Vec<(Chosen, Arc<dyn Engine>)>,
    /// Whether the user was told that the cache cannot be used.
    told_of_cache: bool,
    traces: BTreeMap<String, Arc<TraceSet>>,
    groups: Groups,
    /// The labels of the companions that each trace was loaded with.
    companions: BTreeMap<String, Vec<String>>,
    /// The path of each trace, as the user wrote it, by label.
    paths: BTreeMap<String, PathBuf>,
    /// The columns of each trace's events, by label.
    events: BTreeMap<String, Arc<FrameSchema>>,
    /// The columns of bound frames, by variable; `Cells` owns the frames themselves.
    frames: BTreeMap<String, Arc<FrameSchema>>,
    /// The statements of SQL that were saved, by name.
    statements: BTreeMap<String, String>,
    /// The folder that was current before `%cd`.
    previous: Option<PathBuf>,
    /// The folder that was current when each trace was loaded, by label.
    bases: BTreeMap<String, PathBuf>,
    /// The facts about the traces in the last snapshot.
    views: RefCell<Vec<Arc<TraceView>>>,
    /// The number of the last load of each label.
    loads: BTreeMap<String, LoadId>,
    /// How many traces were loaded so far.
    load_count: u64,
    /// The loaded traces for other threads.
    shared: SharedSnapshot,
    /// The warnings that magic lines showed.
    shown_warnings: RefCell<ShownWarnings>,
}

impl Session {
    /// Creates the session of a notebook whose loads use a cache.
    pub fn with_cache(cache: CacheSetting) -> Self {
        Self { cache, ..Self::default() }
    }

    /// Returns the cache of loaded traces; `None` if it is off.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn cache(&self) -> Result<Option<Cache>, String> {
        self.cache.get()
    }

    /// Returns the engine of a choice, if it was made before.
    pub fn engine(&self, chosen: &Chosen) -> Option<Arc<dyn Engine>> {
        self.engines.iter().find(|(other, _)| other == chosen).map(|(_, engine)| Arc::clone(engine))
    }

    /// Keeps the engine of a choice.
    pub fn keep_engine(&mut self, chosen: Chosen, engine: &Arc<dyn Engine>) {
        self.engines.push((chosen, Arc::clone(engine)));
    }

    /// Whether the user set anything about the cache.
    pub fn chose_cache(&self) -> bool {
        self.cache.is_chosen()
    }

    /// Whether to tell the user that the cache cannot be used: the first time.
    pub fn warns_of_cache(&mut self) -> bool {
        !std::mem::replace(&mut self.told_of_cache, true)
    }

    /// Sets the magic line whose outputs follow.
    pub fn begin_line(&self, line: String) {
        self.shown_warnings.borrow_mut().begin(line);
    }

    /// Returns what the current magic line shows of sentences: not those of a warning that another line showed since the last load.
    pub fn shown(&self, folded: &Folded) -> Option<Folded> {
        self.shown_warnings.borrow_mut().shown(folded)
    }

    /// Returns the loaded traces for other threads; they change with this session.
    pub fn shared(&self) -> SharedSnapshot {
        self.shared.clone()
    }

    /// Returns the loaded traces, by label.
    pub fn traces(&self) -> &BTreeMap<String, Arc<TraceSet>> {
        &self.traces
    }

    /// Returns the labels of several runs.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Returns the labels of traces and of groups of runs, sorted.
    pub fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = self.traces.keys().map(String::as_str).collect();
        labels.extend(self.groups.iter().map(|(group, _)| group));
        labels.sort_unstable();
        labels
    }

    /// Whether a trace or a group of runs has this label.
    pub fn is_label(&self, label: &str) -> bool {
        self.traces.contains_key(label) || self.groups.runs(label).is_some()
    }

    /// Returns the runs of a label: those of a group, or the one trace; none if nothing has this label.
    pub fn runs(&self, label: &str) -> Vec<Arc<TraceSet>> {
        match self.groups.runs(label) {
            Some(runs) => runs.iter().filter_map(|run| self.traces.get(run)).cloned().collect(),
            None => self.traces.get(label).cloned().into_iter().collect(),
        }
    }

    /// Returns the trace under `label`.
    pub fn trace(&self, label: &str) -> Option<&Arc<TraceSet>> {
        self.traces.get(label)
    }

    /// Returns the path of the trace under `label`, as the user wrote it.
    pub fn path(&self, label: &str) -> Option<&Path> {
        self.paths.get(label).map(PathBuf::as_path)
    }

    /// Returns the path of a file of the trace under `label`: a relative path is resolved against the folder that was current when
    /// the trace was loaded.
    pub fn file_of(&self, label: &str, file: &Path) -> PathBuf {
        match self.bases.get(label) {
            Some(base) if std::env::current_dir().ok().as_ref() != Some(base) => base.join(file),
            _ => file.to_owned(),
        }
    }

    /// Returns the folder that was current before `%cd`.
    pub fn previous_folder(&self) -> Option<&Path> {
        self.previous.as_deref()
    }

    /// Sets the folder that was current before `%cd`.
    pub fn set_previous_folder(&mut self, folder: Option<PathBuf>) {
        self.previous = folder;
    }

    /// Makes a label a group of these loaded runs. Neither a trace nor another group has this label.
    pub fn insert_group(&mut self, group: &str, runs: Vec<String>) {
        self.frames.remove(group);
        self.groups.insert(group.to_owned(), runs);
        self.share();
    }

    /// Sets the companions that lend to a trace, by label, until the trace is replaced or dropped.
    pub fn set_companions(&mut self, label: &str, companions: Vec<String>) {
        self.companions.insert(label.to_owned(), companions);
    }

    /// Returns the companions that a trace was loaded with, as far as they are still loaded.
    pub fn companions(&self, label: &str) -> impl Iterator<Item = &Arc<TraceSet>> {
        self.companions.get(label).into_iter().flatten().filter_map(|companion| self.traces.get(companion))
    }

    /// Adds a trace under its label and drops an older trace of that label.
    pub fn insert(&mut self, trace: Arc<TraceSet>, path: PathBuf) {
        self.shown_warnings.get_mut().clear();
        let label = trace.label().to_owned();
        self.frames.remove(&label);
        self.companions.remove(&label);
        self.bases.extend(std::env::current_dir().ok().map(|folder| (label.clone(), folder)));
        self.events.insert(label.clone(), Arc::new(trace.events_schema()));
        self.paths.insert(label.clone(), path);
        self.load_count += 1;
        self.loads.insert(label.clone(), LoadId(self.load_count));
        self.traces.insert(label, trace);
        self.share();
    }

    /// Replaces each trace that is still loaded by its copy with mapped columns; `traces` are pairs of both. Columns are freed; their
    /// memory is not returned to the system.
    pub fn replace(&mut self, traces: Vec<(Arc<TraceSet>, Arc<TraceSet>)>) {
        for (trace, mapped) in traces {
            if let Some(stored) = self.traces.get_mut(trace.label()).filter(|stored| Arc::ptr_eq(stored, &trace)) {
                *stored = mapped;
            }
        }
        self.share();
    }

    /// Drops a trace, or all runs of a group, and returns them.
    pub fn remove(&mut self, label: &str) -> Vec<Arc<TraceSet>> {
        let runs = self.groups.remove(label).unwrap_or_else(|| vec![label.to_owned()]);
        let mut dropped = Vec::new();
        for run in runs {
            self.groups.forget_run(&run);
            self.companions.remove(&run);
            self.paths.remove(&run);
            self.bases.remove(&run);
            self.events.remove(&run);
            self.loads.remove(&run);
            dropped.extend(self.traces.remove(&run));
        }
        self.share();
        dropped
    }

    /// Replaces the snapshot for other threads.
    fn share(&self) {
        let loaded = |(label, trace): (&String, &Arc<TraceSet>)| {
            let id = *self.loads.get(label)?;
            Some((label.clone(), LoadedTrace { id, trace: Arc::clone(trace) }))
        };
        let traces = self.traces.iter().filter_map(loaded).collect();
        self.shared.replace(Snapshot::new(traces, self.groups.clone()));
    }

    /// Notes that variable `name` is now a frame with these columns.
    pub fn set_frame(&mut self, name: &str, schema: FrameSchema) {
        self.frames.insert(name.to_owned(), Arc::new(schema));
    }

    /// Notes that variable `name` is no longer a frame.
    pub fn remove_frame(&mut self, name: &str) {
        self.frames.remove(name);
    }

    /// Returns the saved statements of SQL, by name.
    pub fn statements(&self) -> &BTreeMap<String, String> {
        &self.statements
    }

    /// Saves a statement of SQL under a name, and forgets an older one of this name.
    pub fn save_statement(&mut self, name: &str, statement: &str) {
        self.statements.insert(name.to_owned(), statement.to_owned());
    }

    /// Takes a snapshot for completion and inspection.
    pub fn view(&self, cells: &dyn Cells) -> View {
        let variables = cells.variables();
        // The report of the cells takes precedence: a cell may have changed a bound frame.
        let mut frames = cells.frames();
        for (name, schema) in &self.frames {
            frames.entry(name.clone()).or_insert_with(|| Arc::clone(schema));
        }
        let is_frame = |name: &str| {
            let of_name = variables.iter().find(|variable| variable.name == name);
            of_name.is_some_and(|variable| FRAMES.iter().any(|head| variable.type_name.ends_with(head)))
        };
        frames.retain(|name, _| is_frame(name));
        let labels = self.labels().into_iter().map(str::to_owned).collect();
        let mut events = self.events.clone();
        // In Rust cells a group is its first run.
        for (group, runs) in self.groups.iter() {
            let first = runs.first().and_then(|run| self.events.get(run)).cloned();
            events.extend(first.map(|schema| (group.to_owned(), schema)));
        }
        let (traces, groups) = (self.trace_views(), self.groups.clone());
        let statements = self.statements.keys().cloned().collect();
        View { labels, traces, groups, events, frames, items: cells.items(), variables, statements }
    }

    /// Returns the facts about each trace; those of a trace that is still loaded are reused.
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
