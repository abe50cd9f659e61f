//! Operators that companions lend to the kernels of a timeline.

use super::lender::Lender;
use super::shown::{ShownRank, Timeline};
use crate::companion::KernelOperators;
use crate::{Compat, Result, TraceSet};
use std::sync::Arc;

impl ShownRank {
    /// Returns the operators above the kernels of the rank, found when they are first asked for; `None` without companions.
    fn operators(&self, compat: Compat, lenders: &[Lender]) -> Result<Option<Arc<KernelOperators>>> {
        if let Some(known) = self.operators.get() {
            return Ok(Some(Arc::clone(known)));
        }
        let companions: Vec<TraceSet> = lenders.iter().filter_map(Lender::trace).cloned().collect();
        let Some(trace) = self.trace.as_ref().filter(|_| !companions.is_empty()) else { return Ok(None) };
        let found = KernelOperators::of(trace, compat, &companions)?;
        Ok(Some(Arc::clone(self.operators.get_or_init(|| found))))
    }
}

impl Timeline {
    /// Returns the operators above the kernels of a rank of a side; `None` without companions.
    ///
    /// # Errors
    /// If events cannot be read.
    pub(super) fn operators(&self, side: usize, rank: &ShownRank) -> Result<Option<Arc<KernelOperators>>> {
        rank.operators(self.sides[side].compat, &self.lenders)
    }
}
