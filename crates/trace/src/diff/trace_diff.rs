//! The comparison of two traces by name: counts and durations.

use super::sum::Sum;
use crate::dataset::{Recording, RowSelector};
use crate::exec::checkpoint::{self, cancellable, guarded};
use crate::exec::memory::{Budget, Task};
use crate::filter::Filter;
use crate::frame::columns::*;
use crate::{
    Change, Comparison, Compat, DeviceType, LabeledTrace, OpsDiff, Pick, Result, Selection, Side, Trace, Warning,
    Window, shorten_name,
};
use polars::prelude::{BooleanChunked, Categorical32Type, Column, DataFrame, NamedFrom, Series};
use std::collections::BTreeMap;
use trace_view::Figure;

/// A comparison of two traces, configured by setters; ranks and iterations default to the first of each side.
///
/// Nothing is normalised: with lists of ranks or iterations, counts and durations are plain sums.
///
/// # Source
/// HTA `TraceDiff`.
///
/// # Example
/// ```
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
/// let test = TraceSet::load("../../notebooks/data/test")?.with_label("test");
/// let diff = TraceDiff::new(&control, &test)
///     .control_rank(3)
///     .test_rank(1)
///     .control_iteration(1010)
///     .test_iteration(1010)
///     .device_type(DeviceType::CPU);
/// let df = diff.compare_traces()?;
/// assert_eq!(df.get_column_names()[..2], ["name", "control_counts"]);
/// assert!(diff.ops_diff()?.added.contains(&"aten::scaled_dot_product_attention".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TraceDiff {
    control: LabeledTrace,
    test: LabeledTrace,
    control_rank: Option<Pick>,
    test_rank: Option<Pick>,
    control_iteration: Option<Pick>,
    test_iteration: Option<Pick>,
    device_type: DeviceType,
    use_short_name: bool,
    filter: Option<Filter>,
}

impl TraceDiff {
    /// Compares `test` with `control`; both may be the same trace.
    pub fn new(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        Self {
            control: control.into(),
            test: test.into(),
            control_rank: None,
            test_rank: None,
            control_iteration: None,
            test_iteration: None,
            device_type: DeviceType::ALL,
            use_short_name: false,
            filter: None,
        }
    }

    /// Selects the rank or ranks of control.
    #[must_use]
    pub fn control_rank(mut self, ranks: impl Into<Pick>) -> Self {
        self.control_rank = Some(ranks.into());
        self
    }

    /// Selects the rank or ranks of test.
    #[must_use]
    pub fn test_rank(mut self, ranks: impl Into<Pick>) -> Self {
        self.test_rank = Some(ranks.into());
        self
    }

    /// Selects the iteration or iterations of control.
    #[must_use]
    pub fn control_iteration(mut self, iterations: impl Into<Pick>) -> Self {
        self.control_iteration = Some(iterations.into());
        self
    }

    /// Selects the iteration or iterations of test.
    #[must_use]
    pub fn test_iteration(mut self, iterations: impl Into<Pick>) -> Self {
        self.test_iteration = Some(iterations.into());
        self
    }

    /// Selects the device whose events are compared; all by default.
    #[must_use]
    pub fn device_type(mut self, device_type: DeviceType) -> Self {
        self.device_type = device_type;
        self
    }

    /// Sets whether names are shortened ([`shorten_name`]) and equal short names merged.
    #[must_use]
    pub fn use_short_name(mut self, yes: bool) -> Self {
        self.use_short_name = yes;
        self
    }

