//! Exact counts and total durations of the events of one name.

use serde::{Deserialize, Serialize};

/// How many events, and their total duration; exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sum {
    pub(super) count: i64,
    nanos: i128,
}

impl Sum {
    /// Adds one event.
    pub(super) fn add(&mut self, nanos: i64) {
        self.count += 1;
        self.nanos += i128::from(nanos);
    }

    /// Merges the events of another sum.
    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.nanos += other.nanos;
    }

    /// Returns the total duration in ns.
    pub(super) fn nanos(self) -> i128 {
        self.nanos
    }

    /// Returns the total duration in µs.
    pub(super) fn micros(self) -> f64 {
        self.nanos as f64 / 1000.0
    }

    /// Returns by how much it exceeds `other`, in µs.
    pub(super) fn micros_beyond(self, other: Self) -> f64 {
        (self.nanos - other.nanos) as f64 / 1000.0
    }
}
