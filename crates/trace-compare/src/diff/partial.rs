//! Partial results of a comparison as bytes.

use super::api::CompareRuns;
use crate::exec::checkpoint::guarded;
use crate::state::{opened, sealed};
use crate::{DiffSide, Error, Result, Trace};

/// Reads the plan of a comparison from its JSON text.
///
/// # Errors
/// [`Error::WrongState`] if it is of another comparison, or damaged.
pub fn planned<C: CompareRuns>(plan: &str) -> Result<C> {
    serde_json::from_str(plan).map_err(|error| Error::WrongState {
        question: C::NAME.to_owned(),
        reason: format!("its plan cannot be read ({error})"),
    })
}

/// Computes the partial result of one rank, as bytes.
pub fn mapped<C: CompareRuns>(plan: &C, side: DiffSide, run: usize, rank: &Trace) -> Result<Vec<u8>> {
    guarded(|| sealed(C::NAME, &plan.key(), &plan.map(side, run, rank)?))
}

/// Merges partial results.
pub fn merged<C: CompareRuns>(plan: &C, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
    let mut merged = C::State::default();
    for state in states {
        plan.merge(&mut merged, opened(C::NAME, &plan.key(), state.as_ref())?);
    }
    sealed(C::NAME, &plan.key(), &merged)
}

/// Makes the answer from the merged partial result of all ranks.
pub fn finished<C: CompareRuns>(plan: &C, state: &[u8]) -> Result<C::Answer> {
    guarded(|| plan.finish(opened(C::NAME, &plan.key(), state)?))
}
