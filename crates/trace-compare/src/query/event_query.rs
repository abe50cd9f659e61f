//! Query for events by name, device, rank and iteration.

use crate::dataset::{RowSelector, stacked};
use crate::exec::batches::Batches;
use crate::exec::memory::Task;
use crate::filter::Filter;
use crate::frame::columns::NAME;
use crate::frame::count_from;
use crate::{DeviceType, Iteration, LabeledTrace, Pick, Rank, Result, Trace, Window, shorten_name};
use polars::prelude::{BooleanChunked, Categorical32Type, DataFrame, NewChunkedArray};

/// Working memory per row, in bytes: the masks, and what a filter computes from a row.
const BYTES_PER_ROW: usize = 32;

/// Selects events of a trace; all by default.
///
/// # Example
/// ```
/// use trace::EventQuery;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?;
/// let df = EventQuery::default().name("aten::mm").iterations(1010).select(&control)?;
/// assert!(df.height() > 0 && df.column("rank").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct EventQuery {
    ranks: Option<Pick<Rank>>,
    iterations: Option<Pick<Iteration>>,
    device_type: DeviceType,
    name: Option<String>,
    short_name: Option<String>,
    filter: Option<Filter>,
    from_start: bool,
}

impl EventQuery {
    /// Only these ranks.
    #[must_use]
    pub fn ranks(mut self, ranks: impl Into<Pick<Rank>>) -> Self {
        self.ranks = Some(ranks.into());
        self
    }

    /// Only these iterations; on the GPU the events that were launched in them.
    #[must_use]
    pub fn iterations(mut self, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.iterations = Some(iterations.into());
        self
    }

    /// Only events on this device.
    #[must_use]
    pub fn device_type(mut self, device_type: DeviceType) -> Self {
        self.device_type = device_type;
        self
    }

    /// Only events of exactly this name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Only events whose name has this short form ([`shorten_name`]), as HTA writes it or as tables show it.
    #[must_use]
    pub fn short_name(mut self, name: impl Into<String>) -> Self {
        self.short_name = Some(name.into());
        self
    }

