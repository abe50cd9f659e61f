//! The trait of all analyses, and the partial results that they merge.

use super::listed::AnswerFiles;
use super::merge::{ByRank, Merge};
use super::{Answer, Parameter, RankView, TableSchema};
use crate::{Compat, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// An analysis of one trace. Its fields are its parameters; their defaults are HTA's.
///
/// [`map`](Self::map) turns each rank into a partial result, partial results merge in any order, and
/// [`finish`](Self::finish) turns the merged result into an [`Answer`].
pub trait Analysis: Default + Serialize + DeserializeOwned + Sync {
    /// The name of catalog row, magic and file: HTA's method without `get_`.
    const NAME: &'static str;
    /// One line for help and completion.
    const SUMMARY: &'static str;
    /// The fields with their meaning, except `ranks`.
    const PARAMETERS: &'static [Parameter];
    /// The tables of the answer, in order.
    const TABLES: &'static [TableSchema];
    /// Further paragraphs of the help; may be empty.
    const NOTES: &'static str = "";
    /// Whether only the first rank is analysed by default, as in HTA.
    const FIRST_RANK_ONLY: bool = false;
    /// Whether launches matter: a filtered trace then includes the launches of the kernels that pass the filter.
    const LAUNCHES: bool = false;
    /// Whether kernels of graphs take operators of the companions of the trace.
    const BORROWS: bool = false;
    /// Estimated working memory per analysed row, in bytes, for [`Analysis::map`] and [`Analysis::finish`] including the
    /// answer. As many ranks are mapped at a time as fit the memory budget; if one alone does not, the analysis is refused.
    /// The most that was measured for the catalog is 41 (`examples/ask.rs`).
    const BYTES_PER_ROW: usize = 48;
    /// True if partial results grow with the number of events, such as a list of launches. If those of all ranks, and the answer,
    /// do not fit the memory budget together, [`Analysis::move_to_files`] moves them to files. Other partial results grow with
    /// names, streams and iterations only.
    const KEEPS_EVENTS: bool = false;
    /// The partial result: exact, and independent of the order in which ranks are merged.
    type State: Merge + Default + Send + Serialize + DeserializeOwned;

    /// Computes the partial result of one rank.
    ///
    /// # Errors
    /// If its events lack a column.
    fn map(&self, rank: &RankView) -> Result<Self::State>;

    /// Computes the answer from the merged result of all ranks.
    ///
    /// # Errors
    /// If a parameter is invalid.
    fn finish(&self, state: Self::State) -> Result<Answer>;

    /// Moves what the partial result of a rank keeps of its events to files, since those of all ranks do not fit in memory. It is
    /// called for an analysis that [keeps events](Self::KEEPS_EVENTS); the default refuses.
    ///
    /// # Errors
    /// If they cannot be written; [`Error::NoAnswerFiles`](crate::Error::NoAnswerFiles) by default.
    fn move_to_files(&self, state: Self::State, files: &AnswerFiles) -> Result<Self::State> {
        let _ = (state, files);
        Err(crate::Error::NoAnswerFiles(Self::NAME))
    }

    /// Returns the ranks that its parameters name; `None` leaves the choice to [`Analysis::FIRST_RANK_ONLY`].
    fn ranks(&self) -> Option<&[i64]> {
        None
    }

    /// Returns the streams that its parameters name; one that no rank has is an error.
    fn streams(&self) -> Option<&[i64]> {
        None
    }
}

/// The partial result of an analysis, with what every answer says of its ranks.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Mapped<S> {
    /// Number of analysed rows.
    pub(super) rows: usize,
    /// Number of events that end before they start, of ranks that have any; those that HTA's rounding made do not count.
    pub(super) negative: ByRank<usize>,
    pub(super) state: S,
}

impl<S> Mapped<S> {
    /// Computes the partial result of one rank.
    ///
    /// # Errors
    /// If its events lack a column.
    pub(super) fn of<A: Analysis<State = S>>(analysis: &A, view: &RankView) -> Result<Self> {
        let with_launches = if A::LAUNCHES { view.with_launches() } else { None };
        let state = analysis.map(with_launches.as_ref().unwrap_or(view))?;
        let negative = if view.compat() == Compat::Exact { view.negative()? } else { 0 };
        let negative = if negative > 0 { ByRank::of(view.rank(), negative) } else { ByRank::default() };
        Ok(Self { rows: view.rows().len(), negative, state })
    }
}

impl<S: Merge> Merge for Mapped<S> {
    fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.negative.merge(other.negative);
        self.state.merge(other.state);
    }
}
