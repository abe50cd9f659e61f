//! Selection of the events that a query sees: ranks, iterations, device, condition.

use super::iteration_marker::IterationMarker;
use super::labeled_trace::LabeledTrace;
use crate::dataset::MarkedIterations;
use crate::error::ParameterReason;
use crate::filter::Filter;
use crate::phases::Wanted;
use crate::{DeviceType, Error, Iteration, Pick, Rank, Result, Trace, Window};
use regex::Regex;

/// Selection of the events of one trace, or of control and test: one value for all queries, set by [`SelectEvents`].
///
/// # Example
/// ```
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
/// let test = TraceSet::load("../../notebooks/data/test")?.with_label("test");
/// let gpu = Select::default().control_rank(3).test_rank(1).device_type(DeviceType::GPU);
/// let by_name = TraceDiff::new(&control, &test).select(gpu.clone()).run()?;
/// let certain = StatsDiff::new(&control, &test).select(gpu).run()?;
/// assert!(by_name.frame.height() > 0 && certain.frame.height() > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Select {
    /// Ranks of control and of test.
    ranks: [Chosen<Rank>; 2],
    /// Iterations of control and of test.
    iterations: [Chosen<Iteration>; 2],
    marker: IterationMarker,
    device_type: DeviceType,
    filter: Option<Filter>,
    warmup: Option<usize>,
    phase: Option<String>,
}

/// Ranks or iterations of one side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Chosen<T> {
    /// Nothing was selected: the query has its own default.
    #[default]
    Unset,
    All,
    These(Pick<T>),
}

/// Setters of queries that see a part of their traces: `TraceDiff`, `StatsDiff`, `Explain`, `Noise`, `EventQuery`, `TimelineQuery` and
/// `FlameQuery`, and of [`Select`], which sets them all at once. A query refuses, when it runs, what it cannot select by.
pub trait SelectEvents: Sized {
    /// Returns the selection to change.
    #[doc(hidden)]
    fn selection_mut(&mut self) -> &mut Select;

    /// Replaces the whole selection.
    #[must_use]
    fn select(mut self, select: Select) -> Self {
        *self.selection_mut() = select;
        self
    }

    /// Selects the rank or ranks of the trace, or of both.
    #[must_use]
    fn ranks(self, ranks: impl Into<Pick<Rank>>) -> Self {
        let ranks = ranks.into();
        self.control_rank(ranks.clone()).test_rank(ranks)
    }

    /// Selects the iteration or iterations of the trace, or of both. A GPU event belongs to the iteration that launched it.
    #[must_use]
    fn iterations(self, iterations: impl Into<Pick<Iteration>>) -> Self {
        let iterations = iterations.into();
        self.control_iteration(iterations.clone()).test_iteration(iterations)
    }

    /// Selects the rank or ranks of control.
    #[must_use]
    fn control_rank(mut self, ranks: impl Into<Pick<Rank>>) -> Self {
        self.selection_mut().ranks[0] = Chosen::These(ranks.into());
        self
    }

    /// Selects the rank or ranks of test.
    #[must_use]
    fn test_rank(mut self, ranks: impl Into<Pick<Rank>>) -> Self {
        self.selection_mut().ranks[1] = Chosen::These(ranks.into());
        self
    }

    /// Selects the iteration or iterations of control.
    #[must_use]
    fn control_iteration(mut self, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.selection_mut().iterations[0] = Chosen::These(iterations.into());
        self
    }

    /// Selects the iteration or iterations of test.
    #[must_use]
    fn test_iteration(mut self, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.selection_mut().iterations[1] = Chosen::These(iterations.into());
        self
    }

    /// Selects all ranks of one side, 0 for control and 1 for test.
    #[must_use]
    fn every_rank_of(mut self, side: usize) -> Self {
        self.selection_mut().ranks[side.min(1)] = Chosen::All;
        self
    }

    /// Selects all iterations of one side, 0 for control and 1 for test; none is then left out as warm-up by default.
    #[must_use]
    fn every_iteration_of(mut self, side: usize) -> Self {
        self.selection_mut().iterations[side.min(1)] = Chosen::All;
        self
    }