    /// Only events that pass a filter.
    #[must_use]
    pub fn filter(mut self, filter: impl Into<Filter>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// Counts `ts` and `end` from the start of the recording ([`TraceSet::origin`](crate::TraceSet::origin)), as conditions of filters
    /// do; otherwise they are as recorded.
    #[must_use]
    pub fn from_start(mut self) -> Self {
        self.from_start = true;
        self
    }

    /// Returns the events, with a leading column `rank` and the columns of [`TraceSet::events`](crate::TraceSet::events), in their
    /// order.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, the filter does not fit the events, or the events of one rank do not fit the
    /// memory budget besides those already selected.
    pub fn select(&self, trace: impl Into<LabeledTrace>) -> Result<DataFrame> {
        let trace = trace.into();
        let ranks = match &self.ranks {
            Some(_) => trace.ranks_picked(self.ranks.as_ref())?,
            None => trace.trace().traces().to_vec(),
        };
        let window = match &self.iterations {
            Some(_) => trace.window(self.iterations.as_ref())?,
            None => Window::Whole,
        };
        let filter = self.filter.as_ref().map(|filter| filter.of(trace.trace().traces())).transpose()?;
        let select = |rank: &Trace| {
            let passes = filter.as_ref().map(|filter| filter.mask(rank)).transpose()?;
            let events = rank.frame()?;
            let mask = self.mask(&events, &window, passes.as_ref())?;
            Ok(rank.with_events(events.filter(&mask)?))
        };
        let batches = Batches::within(trace.trace().budget()?, Task::Answer("events"));
        let mut events = stacked(&batches.each(&ranks, |rank| rank.bytes_needed(BYTES_PER_ROW), select)?)?;
        if self.from_start {
            count_from(&mut events, trace.trace().origin())?;
        }
        Ok(events)
    }

    fn mask(&self, events: &DataFrame, window: &Window, passes: Option<&BooleanChunked>) -> Result<BooleanChunked> {
        let rows = RowSelector::of(events)?;
        let names = events.column(NAME)?.as_materialized_series();
        let names = names.cat::<Categorical32Type>()?;
        // By code first: one text per name, not one per event.
        let mapping = names.get_mapping();
        let named: Vec<bool> = (0..mapping.num_cats_upper_bound())
            .map(|code| mapping.cat_to_str(code as u32).is_some_and(|name| self.matches(name)))
            .collect();
        let any_name = self.name.is_none() && self.short_name.is_none();
        let keep: Vec<bool> = names
            .physical()
            .iter()
            .enumerate()
            .map(|(row, code)| {
                (any_name || code.is_some_and(|code| named[code as usize]))
                    && rows.is_in(row, window, self.device_type)
                    && passes.is_none_or(|passes| passes.get(row) == Some(true))
            })
            .collect();
        Ok(BooleanChunked::from_slice("keep".into(), &keep))
    }

    fn matches(&self, name: &str) -> bool {
        let is_short = |wanted: &String| {
            let short = shorten_name(name);
            short == *wanted || trace_view::tidy(&short) == *wanted
        };
        self.name.as_ref().is_none_or(|wanted| wanted == name) && self.short_name.as_ref().is_none_or(is_short)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use crate::filter::Where;
    use trace_testkit::{Stream, TraceBuilder};

    fn trace() -> TraceSet {
        let json = TraceBuilder::new()
            .step(1, 0..100)
            .operator("aten::mm", 10..20)
            .runtime("cudaLaunchKernel", 1, 12..14)
            .kernel("void at::native::(anonymous namespace)::k<float>(int)", Stream(7), 120..160)
            .correlation(1)
            .step(2, 100..200)
            .operator("aten::mm", 110..115)
            .json();
        TraceSet::from_bytes(json).unwrap()
    }

    fn durations(query: EventQuery) -> Vec<i64> {
        let df = query.select(trace()).unwrap();
        df.column("dur").unwrap().i64().unwrap().iter().flatten().collect()
    }

    #[test]
    fn events_are_selected_by_name_device_and_iteration() {
        let all = EventQuery::default();
        assert_eq!(durations(all.clone()).len(), 6);
        assert_eq!(durations(all.clone().name("aten::mm")), [10_000, 5_000]);
        assert_eq!(durations(all.clone().name("aten::mm").iterations(2)), [5_000]);
        // The kernel runs in the second iteration and was launched in the first.
        assert_eq!(durations(all.clone().device_type(DeviceType::GPU).iterations(1)), [40_000]);
        assert!(durations(all.clone().device_type(DeviceType::GPU).iterations(2)).is_empty());
        let long = "dur > 6us".parse::<Where>().unwrap();
        assert_eq!(durations(all.name("aten::mm").filter(long)), [10_000]);
    }

    #[test]
    fn short_names_match_as_written_and_as_shown() {
        for short in ["at::native::::k", "at::native::k"] {
            assert_eq!(durations(EventQuery::default().short_name(short)), [40_000], "{short}");
        }
        assert!(durations(EventQuery::default().short_name("k")).is_empty());
    }

    #[test]
    fn times_count_from_the_start_where_asked() {
        let json = TraceBuilder::new().operator("aten::add", 40..60).operator("aten::mm", 70..75).json();
        let trace = TraceSet::from_bytes(json).unwrap();
        let times = |query: EventQuery| {
            let df = query.name("aten::mm").select(&trace).unwrap();
            ["ts", "end"].map(|name| df.column(name).unwrap().i64().unwrap().get(0).unwrap())
        };
        assert_eq!(trace.origin(), 40_000);
        assert_eq!(times(EventQuery::default()), [70_000, 75_000]);
        assert_eq!(times(EventQuery::default().from_start()), [30_000, 35_000]);
    }

    #[test]
    fn missing_rank_is_an_error() {
        let error = EventQuery::default().ranks(7).select(trace()).unwrap_err().to_string();
        assert!(error.contains("has no rank 7 (has 0)"), "{error}");
    }
}
