//! Labels of traces and of groups of runs, as magics use them.

use super::Context;
use crate::Error;
use crate::argument::{Call, any_of, did_you_mean};
use crate::session::{Binding, Groups};
use std::path::PathBuf;
use std::sync::Arc;
use trace_core::{LabeledTrace, TraceSet};

/// Returns runs as a side of an explanation or a comparison.
pub fn labeled(runs: &[Arc<TraceSet>]) -> Vec<LabeledTrace> {
    runs.iter().map(|run| Arc::as_ref(run).into()).collect()
}

impl Context<'_> {
    /// Returns the loaded trace called `label`. Of a group of runs the first: a line says so, unless the call is quiet.
    ///
    /// # Errors
    /// If no trace and no group has this label; the message lists those that there are.
    pub fn trace(&self, call: &Call<'_>, label: &str) -> Result<Arc<TraceSet>, Error> {
        let runs = self.labelled(call, label)?;
        let Some(first) = runs.first() else { return Err(self.unknown(call, label)) };
        if let Some(shown) = self.shown_run(label).filter(|_| !call.quiet()) {
            self.print_line(shown);
        }
        Ok(Arc::clone(first))
    }

    /// Returns which run of a group [`Self::trace`] returns, and how to see another; `None` for the label of one trace.
    pub fn shown_run(&self, label: &str) -> Option<String> {
        self.session.groups().runs(label)?;
        let runs = self.session.runs(label);
        let second = runs.get(1).map(|run| format!("; name {} to see another", run.label()));
        let (count, first) = (counted(runs.len()), runs.first()?.label());
        Some(format!("{label} is {count}: {first} is shown{}", second.unwrap_or_default()))
    }

    /// Returns the runs of a side of a comparison: comma-separated labels, a group for all of its runs.
    ///
    /// # Errors
    /// If a label is unknown, or a run is named twice.
    pub fn runs(&self, call: &Call<'_>, labels: &str) -> Result<Vec<Arc<TraceSet>>, Error> {
        let mut runs: Vec<Arc<TraceSet>> = Vec::new();
        for label in labels.split(',').map(str::trim) {
            for run in self.labelled(call, label)? {
                if runs.iter().any(|known| known.label() == run.label()) {
                    let error = call.cannot(format!("take {} twice", run.label()), "a run counts once");
                    return Err(error.hint(format!("`{labels}` names it more than once")).into());
                }
                runs.push(run);
            }
        }
        Ok(runs)
    }

    /// Returns the companions of a call: the runs that its flag names, else those with which its traces, by label, were loaded.
    ///
    /// # Errors
    /// If it names a run that is not loaded, or one twice.
    pub fn companions<'l>(
        &self,
        call: &Call<'_>,
        labels: impl IntoIterator<Item = &'l str>,
    ) -> Result<Vec<Arc<TraceSet>>, Error> {
        match call.text("companion") {
            Some("none") => Ok(Vec::new()),
            Some(named) => self.runs(call, named),
            None => {
                let mut found: Vec<Arc<TraceSet>> = Vec::new();
                for companion in labels.into_iter().flat_map(|label| self.session.companions(label)) {
                    if !found.iter().any(|known| known.label() == companion.label()) {
                        found.push(Arc::clone(companion));
                    }
                }
                Ok(found)
            }
        }
    }

    /// Keeps a loaded trace under its label, as a variable of Rust cells, too.
    pub fn keep(&mut self, trace: &Arc<TraceSet>, path: PathBuf) {
        self.cells.bind(trace.label(), Binding::Trace(Arc::clone(trace)));
        self.session.insert(Arc::clone(trace), path);
        self.bind_group_of(trace.label());
    }

    /// Makes a label a group of runs that are kept already. In Rust cells it is the first of them.
    pub(crate) fn keep_group(&mut self, group: &str, runs: &[Arc<TraceSet>]) {
        self.session.insert_group(group, runs.iter().map(|run| run.label().to_owned()).collect());
        if let Some(first) = runs.first() {
            self.cells.bind(group, Binding::Trace(Arc::clone(first)));
        }
    }

    /// Drops the trace of a label, or all runs of its group, with their variables; returns what was dropped.
    pub(crate) fn drop_label(&mut self, label: &str) -> Vec<Arc<TraceSet>> {
        let is_group = self.session.groups().runs(label).is_some();
        let group = self.session.groups().group_of(label).map(str::to_owned);
        let dropped = self.session.remove(label);
        for run in &dropped {
            self.cells.unbind(run.label());
        }
        // What is known of a pair is kept with one of the two.
        self.session.traces().values().for_each(|trace| trace.give_back());
        if is_group {
            self.cells.unbind(label);
        }
        if let Some(group) = group {
            match self.session.runs(&group).first() {
                Some(first) => self.cells.bind(&group, Binding::Trace(Arc::clone(first))),
                None => self.cells.unbind(&group),
            }
        }
        dropped
    }

    /// Binds the group whose first run this is anew.
    fn bind_group_of(&mut self, label: &str) {
        let Some(group) = self.session.groups().group_of(label).map(str::to_owned) else { return };
        if let Some(first) = self.session.runs(&group).first().filter(|first| first.label() == label) {
            self.cells.bind(&group, Binding::Trace(Arc::clone(first)));
        }
    }

    fn labelled(&self, call: &Call<'_>, label: &str) -> Result<Vec<Arc<TraceSet>>, Error> {
        let runs = self.session.runs(label);
        if runs.is_empty() { Err(self.unknown(call, label)) } else { Ok(runs) }
    }

    fn unknown(&self, call: &Call<'_>, label: &str) -> Error {
        let labels = self.session.labels();
        let hint = if labels.is_empty() {
            "no trace is loaded, %trace_load PATH --as NAME loads one".to_owned()
        } else if label.split(',').count() > 1 && label.split(',').all(|one| self.session.is_label(one.trim())) {
            "this takes one run: name one of them".to_owned()
        } else {
            did_you_mean(label, labels.iter().copied())
        };
        call.unknown("trace", label, any_of(&labels)).hint(hint).into()
    }
}

/// Returns `3 runs`, `1 run`.
pub(crate) fn counted(runs: usize) -> String {
    trace_view::format::counted(runs, "run")
}

/// Returns the labels of runs as a list or a range: `control_1, control_2`, `control_1 to control_4`.
pub(crate) fn listed(runs: &[String]) -> String {
    match runs {
        [first, _, .., last] if runs.len() > 3 => format!("{first} to {last}"),
        runs => runs.join(", "),
    }
}

/// Returns the labels of the runs of a group of this many.
pub(crate) fn run_labels(group: &str, count: usize) -> Vec<String> {
    (1..=count).map(|number| Groups::run_label(group, number)).collect()
}
