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
    /// Of `kernel_own` that of calls that a companion lends.
    pub(super) borrowed: i64,
    pub(super) launches: i64,
    /// Of `kernel_total` those of backward operators.
    pub(super) backward: i64,
    /// Of `kernel_total` those of a forward that ran once more for the backward.
    pub(super) recomputed: i64,
    /// Work of ranks whose GPU works.
    pub(super) work: WorkSums,
    /// Work of ranks without GPU work.
    pub(super) host_work: WorkSums,
}

/// Operations, bytes and times of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WorkSums {
    pub(super) calls: u64,
    pub(super) flops: u128,
    pub(super) bytes: u128,
    /// Time of their kernels in ns; of the calls, where the GPU does nothing.
    pub(super) ns: i64,
    /// Least time that the device allows, in millionths of a ns, of the calls whose limits are known.
    pub(super) least: u128,
    /// Time of these calls in ns.
    pub(super) limited: i64,
}

impl WorkSums {
    /// Adds that of other calls.
    pub(super) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.flops = self.flops.saturating_add(other.flops);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.ns = self.ns.saturating_add(other.ns);
        self.least = self.least.saturating_add(other.least);
        self.limited = self.limited.saturating_add(other.limited);
    }

    /// Returns an amount for each ns.
    pub(super) fn per_ns(&self, amount: u128) -> Option<f64> {
        (self.ns > 0).then(|| amount as f64 / self.ns as f64)
    }

    /// Returns the operations for each byte.
    pub(super) fn intensity(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.flops as f64 / self.bytes as f64)
    }

    /// Returns the least time of the time that passed, in percent.
    pub(super) fn roofline(&self) -> Option<f64> {
        (self.limited > 0).then(|| 100.0 * self.least as f64 / 1e6 / self.limited as f64)
    }
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
            (&mut self.borrowed, other.borrowed),
            (&mut self.launches, other.launches),
            (&mut self.backward, other.backward),
            (&mut self.recomputed, other.recomputed),
        ] {
            *sum = sum.saturating_add(value);
        }
        self.work.add(&other.work);
        self.host_work.add(&other.host_work);
    }

    /// Returns the kernel time that is neither of the backward nor recomputed.
    pub(super) fn forward(&self) -> i64 {
        self.kernel_total.saturating_sub(self.backward).saturating_sub(self.recomputed)
    }

    /// Returns the part of the time that launches take, in percent.
    pub(super) fn launch_share(&self) -> f64 {
        // Launches on another thread may take longer than the call that they are below.
        if self.total > 0 { (100.0 * self.launches as f64 / self.total as f64).min(100.0) } else { 0.0 }
    }
}