    /// Sets what counts as an iteration: a regular expression takes every annotation, operator or module whose name matches, numbered from
    /// 0 in each rank; of matches inside one another the outermost counts. By default [`IterationMarker::Found`].
    #[must_use]
    fn marker(mut self, marker: impl Into<IterationMarker>) -> Self {
        self.selection_mut().marker = marker.into();
        self
    }

    /// Selects the device whose events count; all by default.
    #[must_use]
    fn device_type(mut self, device_type: DeviceType) -> Self {
        self.selection_mut().device_type = device_type;
        self
    }

    /// Selects the events that pass a filter: a polars expression, or a text in the language of [`Where`](crate::filter::Where). All by
    /// default. Steps stay whole.
    #[must_use]
    fn filter(mut self, filter: impl Into<Filter>) -> Self {
        self.selection_mut().filter = Some(filter.into());
        self
    }

    /// Chooses the phase where iterations are of several, such as prefill and decode: by its letter or its name in the answer, or `all` for the
    /// mean over all. By default that with the most iterations, unless iterations are selected.
    #[must_use]
    fn phase(mut self, phase: impl Into<String>) -> Self {
        self.selection_mut().phase = Some(phase.into());
        self
    }

    /// Leaves the first iterations of each run out. By default those before the first change point of the step, if it is in the first
    /// third ([`statistics::warm_up`]), and none where iterations are selected.
    #[must_use]
    fn warmup(mut self, iterations: usize) -> Self {
        self.selection_mut().warmup = Some(iterations);
        self
    }
}

impl SelectEvents for Select {
    fn selection_mut(&mut self) -> &mut Select {
        self
    }
}

/// Default of a query for ranks or iterations that are not selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum ByDefault {
    /// The first rank or iteration.
    First,
    /// All ranks or iterations.
    All,
    /// The whole recording, with what lies outside of iterations.
    Whole,
}

/// Settings that a query may not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum SelectSetting {
    /// [`SelectEvents::marker`].
    Marker,
    /// [`SelectEvents::device_type`].
    DeviceType,
    /// [`SelectEvents::filter`].
    Filter,
    /// [`SelectEvents::warmup`].
    Warmup,
    /// [`SelectEvents::phase`].
    Phase,
}

impl Select {
    /// Refuses settings that the query does not have.
    ///
    /// # Errors
    /// [`Error::WrongParameter`], with the name of the setting.
    #[doc(hidden)]
    pub fn without(&self, query: &'static str, settings: &[SelectSetting]) -> Result<()> {
        let is_set = |setting: &&SelectSetting| match setting {
            SelectSetting::Marker => self.marker.names().is_some(),
            SelectSetting::DeviceType => self.device_type != DeviceType::ALL,
            SelectSetting::Filter => self.filter.is_some(),
            SelectSetting::Warmup => self.warmup.is_some(),
            SelectSetting::Phase => self.phase.is_some(),
        };
        let name = match settings.iter().find(is_set) {
            None => return Ok(()),
            Some(SelectSetting::Marker) => "marker",
            Some(SelectSetting::DeviceType) => "device_type",
            Some(SelectSetting::Filter) => "filter",
            Some(SelectSetting::Warmup) => "warmup",
            Some(SelectSetting::Phase) => "phase",
        };
        Err(Error::WrongParameter { analysis: query, reason: ParameterReason::NotSelectable { name } })
    }

    /// Returns the selection of all events of its ranks and iterations.
    #[doc(hidden)]
    pub fn unfiltered(&self) -> Self {
        Self { filter: None, ..self.clone() }
    }

    /// Returns the selected ranks of a run of a side.
    ///
    /// # Errors
    /// If it has no such rank, or the list is empty.
    #[doc(hidden)]
    pub fn ranks_of(&self, side: usize, run: &LabeledTrace, default: ByDefault) -> Result<Vec<Trace>> {
        match &self.ranks[side] {
            Chosen::These(ranks) => run.ranks_picked(Some(ranks)),
            Chosen::Unset if default == ByDefault::First => run.ranks_picked(None),
            _ => Ok(run.trace().traces().to_vec()),
        }
    }

