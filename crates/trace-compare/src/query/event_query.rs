//! Query for events by name, device, rank and iteration.

use crate::companion::operator_columns;
use crate::dataset::{RowSelector, stacked};
use crate::diff::{ByDefault, Select, SelectEvents, SelectSetting};
use crate::exec::batches::Batches;
use crate::exec::memory::Task;
use crate::frame::columns::NAME;
use crate::frame::count_from;
use crate::{LabeledTrace, Result, Trace, TraceSet, Window, shorten_name};
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
/// let df = EventQuery::new(&control).name("aten::mm").iterations(1010).run()?;
/// assert!(df.height() > 0 && df.column("rank").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct EventQuery {
    trace: LabeledTrace,
    selection: Select,
    name: Option<String>,
    short_name: Option<String>,
    from_start: bool,
    companions: Vec<TraceSet>,
}

impl SelectEvents for EventQuery {
    fn selection_mut(&mut self) -> &mut Select {
        &mut self.selection
    }
}

impl EventQuery {
    /// Asks for events of this trace.
    pub fn new(trace: impl Into<LabeledTrace>) -> Self {
        let (trace, selection, companions) = (trace.into(), Select::default(), Vec::new());
        Self { trace, selection, name: None, short_name: None, from_start: false, companions }
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

    /// Counts `ts` and `end` from the start of the recording ([`TraceSet::origin`](crate::TraceSet::origin)), as conditions of filters
    /// do; otherwise they are as recorded.
    #[must_use]
    pub fn from_start(mut self) -> Self {
        self.from_start = true;
        self
    }

    /// Takes a recording of the same program without graphs, or of the capture of its graphs, beside others. GPU events then have two more
    /// columns: `operator`, the innermost one above them, which is that of the capture of a kernel of a graph, and `operator_source`:
    /// `recorded`, or `borrowed from capture`, with the label of the companion.
    #[must_use]
    pub fn companion(mut self, companion: impl Into<LabeledTrace>) -> Self {
        let companion = companion.into();
        self.companions.push(companion.trace().with_label(companion.label()));
        self
    }

    /// Returns the events, with a leading column `rank` and the columns of [`TraceSet::events`](crate::TraceSet::events), in their
    /// order.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, the filter does not fit the events, or the events of one rank do not fit the
    /// memory budget besides those already selected.
    pub fn run(&self) -> Result<DataFrame> {
        self.selection.without("events", &[SelectSetting::Marker, SelectSetting::Warmup, SelectSetting::Phase])?;
        let trace = &self.trace;
        let ranks = self.selection.ranks_of(0, trace, ByDefault::All)?;
        let window = self.selection.window(0, trace, &ranks, None, ByDefault::Whole)?;
        let filter = self.selection.events_filter().map(|filter| filter.of(trace.trace().traces())).transpose()?;
        let select = |rank: &Trace| {
            let passes = filter.as_ref().map(|filter| filter.mask(rank)).transpose()?;
            let mut events = rank.frame()?;
            let mask = self.mask(&events, &window, passes.as_ref())?;
            if !self.companions.is_empty() {
                for column in operator_columns(rank, trace.trace().compat(), &self.companions)? {
                    events.with_column(column)?;
                }
            }
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
                    && rows.is_in(row, window, self.selection.device())
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
    use crate::DeviceType;
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
        let df = query.run().unwrap();
        df.column("dur").unwrap().i64().unwrap().iter().flatten().collect()
    }

    #[test]
    fn events_are_selected_by_name_device_and_iteration() {
        let all = EventQuery::new(trace());
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
            assert_eq!(durations(EventQuery::new(trace()).short_name(short)), [40_000], "{short}");
        }
        assert!(durations(EventQuery::new(trace()).short_name("k")).is_empty());
    }

    #[test]
    fn times_count_from_the_start_where_asked() {
        let json = TraceBuilder::new().operator("aten::add", 40..60).operator("aten::mm", 70..75).json();
        let trace = TraceSet::from_bytes(json).unwrap();
        let times = |query: EventQuery| {
            let df = query.name("aten::mm").run().unwrap();
            ["ts", "end"].map(|name| df.column(name).unwrap().i64().unwrap().get(0).unwrap())
        };
        assert_eq!(trace.origin(), 40_000);
        assert_eq!(times(EventQuery::new(&trace)), [70_000, 75_000]);
        assert_eq!(times(EventQuery::new(&trace).from_start()), [30_000, 35_000]);
    }

    /// The graph's kernel has the operator of its capture, the other one that around its launch.
    #[test]
    fn operators_of_kernels_say_where_they_were_recorded() {
        let replay = TraceBuilder::new()
            .operator("decode", 0..40)
            .runtime("hipGraphLaunch", 1, 5..15)
            .kernel("gemm", Stream(7), 20..40)
            .correlation(1)
            .operator("aten::add", 50..70)
            .runtime("hipLaunchKernel", 2, 55..60)
            .kernel("add", Stream(7), 80..90)
            .correlation(2)
            .kernel("alone", Stream(7), 100..110);
        let capture = TraceBuilder::new()
            .runtime("hipStreamBeginCapture", 8, 1..2)
            .operator("aten::linear", 10..30)
            .operator("aten::mm", 12..28)
            .runtime("hipLaunchKernel", 9, 15..16)
            .arg("kernel", "\"gemm\"")
            .runtime("hipStreamEndCapture", 10, 40..41);
        let [replay, capture] = [replay, capture].map(|trace| TraceSet::from_bytes(trace.json()).unwrap());
        let bare = EventQuery::new(&replay).run().unwrap();
        assert!(bare.column("operator").is_err());
        let query = EventQuery::new(&replay).companion(capture.with_label("capture"));
        let df = query.device_type(DeviceType::GPU).run().unwrap();
        let texts = |name: &str| {
            let column = df.column(name).unwrap().cast(&polars::prelude::DataType::String).unwrap();
            column.str().unwrap().iter().map(|text| text.unwrap_or("").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(texts("operator"), ["aten::mm", "aten::add", ""]);
        assert_eq!(texts("operator_source"), ["borrowed from capture", "recorded", ""]);
    }

    #[test]
    fn missing_rank_is_an_error() {
        let error = EventQuery::new(trace()).ranks(7).run().unwrap_err().to_string();
        assert!(error.contains("has no rank 7 (has 0)"), "{error}");
    }
}
