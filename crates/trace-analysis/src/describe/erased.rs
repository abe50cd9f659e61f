//! Descriptions over bytes: partial results of ranks that any process merges and finishes.

use super::Description;
use super::facts::Facts;
use super::measure::Measurements;
use crate::dataset::{RunRanks, ask};
use crate::distributed::Query;
use crate::exec::checkpoint::guarded;
use crate::state::{opened, sealed};
use crate::{Compat, RankInfo, Result, Trace, TraceSet, Warning};

/// The name of the question, in messages and partial results.
pub(super) const NAME: &str = "describe";

impl Description {
    /// Measures one rank that was loaded with `compat`: a partial result that any process can merge and finish.
    ///
    /// # Errors
    /// If the events cannot be read any more.
    ///
    /// # Example
    /// ```
    /// use trace::Description;
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let job = TraceSet::load("../../notebooks/data/job")?;
    /// let compat = job.compat();
    /// let states: Vec<Vec<u8>> = job.traces().iter().map(|rank| Description::map(rank, compat)).collect::<Result<_, _>>()?;
    /// let merged = Description::merge(compat, &states)?;
    /// let page = Description::finish(job.label(), compat, &job.info(), job.warnings(), &merged)?;
    /// assert_eq!(page, job.describe()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn map(rank: &Trace, compat: Compat) -> Result<Vec<u8>> {
        let measured = guarded(|| Measurements::of(rank, compat))?;
        sealed(NAME, &compat.to_string(), &measured)
    }

    /// Merges partial results of ranks that were loaded with `compat`; any order and grouping gives the same description.
    ///
    /// # Errors
    /// [`Error::WrongState`](crate::Error::WrongState) if one is damaged, or of another version, question or mode.
    pub fn merge(compat: Compat, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        let mut merged = Measurements::default();
        for state in states {
            merged.merge(opened(NAME, &compat.to_string(), state.as_ref())?);
        }
        sealed(NAME, &compat.to_string(), &merged)
    }

    /// Makes the description of a trace from the facts of its ranks, what was repaired while they were loaded, and their
    /// merged partial result: the same as [`describe`](super::describe) makes, but for calls that would divide a recording without the
    /// profiler's steps, which are not looked for.
    ///
    /// # Errors
    /// As [`Description::merge`].
    pub fn finish(
        label: &str,
        compat: Compat,
        ranks: &[&RankInfo],
        warnings: &[Warning],
        state: &[u8],
    ) -> Result<Self> {
        let measured = opened(NAME, &compat.to_string(), state)?;
        Facts { label, compat, ranks, warnings, calls: Vec::new() }.described(measured)
    }
}

/// Describes a trace whose ranks an engine reads.
///
/// # Errors
/// If the engine fails, or a rank cannot be read any more.
pub(super) fn describe_elsewhere(traces: &TraceSet) -> Result<Description> {
    let part = RunRanks { label: traces.label(), all: traces.traces(), ranks: traces.traces().to_vec(), side: None };
    let states = ask(&Query::Describe, vec![part])?;
    let merged = Description::merge(traces.compat(), &states)?;
    Description::finish(traces.label(), traces.compat(), &traces.info(), traces.warnings(), &merged)
}
