//! The trait of comparisons.

use crate::{DiffSide, Result, Trace};
use polars::prelude::DataFrame;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A comparison of two sides, each of one or more runs: the plan of what is computed of each rank, without the traces.
///
/// [`map`](Self::map) turns each rank of a run into an exact partial result, partial results [`merge`](Self::merge) in any order
/// and grouping, also as bytes, and [`finish`](Self::finish) makes the typed answer. Frames are views of it.
pub trait CompareRuns: Serialize + DeserializeOwned + Sync {
    /// The name of its row in [`COMPARISONS`](crate::COMPARISONS).
    const NAME: &'static str;
    /// One line on what it compares.
    const SUMMARY: &'static str;
    /// The partial result: exact, and independent of the order in which ranks are merged.
    type State: Default + Send + Serialize + DeserializeOwned;
    /// The answer.
    type Answer;

    /// Computes the partial result of one rank of the run at place `run` of a side.
    ///
    /// # Errors
    /// If its events cannot be read, or the selection does not fit them.
    fn map(&self, side: DiffSide, run: usize, rank: &Trace) -> Result<Self::State>;

    /// Merges the partial result of other ranks.
    fn merge(&self, one: &mut Self::State, other: Self::State);

    /// Makes the answer from the merged result of all ranks.
    ///
    /// # Errors
    /// If the answer does not fit into memory.
    fn finish(&self, state: Self::State) -> Result<Self::Answer>;

    /// Returns the rows of an answer, HTA's where HTA has them.
    ///
    /// # Errors
    /// If the rows do not fit into memory.
    fn frame(answer: Self::Answer) -> Result<DataFrame>;

    /// Returns what partial results depend on, as a text that is the same in every process.
    fn key(&self) -> String;
}
