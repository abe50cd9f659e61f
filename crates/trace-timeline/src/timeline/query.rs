//! The selection that a timeline shows, and its builder.

use super::query_side::QuerySides;
use crate::filter::Where;
use crate::{Iteration, LabeledTrace, Pick, Rank};

/// Builds the timeline of a trace, or of two.
///
/// # Example
/// ```
/// use trace::{TimelineQuery, TraceSet};
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
/// let timeline = TimelineQuery::new(&control).ranks(3).run()?;
/// assert!(timeline.event_count() > 1_000);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TimelineQuery {
    pub(super) sides: QuerySides,
    pub(super) filter: Option<Where>,
    pub(super) remarks: Vec<String>,
}

impl TimelineQuery {
    /// Shows one trace.
    pub fn new(trace: impl Into<LabeledTrace>) -> Self {
        Self { sides: QuerySides::of([trace.into()]), filter: None, remarks: Vec::new() }
    }

    /// Shows two traces, aligned at the start of their first shown steps.
    pub fn compare(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        Self { sides: QuerySides::of([control.into(), test.into()]), filter: None, remarks: Vec::new() }
    }

    /// The rank or ranks of all sides; of each side the first by default.
    #[must_use]
    pub fn ranks(mut self, ranks: impl Into<Pick<Rank>>) -> Self {
        self.sides.set_ranks(None, ranks);
        self
    }

    /// The rank or ranks of one side: 0 for control, 1 for test.
    #[must_use]
    pub fn ranks_of(mut self, side: usize, ranks: impl Into<Pick<Rank>>) -> Self {
        self.sides.set_ranks(Some(side), ranks);
        self
    }

    /// The iteration or iterations that are shown at first; all by default. Other events are in the timeline, too.
    #[must_use]
    pub fn iterations(mut self, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.sides.set_iterations(None, iterations);
        self
    }

    /// The iteration or iterations of one side that are shown at first: 0 for control, 1 for test.
    #[must_use]
    pub fn iterations_of(mut self, side: usize, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.sides.set_iterations(Some(side), iterations);
        self
    }

    /// Shows only events that meet a condition.
    #[must_use]
    pub fn filter(mut self, filter: Where) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Adds a sentence to the summary, such as which run of several is shown.
    #[must_use]
    pub fn remark(mut self, sentence: impl Into<String>) -> Self {
        self.remarks.push(sentence.into());
        self
    }
}