    /// Returns the selected iterations of a run of a side, on these ranks: those of the profiler, or of a marker.
    ///
    /// # Errors
    /// If it has no such iteration, or no event matches the marker.
    #[doc(hidden)]
    pub fn window(
        &self,
        side: usize,
        run: &LabeledTrace,
        ranks: &[Trace],
        marker: Option<&Regex>,
        default: ByDefault,
    ) -> Result<Window> {
        let chosen = &self.iterations[side];
        let default = if *chosen == Chosen::All && default != ByDefault::Whole { ByDefault::All } else { default };
        let Some(marker) = marker else {
            return match (chosen, default) {
                (Chosen::These(iterations), _) => run.window(Some(iterations)),
                (_, ByDefault::All) if run.trace().has_profiler_steps() => {
                    run.window(Some(&Pick::from(run.iterations())))
                }
                (_, ByDefault::Whole) => Ok(Window::Whole),
                _ => run.window(None),
            };
        };
        let counts = ranks.iter().map(|rank| Ok(MarkedIterations::of(rank, marker)?.len()));
        let most = counts.collect::<Result<Vec<usize>>>()?.into_iter().max().unwrap_or(0);
        let (label, available): (String, Vec<i64>) = (run.label().to_owned(), (0..most as i64).collect());
        if available.is_empty() {
            return Err(Error::NoMarker { label, marker: marker.as_str().to_owned() });
        }
        let numbers = match (chosen, default) {
            (Chosen::These(iterations), _) => iterations.numbers().to_vec(),
            (_, ByDefault::First) => vec![0],
            _ => available.clone(),
        };
        match numbers.iter().find(|number| !available.contains(number)) {
            Some(&iteration) => Err(Error::UnknownIteration { label, iteration, available }),
            None => Ok(Window::Iterations(numbers)),
        }
    }

    /// Returns the iterations of a side, if some were selected by number.
    #[doc(hidden)]
    pub fn iteration_pick(&self, side: usize) -> Option<&Pick<Iteration>> {
        if let Chosen::These(iterations) = &self.iterations[side] { Some(iterations) } else { None }
    }

    /// Tells whether the query selects iterations of a side, by number or all of them.
    #[doc(hidden)]
    pub fn has_iterations(&self, side: usize) -> bool {
        self.iterations[side] != Chosen::Unset
    }

    /// Tells whether the query selects all iterations of a side.
    #[doc(hidden)]
    pub fn has_every_iteration(&self, side: usize) -> bool {
        self.iterations[side] == Chosen::All
    }

    /// Tells whether the query selects the same ranks and iterations of both sides.
    pub(crate) fn is_same_on_both(&self) -> bool {
        self.ranks[0] == self.ranks[1] && self.iterations[0] == self.iterations[1]
    }

    /// Returns what counts as an iteration.
    pub(crate) fn iteration_marker(&self) -> &IterationMarker {
        &self.marker
    }

    /// Returns the device.
    pub(crate) fn device(&self) -> DeviceType {
        self.device_type
    }

    /// Returns the filter of events.
    #[doc(hidden)]
    pub fn events_filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Returns the phase, if one was chosen.
    pub(crate) fn phase_name(&self) -> Option<&str> {
        self.phase.as_deref()
    }

    /// Returns the phase that is asked for.
    pub(crate) fn wanted_phase(&self) -> Wanted<'_> {
        match &self.phase {
            Some(phase) => Wanted::Phase(phase),
            None if self.has_iterations(0) || self.has_iterations(1) => Wanted::Iterations,
            None => Wanted::Usual,
        }
    }

    /// Returns how many first iterations are left out, if that was set.
    pub(crate) fn warmup_iterations(&self) -> Option<usize> {
        self.warmup
    }
}
