//! Rows of a comparison of samples, and its sides.

use super::iteration_times::IterationTimes;
use crate::Change;
use statistics::Quantity;

/// One side of the comparison.
pub(super) struct StatsSide {
    pub(super) label: String,
    pub(super) runs: Vec<IterationTimes>,
}

/// One row, the step included.
pub(super) struct Row {
    pub(super) name: String,
    /// Events in an iteration of control and test.
    pub(super) counts: [f64; 2],
    pub(super) quantity: Quantity,
}

impl Row {
    pub(super) fn change(&self) -> Change {
        Change::of_means(self.counts[0], self.counts[1])
    }
}
