//! The catalog of all analyses: one row each, without its type.

use super::{
    Analysis, Answer, AtenOpKernelsAndDelay, Collectives, CommCompOverlap, CompareRanks, CudaKernelLaunchStats,
    CuptiCounters, FrequentCudaKernelSequences, GpuKernelBreakdown, GpuKernelsWithUserAnnotations,
    GpuUserAnnotationBreakdown, IdleTimeBreakdown, Kernels, Mapped, MemoryBwSummary, MemoryBwTimeSeries, Merge,
    Operators, Parameter, Plan, PotentialStragglers, ProfilerSteps, QueueLengthSummary, QueueLengthTimeSeries,
    RankView, Roofline, TableSchema, TemporalBreakdown, TimeBlockedOnFullQueue, TraceAnalysis, TraceWithCounters,
    Validate,
};
use crate::error::ParameterReason;
use crate::exec::checkpoint::guarded;
use crate::state::{opened, sealed};
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
    Entry::of::<CompareRanks>(),
    Entry::of::<Operators>(),
    Entry::of::<Roofline>(),
    Entry::of::<Collectives>(),
    Entry::of::<Kernels>(),
    Entry::of::<CuptiCounters>(),
    Entry::of::<Validate>(),
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
    /// Whether kernels of graphs take operators of companions ([`TraceAnalysis::companion`]).
    pub borrows: bool,
    /// True if partial results grow with the number of events, see [`Analysis::KEEPS_EVENTS`].
    pub keeps_events: bool,
    defaults: fn() -> Value,
    erased: Erased,
}

/// Selected ranks; `None` leaves the choice to the analysis.
type Ranks<'r> = Option<&'r [i64]>;

/// An encoded partial result.
type Bytes = Vec<u8>;

/// The functions of an analysis, without its type; parameters are complete.
#[derive(Clone, Copy)]
struct Erased {
    ask: fn(&TraceAnalysis, Value, Ranks<'_>) -> Result<Answer>,
    ranks: fn(&Plan, Value, Ranks<'_>) -> Result<Vec<i64>>,
    map: fn(&RankView, Value) -> Result<Bytes>,
    merge: fn(&[&[u8]], Value) -> Result<Bytes>,
    finish: fn(&Plan, &[u8], Value, Ranks<'_>) -> Result<Answer>,
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
            borrows: A::BORROWS,
            keeps_events: A::KEEPS_EVENTS,
            defaults: defaults::<A>,
            erased: Erased { ask: ask::<A>, ranks: ranks::<A>, map: map::<A>, merge: merge::<A>, finish: finish::<A> },
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
    pub fn ask(&self, traces: &TraceAnalysis, arguments: Map<String, Value>, ranks: Option<&[i64]>) -> Result<Answer> {
        (self.erased.ask)(traces, self.complete(arguments)?, ranks)
    }

    /// Returns the ranks to map: `ranks`, or those that the parameters or the analysis choose.
    ///
    /// # Errors
    /// As [`Entry::ask`].
    pub fn ranks(&self, plan: &Plan, arguments: Map<String, Value>, ranks: Option<&[i64]>) -> Result<Vec<i64>> {
        (self.erased.ranks)(plan, self.complete(arguments)?, ranks)
    }

    /// Computes the partial result of one rank, as bytes that any process can merge and finish. The example of [`Plan`] shows
    /// how.
    ///
    /// # Errors
    /// If a parameter is unknown or invalid, or the events lack a column.
    pub fn map(&self, rank: &RankView, arguments: Map<String, Value>) -> Result<Vec<u8>> {
        let parameters = self.complete(arguments)?;
        guarded(|| (self.erased.map)(rank, parameters))
    }

    /// Merges partial results that were computed with these parameters; any order and grouping gives the same answer. None at
    /// all give the partial result of no rank.
    ///
    /// # Errors
    /// [`Error::WrongState`] if one is damaged, or of another version, analysis or parameters.
    pub fn merge(&self, arguments: Map<String, Value>, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        let states: Vec<&[u8]> = states.iter().map(AsRef::as_ref).collect();
        (self.erased.merge)(&states, self.complete(arguments)?)
    }

    /// Computes the answer from the merged partial result of these ranks: the same as [`Entry::ask`] would.
    ///
    /// # Errors
    /// [`Error::WrongState`] as [`Entry::merge`]; otherwise as [`Entry::ask`].
    pub fn finish(
        &self,
        plan: &Plan,
        arguments: Map<String, Value>,
        ranks: Option<&[i64]>,
        state: &[u8],
    ) -> Result<Answer> {
        let parameters = self.complete(arguments)?;
        guarded(|| (self.erased.finish)(plan, state, parameters, ranks))
    }

    /// Returns all parameters: those given, and the defaults of the rest.
    fn complete(&self, arguments: Map<String, Value>) -> Result<Value> {
        let mut parameters = self.defaults();
        for (name, value) in arguments {
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
        Ok(parameters)
    }
}

fn defaults<A: Analysis>() -> Value {
    serde_json::to_value(A::default()).unwrap_or_default()
}

fn analysis<A: Analysis>(parameters: Value) -> Result<A> {
    let invalid = |error: serde_json::Error| Error::WrongParameter {
        analysis: A::NAME,
        reason: ParameterReason::Type(error.to_string()),
    };
    serde_json::from_value(parameters).map_err(invalid)
}

/// Returns the parameters as a text that is the same in every process.
pub(super) fn text<A: Analysis>(analysis: &A) -> String {
    serde_json::to_string(analysis).unwrap_or_default()
}

fn ask<A: Analysis>(traces: &TraceAnalysis, parameters: Value, ranks: Ranks<'_>) -> Result<Answer> {
    traces.ask_ranks(&analysis::<A>(parameters)?, ranks)
}

fn ranks<A: Analysis>(plan: &Plan, parameters: Value, ranks: Ranks<'_>) -> Result<Vec<i64>> {
    let all = plan.ranks();
    Ok(plan.selected(&analysis::<A>(parameters)?, ranks)?.into_iter().map(|at| all[at]).collect())
}

fn map<A: Analysis>(rank: &RankView, parameters: Value) -> Result<Bytes> {
    let analysis = analysis::<A>(parameters)?;
    sealed(A::NAME, &text(&analysis), &Mapped::of(&analysis, rank)?)
}

fn merge<A: Analysis>(states: &[&[u8]], parameters: Value) -> Result<Bytes> {
    let text = text(&analysis::<A>(parameters)?);
    let mut merged: Mapped<A::State> = Mapped::default();
    for state in states {
        merged.merge(opened(A::NAME, &text, state)?);
    }
    sealed(A::NAME, &text, &merged)
}

fn finish<A: Analysis>(plan: &Plan, state: &[u8], parameters: Value, ranks: Ranks<'_>) -> Result<Answer> {
    let analysis = analysis::<A>(parameters)?;
    let mapped = opened(A::NAME, &text(&analysis), state)?;
    plan.finish(&analysis, &plan.selected(&analysis, ranks)?, mapped)
}