    /// Selects the events that pass a filter, on both sides: a polars expression, or a text in the language of
    /// [`Where`](crate::filter::Where). All by default.
    #[must_use]
    pub fn filter(mut self, filter: impl Into<Filter>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// Returns the selection of both sides, with defaults filled in and labels made distinct.
    ///
    /// If the labels are equal, the same trace on both sides becomes `X_control` and `X_test`; two traces become `X` and
    /// `X_control_test`, HTA's names.
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn selection(&self) -> Result<Selection> {
        let (control_label, test_label) = self.labels();
        let side = |label: String, traces: Vec<Trace>, window: Window| {
            let ranks = traces.iter().map(Trace::rank).collect();
            Side { label, ranks, window }
        };
        let control_ranks = self.control.ranks_picked(self.control_rank.as_ref())?;
        let control_window = self.control.window(self.control_iteration.as_ref())?;
        let test_ranks = self.test.ranks_picked(self.test_rank.as_ref())?;
        let test_window = self.test.window(self.test_iteration.as_ref())?;
        Ok(Selection {
            control: side(control_label, control_ranks, control_window),
            test: side(test_label, test_ranks, test_window),
            device_type: self.device_type,
            use_short_name: self.use_short_name,
            filter: self.filter.as_ref().map(Filter::to_string),
        })
    }

    /// Returns warnings: sides that were loaded or recorded differently, sides without ProfilerStep.
    pub fn warnings(&self) -> Vec<Warning> {
        let (control, test) = self.labels();
        let mut warnings = Vec::new();
        let mixed = |hta: &str, exact: &str| Warning::MixedCompat { hta: hta.to_owned(), exact: exact.to_owned() };
        match (self.control.compat(), self.test.compat()) {
            (Compat::Hta, Compat::Exact) => warnings.push(mixed(&control, &test)),
            (Compat::Exact, Compat::Hta) => warnings.push(mixed(&test, &control)),
            _ => {}
        }
        let sides = [(&self.control, control), (&self.test, test)];
        for (side, label) in sides {
            let count = if side.trace().compat() == Compat::Exact { side.trace().negative_durations() } else { 0 };
            if count > 0 {
                warnings.push(Warning::EndBeforeStart { label: label.clone(), count });
            }
            if !side.trace().has_profiler_steps() {
                warnings.push(Warning::NoProfilerStep { label });
            }
        }
        let (control, test) = self.labels();
        let recordings = [&self.control, &self.test].map(|side| Recording::of(side.trace()));
        warnings.extend(recordings[0].unlike(&control, &recordings[1], &test));
        warnings
    }

    /// Compares counts and durations by name; differences are test − control. Categories do not matter.
    ///
    /// # Columns
    /// `name` or `short_name` (text); with the labels C of control and T of test: `C_counts`, `C_total_duration`,
    /// `T_counts`, `T_total_duration`, `diff_counts`, `diff_duration`; `counts_change_categories` (`+`, `-`, `=`), a
    /// categorical that marks the frame as a comparison ([`Comparison::of`]). Counts are whole numbers, durations µs.
    /// Names of control come first, then those only in test, each sorted by code point.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, or the filter does not fit the events.
    pub fn compare_traces(&self) -> Result<DataFrame> {
        let selection = self.selection()?;
        let rows = self.rows(&selection)?;
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let ints = |name: String, value: fn(&Row) -> i64| {
            Column::from(Series::new(name.into(), rows.iter().map(value).collect::<Vec<i64>>()))
        };
        let floats = |name: String, value: fn(&Row) -> f64| {
            Column::from(Series::new(name.into(), rows.iter().map(value).collect::<Vec<f64>>()))
        };
        let (control, test) = (&selection.control.label, &selection.test.label);
        let key = if self.use_short_name { SHORT_NAME } else { NAME };
        let signs: Vec<&str> = rows.iter().map(|row| row.change().sign()).collect();
        let columns = vec![
            Column::from(Series::new(key.into(), names)),
            ints(format!("{control}{COUNTS_SUFFIX}"), |row| row.control.count),
            floats(format!("{control}{DURATION_SUFFIX}"), |row| row.control.micros()),
            ints(format!("{test}{COUNTS_SUFFIX}"), |row| row.test.count),
            floats(format!("{test}{DURATION_SUFFIX}"), |row| row.test.micros()),
            ints(DIFF_COUNTS.to_owned(), Row::diff),
            floats(DIFF_DURATION.to_owned(), |row| row.test.micros_beyond(row.control)),
            Comparison::marked(control, test, CHANGE, &signs)?,
        ];
        Ok(DataFrame::new(rows.len(), columns)?)
    }

    /// Returns the device time of both sides in ns, control first: the exact sum of the durations of all selected GPU
    /// events except synchronisations, whatever the device type.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, or the filter does not fit the events.
    pub fn device_nanos(&self) -> Result<(i128, i128)> {
        let selection = Selection { device_type: DeviceType::GPU, use_short_name: false, ..self.selection()? };
        let rows = self.rows(&selection)?;
        let work = rows.iter().filter(|row| !WAITS.contains(&row.name.as_str()));
        Ok(work.fold((0, 0), |(control, test), row| (control + row.control.nanos(), test + row.test.nanos())))
    }

    /// Groups the names by change, short names with [`use_short_name`](Self::use_short_name); each list has the order of
    /// [`compare_traces`](Self::compare_traces).
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn ops_diff(&self) -> Result<OpsDiff> {
        let rows = self.rows(&self.selection()?)?;
        Ok(rows.into_iter().map(|row| (row.change(), row.name)).collect())
    }

    /// Draws the counts in a result of [`TraceDiff::compare_traces`], in the frame's order.
    ///
    /// # Errors
    /// If the frame lacks the columns.
    pub fn visualize_counts_diff(df: &DataFrame) -> Result<Figure> {
        super::figures::counts(df)
    }

    /// Draws the durations in a result of [`TraceDiff::compare_traces`], in the frame's order.
    ///
    /// # Errors
    /// If the frame lacks the columns.
    pub fn visualize_duration_diff(df: &DataFrame) -> Result<Figure> {
        super::figures::durations(df)
    }

    fn labels(&self) -> (String, String) {
        let (control, test) = (self.control.label(), self.test.label());
        if control != test {
            return (column_label(control, "control"), column_label(test, "test"));
        }
        // Differs from HTA: it cannot compare a trace with itself.
        if self.control.trace().same_data(self.test.trace()) {
            (format!("{control}_control"), format!("{test}_test"))
        } else {
            (column_label(control, "control"), format!("{test}_control_test"))
        }
    }

    /// Computes the rows of the answer, in HTA's order.
    fn rows(&self, selection: &Selection) -> Result<Vec<Row>> {
        guarded(|| self.rows_of(selection))
    }

    fn rows_of(&self, selection: &Selection) -> Result<Vec<Row>> {
        let sums = |side: &LabeledTrace, pick: Option<&Pick>, window: &Window| -> Result<BTreeMap<String, Sum>> {
            let mut sums = BTreeMap::new();
            let filter = self.filter.as_ref().map(|filter| filter.of(side.trace().traces())).transpose()?;
            for trace in side.ranks_picked(pick)? {
                checkpoint::check()?;
                let passes = filter.as_ref().map(|filter| filter.mask(&trace)).transpose()?;
                let passes = passes.as_ref();
                sum_by_name(&trace, side.trace().compat(), window, selection, passes, &mut sums)?;
            }
            Ok(sums)
        };
        let events = self.control.trace().event_count() + self.test.trace().event_count();
        Budget::now()?.check(Task::Answer("compare_traces"), events.saturating_mul(BYTES_PER_ROW))?;
        let control = sums(&self.control, self.control_rank.as_ref(), &selection.control.window)?;
        let mut test = sums(&self.test, self.test_rank.as_ref(), &selection.test.window)?;
        let mut rows: Vec<Row> = control
            .into_iter()
            .map(|(name, control)| Row { test: test.remove(&name).unwrap_or_default(), name, control })
            .collect();
        rows.extend(test.into_iter().map(|(name, test)| Row { name, control: Sum::default(), test }));
        Ok(rows)
    }
}

/// Working memory for each event of both sides, in bytes: the mask of a filter, and sums by name.
const BYTES_PER_ROW: usize = 16;

/// Names of GPU events that wait instead of working.
const WAITS: &[&str] = &["Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync"];

/// One name on both sides.
struct Row {
    name: String,
    control: Sum,
    test: Sum,
}

impl Row {
    fn diff(&self) -> i64 {
        self.test.count - self.control.count
    }

