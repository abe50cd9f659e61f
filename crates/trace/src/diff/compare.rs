//! Counts and durations of operators on two sides.

use crate::{DeviceType, LabeledTrace, OpsDiff, Pick, Result, Selection, Warning};
use polars::prelude::DataFrame;
use trace_view::Figure;

/// A comparison of two traces, built up by setters; ranks and iterations default to the first of each side.
///
/// # Source
/// HTA `TraceDiff`.
#[derive(Clone)]
pub struct TraceDiff {
    control: LabeledTrace,
    test: LabeledTrace,
    control_rank: Option<Pick>,
    test_rank: Option<Pick>,
    control_iteration: Option<Pick>,
    test_iteration: Option<Pick>,
    device_type: DeviceType,
    use_short_name: bool,
}

impl TraceDiff {
    /// Compares `test` with `control`; the same trace may stand on both sides.
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
        }
    }

    /// The rank or ranks of the control side.
    #[must_use]
    pub fn control_rank(mut self, ranks: impl Into<Pick>) -> Self {
        self.control_rank = Some(ranks.into());
        self
    }

    /// The rank or ranks of the test side.
    #[must_use]
    pub fn test_rank(mut self, ranks: impl Into<Pick>) -> Self {
        self.test_rank = Some(ranks.into());
        self
    }

    /// The iteration or iterations of the control side.
    #[must_use]
    pub fn control_iteration(mut self, iterations: impl Into<Pick>) -> Self {
        self.control_iteration = Some(iterations.into());
        self
    }

    /// The iteration or iterations of the test side.
    #[must_use]
    pub fn test_iteration(mut self, iterations: impl Into<Pick>) -> Self {
        self.test_iteration = Some(iterations.into());
        self
    }

    /// The device whose events are compared; all by default.
    #[must_use]
    pub fn device_type(mut self, device_type: DeviceType) -> Self {
        self.device_type = device_type;
        self
    }

    /// Whether names are shortened ([`shorten_name`](crate::shorten_name)) and equal short names added up.
    #[must_use]
    pub fn use_short_name(mut self, yes: bool) -> Self {
        self.use_short_name = yes;
        self
    }

    /// What is compared, defaults filled in and labels made distinct.
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn selection(&self) -> Result<Selection> {
        Err(crate::Error::Interrupted)
    }

    /// What a reader of the answer must know.
    pub fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }

    /// Counts and durations on both sides, and their differences (test − control).
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn compare_traces(&self) -> Result<DataFrame> {
        Err(crate::Error::Interrupted)
    }

    /// The names by how their count changed; always whole names.
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub fn ops_diff(&self) -> Result<OpsDiff> {
        Err(crate::Error::Interrupted)
    }

    /// Bars of the counts in a result of [`TraceDiff::compare_traces`], in the frame's order.
    ///
    /// # Errors
    /// If the frame lacks the columns.
    pub fn visualize_counts_diff(df: &DataFrame) -> Result<Figure> {
        let _ = df;
        Ok(Figure::default())
    }

    /// Bars of the durations in a result of [`TraceDiff::compare_traces`], in the frame's order.
    ///
    /// # Errors
    /// If the frame lacks the columns.
    pub fn visualize_duration_diff(df: &DataFrame) -> Result<Figure> {
        let _ = df;
        Ok(Figure::default())
    }
}
