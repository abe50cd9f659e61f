//! The catalog of all analyses: one row each, without its type.

use super::{
    Analysis, Answer, AtenOpKernelsAndDelay, CommCompOverlap, CudaKernelLaunchStats, FrequentCudaKernelSequences,
    GpuKernelBreakdown, GpuKernelsWithUserAnnotations, GpuUserAnnotationBreakdown, IdleTimeBreakdown, MemoryBwSummary,
    MemoryBwTimeSeries, Parameter, PotentialStragglers, ProfilerSteps, QueueLengthSummary, QueueLengthTimeSeries,
    TableSchema, TemporalBreakdown, TimeBlockedOnFullQueue, TraceAnalysis, TraceWithCounters,
};
use crate::error::ParameterReason;
use crate::{Error, Result};
use serde_json::{Map, Value};

/// All analyses, in the order of the help pages.
pub const CATALOG: &[Entry] = &[
    Entry::of::<TemporalBreakdown>(),
    Entry::of::<IdleTimeBreakdown>(),
    Entry::of::<GpuKernelBreakdown>(),
    Entry::of::<CommCompOverlap>(),
    Entry::of::<MemoryBwTimeSeries>(),
    Entry::of::<MemoryBwSummary>(),
    Entry::of::<QueueLengthTimeSeries>(),
    Entry::of::<QueueLengthSummary>(),
    Entry::of::<TimeBlockedOnFullQueue>(),
    Entry::of::<TraceWithCounters>(),
    Entry::of::<CudaKernelLaunchStats>(),
    Entry::of::<FrequentCudaKernelSequences>(),
    Entry::of::<GpuUserAnnotationBreakdown>(),
    Entry::of::<GpuKernelsWithUserAnnotations>(),
    Entry::of::<AtenOpKernelsAndDelay>(),
    Entry::of::<PotentialStragglers>(),
    Entry::of::<ProfilerSteps>(),
];

/// One analysis, without its type.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name of magic and file.
    pub name: &'static str,
    /// One line for help and completion.
    pub summary: &'static str,
    /// Further paragraphs of the help; may be empty.
    pub notes: &'static str,
    /// Its parameters, except `ranks`.
    pub parameters: &'static [Parameter],
    /// The tables of its answer, in order.
    pub tables: &'static [TableSchema],
    /// Whether only the first rank is analysed by default.
    pub first_rank_only: bool,
    /// Whether a filtered trace includes the launches of the kernels that pass the filter.
    pub launches: bool,
    defaults: fn() -> Value,
    ask: fn(&TraceAnalysis, Value, Option<&[i64]>) -> Result<Answer>,
}

impl Entry {
    /// Creates the row of an analysis.
    pub const fn of<A: Analysis>() -> Self {
        Self {
            name: A::NAME,
            summary: A::SUMMARY,
            notes: A::NOTES,
            parameters: A::PARAMETERS,
            tables: A::TABLES,
            first_rank_only: A::FIRST_RANK_ONLY,
            launches: A::LAUNCHES,
            defaults: defaults::<A>,
            ask: ask::<A>,
        }
    }

    /// Returns the default of each parameter by name; null for none.
    pub fn defaults(&self) -> Value {
        (self.defaults)()
    }

    /// Runs the analysis with these parameters, by name, and the defaults of the rest; `ranks` as in
    /// [`TraceAnalysis::ask_ranks`].
    ///
    /// # Errors
    /// If a parameter is unknown or invalid, or a rank does not exist.
    pub fn ask(&self, traces: &TraceAnalysis, given: Map<String, Value>, ranks: Option<&[i64]>) -> Result<Answer> {
        let mut parameters = self.defaults();
        for (name, value) in given {
            match parameters.get_mut(&name) {
                Some(default) => *default = value,
                None => {
                    return Err(Error::WrongParameter {
                        analysis: self.name,
                        reason: ParameterReason::Unknown { name },
                    });
                }
            }
        }
        (self.ask)(traces, parameters, ranks)
    }
}

fn defaults<A: Analysis>() -> Value {
    serde_json::to_value(A::default()).unwrap_or_default()
}

fn ask<A: Analysis>(traces: &TraceAnalysis, parameters: Value, ranks: Option<&[i64]>) -> Result<Answer> {
    let invalid = |error: serde_json::Error| Error::WrongParameter {
        analysis: A::NAME,
        reason: ParameterReason::Type(error.to_string()),
    };
    let analysis: A = serde_json::from_value(parameters).map_err(invalid)?;
    traces.ask_ranks(&analysis, ranks)
}