    fn change(&self) -> Change {
        Change::of(self.control.count, self.test.count)
    }
}

/// Returns the label that prefixes the columns of a side. Differs from HTA: it overwrites `diff_counts` of a trace called
/// `diff` with the difference.
fn column_label(label: &str, side: &str) -> String {
    if format!("{label}{COUNTS_SUFFIX}") == DIFF_COUNTS { format!("{label}_{side}") } else { label.to_owned() }
}

/// Sums up the selected events of one rank by name.
fn sum_by_name(
    trace: &Trace,
    compat: Compat,
    window: &Window,
    selection: &Selection,
    passes: Option<&BooleanChunked>,
    sums: &mut BTreeMap<String, Sum>,
) -> Result<()> {
    let events = trace.frame()?;
    let rows = RowSelector::of(&events)?;
    let names = events.column(NAME)?.as_materialized_series();
    let names = names.cat::<Categorical32Type>()?;
    let durations = events.column(DUR)?.i64()?.rechunk();
    // By code first: one text per name, not one per event.
    let mapping = names.get_mapping();
    let mut by_code = vec![Sum::default(); mapping.num_cats_upper_bound()];
    let counts = |row: usize| {
        rows.is_in(row, window, selection.device_type) && passes.is_none_or(|passes| passes.get(row) == Some(true))
    };
    for (row, code) in cancellable(names.physical().iter()).enumerate() {
        if let Some(code) = code.filter(|_| counts(row)) {
            by_code[code as usize].add(compat.counted(durations.get(row).unwrap_or(0)));
        }
    }
    for (code, sum) in by_code.into_iter().enumerate().filter(|(_, sum)| sum.count > 0) {
        let name = mapping.cat_to_str(code as u32).unwrap_or_default();
        let name = if selection.use_short_name { shorten_name(name) } else { name.to_owned() };
        sums.entry(name).or_default().merge(sum);
    }
    Ok(())
}
