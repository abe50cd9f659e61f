//! The work of operators: that which `roofline` counts, by row, and the least time that the device allows for it.

use super::sums::{Sums, WorkSums};
use crate::Result;
use crate::analysis::RankView;
use crate::analysis::call_trees::CallTrees;
use crate::analysis::roofline::{CallTimes, CountedCall, CountedWork, device_of, peaks, reached};

/// The work of the operators of a rank.
#[derive(Debug)]
pub(super) struct RankWork {
    /// Operators with work, by row.
    rows: Vec<(usize, WorkSums)>,
    /// Whether the GPU works, so that times are those of kernels.
    pub(super) is_on_gpu: bool,
    /// Whether the inputs that are no tensors could be read: strides, groups, masks.
    pub(super) has_values: bool,
    /// Why there is no roofline.
    pub(super) without_peaks: Option<String>,
}

impl RankWork {
    /// Counts the work of a rank; `peak` replaces limits of its device.
    ///
    /// # Errors
    /// If events cannot be read any more, or `peak`, a parameter of this analysis, is invalid.
    pub(super) fn of(rank: &RankView, trees: &CallTrees, analysis: &'static str, peak: Option<&str>) -> Result<Self> {
        let found = CountedWork::of(rank, trees)?;
        let peaks = peaks(analysis, peak, &device_of(rank.info()))?;
        // Sums of whole numbers do not depend on the order of ranks.
        let least = |(call, _): &(CountedCall, CallTimes)| {
            let reached = reached(&call.work, 1.0, peaks.as_ref().ok()?)?;
            Some((reached.least_ns * 1e6).round() as u128)
        };
        let least: Vec<Option<u128>> = found.counted.iter().map(least).collect();
        let is_on_gpu = found.gpu > 0;
        let sums = |(row, number): (usize, usize)| {
            let ns = if is_on_gpu { trees.graph().kernels(row).ns } else { trees.rows().dur(row).max(0) };
            let work = &found.counted[number].0.work;
            let (least, limited) = least[number].map_or((0, 0), |least| (least, ns));
            (row, WorkSums { calls: 1, flops: work.flops, bytes: work.bytes, ns, least, limited })
        };
        let mut rows: Vec<(usize, WorkSums)> = found.operators().map(sums).collect();
        rows.sort_unstable_by_key(|(row, _)| *row);
        let without_peaks = peaks.err().filter(|_| is_on_gpu);
        Ok(Self { rows, is_on_gpu, has_values: found.has_values, without_peaks })
    }

    /// Tells whether no operator has work.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the work of the operator of a row to sums.
    pub(super) fn add_to(&self, sums: &mut Sums, row: usize) {
        if let Ok(at) = self.rows.binary_search_by_key(&row, |(row, _)| *row) {
            let sums = if self.is_on_gpu { &mut sums.work } else { &mut sums.host_work };
            sums.add(&self.rows[at].1);
        }
    }
}
