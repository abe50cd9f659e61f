//! A trace for an analysis, with the rows that the flags of a call select.

use crate::argument::Call;
use std::sync::Arc;
use trace_core::filter::Where;
use trace_core::{TraceAnalysis, TraceSet};

/// A trace to analyse, as a call selects its rows.
pub(crate) struct AnalysedTrace {
    traces: Arc<TraceSet>,
    include_last: bool,
    condition: Option<Where>,
    /// The selected ranks; `None` for those that the analysis chooses.
    pub(crate) ranks: Option<Vec<i64>>,
    /// The selected iterations; `None` for all events, or with `every_iteration` for all iterations.
    iterations: Option<Vec<i64>>,
    every_iteration: bool,
    /// Traces that lend operators to the kernels of graphs.
    companions: Vec<Arc<TraceSet>>,
}

impl AnalysedTrace {
    /// Reads the flags of a call.
    pub(crate) fn of(call: &Call<'_>, traces: Arc<TraceSet>) -> Self {
        Self {
            include_last: call.switch("include-last-profiler-step"),
            condition: call.condition("where").cloned(),
            ranks: call.pick("rank", || traces.ranks()),
            iterations: call.list("iteration").map(<[i64]>::to_vec),
            every_iteration: call.has("iteration"),
            companions: Vec::new(),
            traces,
        }
    }

    /// Takes companions, which lend operators to the kernels of graphs.
    pub(crate) fn with_companions(self, companions: &[Arc<TraceSet>]) -> Self {
        Self { companions: companions.to_vec(), ..self }
    }

    /// Returns the selected rows, ready for analyses.
    ///
    /// # Errors
    /// If no rank has a selected iteration, or a condition names an unknown column.
    pub(crate) fn analysis(&self) -> trace_core::Result<TraceAnalysis> {
        let mut analysis = TraceAnalysis::with_last_profiler_step(&self.traces, self.include_last)?;
        for companion in &self.companions {
            analysis = analysis.companion(companion)?;
        }
        let iterations = match &self.iterations {
            // `all`; a trace without iterations is analysed as a whole.
            None if self.every_iteration && self.traces.has_profiler_steps() => Some(analysis.iterations()?),
            iterations => iterations.clone(),
        };
        if let Some(iterations) = iterations {
            analysis = analysis.in_iterations(iterations)?;
        }
        match &self.condition {
            Some(condition) => analysis.filter(condition),
            None => Ok(analysis),
        }
    }
}
