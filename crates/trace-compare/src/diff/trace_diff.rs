//! The comparison of two traces by name: counts and durations.

use super::plan::PlannedSide;
use super::select::{ByDefault, Select, SelectEvents, SelectSetting};
use super::sums::{Selected, Sums};
use crate::dataset::{Recording, earlier_copies};
use crate::exec::batches::Batches;
use crate::exec::checkpoint::guarded;
use crate::exec::memory::Task;
use crate::filter::Filter;
use crate::frame::columns::{COUNTS_SUFFIX, DIFF_COUNTS};
use crate::{
    By, Compared, Compat, DiffPlan, DiffSide, LabeledTrace, OpsDiff, Pick, Result, Selection, Side, Trace, Unlike,
    Warning,
};
use polars::prelude::DataFrame;
use regex::Regex;
use trace_view::Figure;

/// A comparison of two traces, configured by setters; ranks and iterations default to the first of each side ([`SelectEvents`]).
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
    pub(super) control: LabeledTrace,
    pub(super) test: LabeledTrace,
    selection: Select,
    use_short_name: bool,
    by: Option<By>,
}

impl SelectEvents for TraceDiff {
    fn selection_mut(&mut self) -> &mut Select {
        &mut self.selection
    }
}

impl TraceDiff {
    /// Compares `test` with `control`; both may be the same trace.
    pub fn new(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        Self {
            control: control.into(),
            test: test.into(),
            selection: Select::default(),
            use_short_name: false,
            by: None,
        }
    }

    /// Sets whether names are shortened ([`shorten_name`](crate::shorten_name)) and equal short names merged.
    #[must_use]
    pub fn use_short_name(mut self, yes: bool) -> Self {
        self.use_short_name = yes;
        self
    }

    /// Gives each operator a row per rank or per iteration, instead of one for all that are selected. All ranks, or all
    /// iterations, are then selected by default. Equal numbers are compared with each other; if no number exists on both
    /// sides, those at equal positions. Operators of a group that only one side has are added or deleted.
    #[must_use]
    pub fn by(mut self, by: By) -> Self {
        self.by = Some(by);
        self
    }

    /// Returns the selection of both sides, with defaults filled in and labels made distinct.
    ///
    /// If the labels are equal, the same trace on both sides becomes `X_control` and `X_test`; two traces become `X` and
    /// `X_control_test`, HTA's names.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, or no event matches the marker.
    pub fn selection(&self) -> Result<Selection> {
        self.selection.without("compare_traces", &[SelectSetting::Warmup, SelectSetting::Phase])?;
        let (control_label, test_label) = self.labels();
        let default = |group: By| if self.by == Some(group) { ByDefault::All } else { ByDefault::First };
        let side = |number: usize, side: &LabeledTrace, label: String| -> Result<Side> {
            let traces = self.selection.ranks_of(number, side, default(By::Rank))?;
            let window = self.selection.window(number, side, &traces, self.marker(), default(By::Iteration))?;
            Ok(Side { label, ranks: traces.iter().map(Trace::rank).collect(), window })
        };
        Ok(Selection {
            control: side(0, &self.control, control_label)?,
            test: side(1, &self.test, test_label)?,
            device_type: self.selection.device(),
            use_short_name: self.use_short_name,
            filter: self.selection.events_filter().map(Filter::to_string),
            marker: self.marker().map(|marker| marker.as_str().to_owned()),
            by: self.by,
        })
    }

    fn marker(&self) -> Option<&Regex> {
        self.selection.iteration_marker().names()
    }

