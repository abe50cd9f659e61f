//! Kernels of the forward that ran once more for the backward.

use super::modules::recomputed_ns;
use crate::Result;
use crate::analysis::RankView;
use crate::analysis::call_trees::CallTrees;
use crate::frame::IntColumn;
use crate::frame::columns::INDEX_FORWARD;
use serde::{Deserialize, Serialize};
use trace_view::format::nanoseconds as time;

/// Recomputation, over all ranks with modules; times in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recomputed {
    /// Time of the kernels of modules that ran once more.
    pub recomputed_ns: i64,
    /// Time of all kernels, copies and fills.
    pub gpu_ns: i64,
}

impl Recomputed {
    /// Adds the kernels of a view up, whose call trees are `trees`; of a rank without modules nothing is known.
    ///
    /// # Errors
    /// If events cannot be read any more.
    pub(in crate::analysis) fn of(view: &RankView, trees: &CallTrees) -> Result<Self> {
        let events = view.all_events_with(&[INDEX_FORWARD])?;
        let forward = IntColumn::of(&events, INDEX_FORWARD).ok();
        Ok(Self::of_gpu(view, recomputed_ns(trees, forward.as_ref())))
    }

    /// Creates it with the time of all kernels of a view.
    pub(in crate::analysis) fn of_gpu(view: &RankView, recomputed_ns: i64) -> Self {
        Self { recomputed_ns, gpu_ns: view.gpu_work_ns() }
    }

    /// Returns the sum with that of other ranks.
    pub(in crate::analysis) fn with(self, other: Self) -> Self {
        Self {
            recomputed_ns: self.recomputed_ns.saturating_add(other.recomputed_ns),
            gpu_ns: self.gpu_ns.saturating_add(other.gpu_ns),
        }
    }

    /// Returns the share of the time of all kernels in percent; `None` if nothing is known to be recomputed.
    pub fn percent(&self) -> Option<f64> {
        (self.recomputed_ns > 0).then(|| 100.0 * self.recomputed_ns as f64 / self.gpu_ns.max(1) as f64)
    }

    /// Returns the sentence, without its full stop; `None` if nothing is known to be recomputed.
    pub fn sentence(&self) -> Option<String> {
        let percent = self.percent()?;
        Some(format!(
            "Recomputed for the backward: {} of {} GPU time ({percent:.1} %)",
            time(self.recomputed_ns),
            time(self.gpu_ns)
        ))
    }
}
