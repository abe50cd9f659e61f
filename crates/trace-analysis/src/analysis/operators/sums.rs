//! The sums of a row.

use serde::{Deserialize, Serialize};

/// The sums of a row, times in ns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sums {
    pub(super) count: u64,
    pub(super) total: i64,
    pub(super) own: i64,
    pub(super) kernels: u64,
    pub(super) kernel_total: i64,
    pub(super) kernel_own: i64,
    pub(super) kernel_span: i64,
    pub(super) launches: i64,
}

impl Sums {
    /// Adds those of another row.
    pub(super) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.kernels += other.kernels;
        for (sum, value) in [
            (&mut self.total, other.total),
            (&mut self.own, other.own),
            (&mut self.kernel_total, other.kernel_total),
            (&mut self.kernel_own, other.kernel_own),
            (&mut self.kernel_span, other.kernel_span),
            (&mut self.launches, other.launches),
        ] {
            *sum = sum.saturating_add(value);
        }
    }

    /// Returns the part of the time that launches take, in percent.
    pub(super) fn launch_share(&self) -> f64 {
        // Launches on another thread may take longer than the call that they are below.
        if self.total > 0 { (100.0 * self.launches as f64 / self.total as f64).min(100.0) } else { 0.0 }
    }
}
