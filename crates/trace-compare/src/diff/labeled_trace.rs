//! A trace with the label that a comparison uses for it.

use super::sum::Sum;
use crate::dataset::{RowSelector, stacked};
use crate::error::FrameReason;
use crate::exec::checkpoint::{cancellable, guarded};
use crate::frame::columns::*;
use crate::steps::FoundSteps;
use crate::{Compat, DeviceType, Error, Iteration, Pick, Rank, Result, Trace, TraceSet, Window, shorten_name};
use polars::prelude::{Column, DataFrame, DataType, NamedFrom, Series};
use std::collections::BTreeMap;
use std::path::Path;

/// A trace with the label that a comparison uses for it.
///
/// # Source
/// HTA `LabeledTrace`.
#[derive(Debug, Clone)]
pub struct LabeledTrace {
    label: String,
    trace: TraceSet,
}

impl LabeledTrace {
    /// Labels a loaded trace.
    pub fn new(label: impl Into<String>, trace: impl Into<LabeledTrace>) -> Self {
        Self { label: label.into(), trace: trace.into().trace }
    }

    /// Loads a trace file or a folder of trace files.
    ///
    /// # Errors
    /// As [`TraceSet::load`].
    pub fn load(label: impl Into<String>, path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(label, TraceSet::load(path)?))
    }

    /// Returns the label.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the trace.
    pub fn trace(&self) -> &TraceSet {
        &self.trace
    }

    /// Returns the ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.trace.ranks()
    }

    /// Returns the iterations, ascending.
    pub fn iterations(&self) -> Vec<i64> {
        self.trace.iterations()
    }

    /// Returns the events of some ranks and iterations on one device, with a leading column `rank`. `None` selects the first
    /// rank or iteration. Without ProfilerStep the whole recording counts as one iteration.
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn extract_ops(
        &self,
        rank: Option<Pick<Rank>>,
        iteration: Option<Pick<Iteration>>,
        device_type: DeviceType,
    ) -> Result<DataFrame> {
        let window = self.window(iteration.as_ref())?;
        let traces = self.ranks_picked(rank.as_ref())?;
        let selected = |trace: &Trace| {
            let events = trace.frame()?;
            let rows = RowSelector::of(&events)?;
            let mask = cancellable(0..rows.len()).map(|row| rows.is_in(row, &window, device_type)).collect();
            Ok(trace.with_events(events.filter(&mask)?))
        };
        let selected: Vec<Trace> = guarded(|| traces.iter().map(selected).collect())?;
        stacked(&selected)
    }

    /// Returns counts and total durations (µs) of events by category and name, in that order.
    ///
    /// # Columns
    /// `cat`, `name`, `short_name`, `counts`, `total_duration`.
    ///
    /// # Errors
    /// If `ops` lacks a column of events.
    pub fn get_ops_summary(ops: &DataFrame) -> Result<DataFrame> {
        let text = |column: &str| -> Result<Series> {
            let missing = |_| Error::NotEvents { reason: FrameReason::no_column(column) };
            Ok(ops.column(column).map_err(missing)?.as_materialized_series().cast(&DataType::String)?)
        };
        let (cats, names) = (text(CAT)?, text(NAME)?);
        let missing = |_| Error::NotEvents { reason: FrameReason::no_column_of(DUR, "nanoseconds") };
        let durations = ops.column(DUR).map_err(missing)?.i64().map_err(missing)?.clone();
        let mut sums: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
        for ((cat, name), dur) in cats.str()?.iter().zip(names.str()?.iter()).zip(durations.iter()) {
            if let (Some(cat), Some(name)) = (cat, name) {
                sums.entry((cat, name)).or_default().add(dur.unwrap_or(0));
            }
        }
        let column = |name: &str, values: Vec<String>| Column::from(Series::new(name.into(), values));
        let columns = vec![
            column(CAT, sums.keys().map(|(cat, _)| (*cat).to_owned()).collect()),
            column(NAME, sums.keys().map(|(_, name)| (*name).to_owned()).collect()),
            column(SHORT_NAME, sums.keys().map(|(_, name)| shorten_name(name)).collect()),
            Column::from(Series::new(COUNTS.into(), sums.values().map(|sum| sum.count).collect::<Vec<_>>())),
            Column::from(Series::new(TOTAL_DURATION.into(), sums.values().map(|sum| sum.micros()).collect::<Vec<_>>())),
        ];
        Ok(DataFrame::new(sums.len(), columns)?)
    }

    /// Returns the selected ranks, each once.
    // Differs from HTA: it counts a rank twice that is listed twice.
    #[doc(hidden)]
    pub fn ranks_picked(&self, pick: Option<&Pick<Rank>>) -> Result<Vec<Trace>> {
        let Some(pick) = pick else { return Ok(self.trace.traces().iter().take(1).cloned().collect()) };
        let (label, available) = (self.label.clone(), self.ranks());
        let mut picked: Vec<Trace> = Vec::new();
        for &rank in pick.numbers() {
            let Some(trace) = self.trace.traces().iter().find(|trace| trace.rank() == rank) else {
                return Err(Error::UnknownRank { label, rank, available });
            };
            picked.push(trace.clone());
        }
        if picked.is_empty() { Err(Error::NoRankSelected { label, available }) } else { Ok(picked) }
    }

    /// Returns the selected iterations. An empty list is allowed, as in HTA: nothing is selected.
    #[doc(hidden)]
    pub fn window(&self, pick: Option<&Pick<Iteration>>) -> Result<Window> {
        let available = self.iterations();
        let Some(pick) = pick else {
            // Differs from HTA: it refuses traces without ProfilerStep.
            return Ok(available.first().map_or(Window::Whole, |&first| Window::Iterations(vec![first])));
        };
        for &iteration in pick.numbers() {
            let label = self.label.clone();
            if available.is_empty() {
                return Err(FoundSteps::no_iterations(&self.trace, &label, iteration));
            }
            if !available.contains(&iteration) {
                return Err(Error::UnknownIteration { label, iteration, available });
            }
        }
        Ok(Window::Iterations(pick.numbers().to_vec()))
    }

    /// Returns how the trace was loaded.
    pub(super) fn compat(&self) -> Compat {
        self.trace.compat()
    }
}

impl From<TraceSet> for LabeledTrace {
    fn from(trace: TraceSet) -> Self {
        Self { label: trace.label().to_owned(), trace }
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
