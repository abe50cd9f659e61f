//! The selection that a timeline shows, and its builder.

use super::query_side::QuerySides;
use crate::{LabeledTrace, Select, SelectEvents, TraceSet};

/// Builds the timeline of a trace, or of two.
///
/// # Example
/// ```
/// use trace::prelude::*;
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
    pub(super) remarks: Vec<String>,
    pub(super) companions: Vec<TraceSet>,
}

/// Iterations are those that are shown at first, all by default: other events are in the timeline, too. A filter must be a condition
/// ([`Where`](crate::filter::Where)), not a polars expression.
impl SelectEvents for TimelineQuery {
    fn selection_mut(&mut self) -> &mut Select {
        &mut self.sides.select
    }
}

impl TimelineQuery {
    /// Shows one trace.
    pub fn new(trace: impl Into<LabeledTrace>) -> Self {
        Self { sides: QuerySides::of([trace.into()]), remarks: Vec::new(), companions: Vec::new() }
    }

    /// Shows two traces, aligned at the start of their first shown steps.
    pub fn compare(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        let sides = QuerySides::of([control.into(), test.into()]);
        Self { sides, remarks: Vec::new(), companions: Vec::new() }
    }

    /// Takes a recording of the same program without graphs, or of the capture of its graphs, beside others. Details of work of the GPU then
    /// name the innermost operator above it, of a kernel of a graph that of its capture, and where that was recorded; a search by name finds
    /// kernels by borrowed operators, too.
    #[must_use]
    pub fn companion(mut self, companion: impl Into<LabeledTrace>) -> Self {
        let companion = companion.into();
        self.companions.push(companion.trace().with_label(companion.label()));
        self
    }

    /// Adds a sentence to the summary, such as which run of several is shown.
    #[must_use]
    pub fn remark(mut self, sentence: impl Into<String>) -> Self {
        self.remarks.push(sentence.into());
        self
    }
}