    /// Returns the iterations that control and test have.
    pub fn iterations(&self) -> [Vec<i64>; 2] {
        [self.control.iterations(), self.test.iterations()]
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
            warnings.extend(side.trace().missing_ranks());
            if self.marker().is_none() && !side.trace().has_profiler_steps() {
                warnings.push(Warning::NoProfilerStep { label });
            }
        }
        let (control, test) = self.labels();
        let recordings = [&self.control, &self.test].map(|side| Recording::of(side.trace()));
        let unlike = recordings[0].unlike(&control, &recordings[1], &test);
        let is_same = |warning: &Warning| matches!(warning, Warning::UnlikeRecording { what: Unlike::Nothing, .. });
        // Older files have no identity. What cannot be read is an error of the comparison.
        let are_copies =
            || earlier_copies(&[self.control.trace(), self.test.trace()]).is_ok_and(|copies| copies.contains(&Some(0)));
        if self.control.label() != self.test.label() && !unlike.iter().any(is_same) && are_copies() {
            warnings.push(recordings[0].same(&control, &test));
        }
        warnings.extend(unlike);
        warnings
    }

    /// Compares counts and durations by name, HTA's question: the frame of [`run`](Self::run). Differences are test − control. Categories do
    /// not matter.
    ///
    /// # Columns
    /// With [`by`](Self::by) first `rank` or `iteration`, the number of the group. Then `name` or `short_name` (text); with the
    /// labels C of control and T of test: `C_counts`, `C_total_duration`, `T_counts`, `T_total_duration`, `diff_counts`,
    /// `diff_duration`; `counts_change_categories` (`+`, `-`, `=`), a categorical that marks the frame as a comparison
    /// ([`Comparison::of`](crate::Comparison::of)). Counts are whole numbers, durations µs. Names of control come first, then
    /// those only in test, each sorted by code point; group by group.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, or the filter does not fit the events.
    pub fn compare_traces(&self) -> Result<DataFrame> {
        Ok(self.run()?.frame)
    }

    /// Groups the names by change, HTA's question: the groups of [`run`](Self::run); short names with [`use_short_name`](Self::use_short_name); each list has the order of
    /// [`compare_traces`](Self::compare_traces).
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn ops_diff(&self) -> Result<OpsDiff> {
        Ok(self.run()?.groups)
    }

    /// Returns rows, names by change and device time of one comparison. Each selected rank is read once; besides the ranks that
    /// run at once, only sums by name are held.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, the filter does not fit the events, or the answer does not fit the memory
    /// budget.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let job = TraceSet::load("../../notebooks/data/job")?;
    /// let compared = TraceDiff::new(&job, &job).by(By::Rank).run()?;
    /// assert_eq!(compared.frame.column("rank")?.n_unique()?, 4);
    /// # Ok(())
    /// # }
    /// ```
    pub fn run(&self) -> Result<Compared> {
        guarded(|| {
            let plan = self.plan()?;
            let ranks = |side: &LabeledTrace, of| -> Result<Vec<(DiffSide, Trace)>> {
                let picked = side.ranks_picked(Some(&Pick::from(plan.ranks(of))))?;
                Ok(picked.into_iter().map(|trace| (of, trace)).collect())
            };
            let mut all = ranks(&self.control, DiffSide::Control)?;
            all.extend(ranks(&self.test, DiffSide::Test)?);
            let (elsewhere, all): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|(_, trace)| trace.elsewhere().is_some());
            let need = |(_, trace): &(DiffSide, Trace)| trace.bytes_needed(Selected::BYTES_PER_ROW);
            let map = |(side, trace): &(DiffSide, Trace)| plan.sums(*side, trace);
            let merge = |mut one: Sums, other: Sums| {
                one.merge(other);
                Ok(one)
            };
            let budget = self.control.trace().budget()?.smaller(self.test.trace().budget()?);
            let batches = Batches::within(budget, Task::Answer("compare_traces"));
            let mut sums = batches.merged(&all, need, map, merge)?.unwrap_or_default();
            if !elsewhere.is_empty() {
                self.ask_elsewhere(&plan, elsewhere, &mut sums)?;
            }
            Compared::of(sums, plan.selection())
        })
    }

    /// Returns the plan of the comparison, which maps each rank on its own.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, or the filter names a column that no rank has.
    pub fn plan(&self) -> Result<DiffPlan> {
        let planned = |side: &LabeledTrace| -> Result<PlannedSide> {
            let filter = self.selection.events_filter().map(|filter| filter.of(side.trace().traces())).transpose()?;
            Ok(PlannedSide { compat: side.compat(), filter })
        };
        let selection = self.selection()?;
        Ok(DiffPlan { selection, control: planned(&self.control)?, test: planned(&self.test)? })
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
}

/// Returns the label that prefixes the columns of a side. Differs from HTA: it overwrites `diff_counts` of a trace called
/// `diff` with the difference.
pub(super) fn column_label(label: &str, side: &str) -> String {
    if format!("{label}{COUNTS_SUFFIX}") == DIFF_COUNTS { format!("{label}_{side}") } else { label.to_owned() }
}
