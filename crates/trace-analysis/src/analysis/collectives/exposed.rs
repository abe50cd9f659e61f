//! Time of collectives during which no computation of their rank runs.

use crate::analysis::RankView;
use crate::domain::KernelType;
use crate::exec::checkpoint::cancellable;
use crate::interval::{Span, length, overlaps};
use serde::{Deserialize, Serialize};
use trace_view::format::nanoseconds as time;

/// How much of the time of collectives is not hidden behind computation, over all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExposedCollectives {
    /// Durations of the kernels of collectives.
    pub time_ns: i64,
    /// Time of them during which no computation of the rank runs.
    pub exposed_ns: i64,
}

impl ExposedCollectives {
    /// Adds up kernels: duration and exposed time.
    pub(super) fn sum(kernels: impl Iterator<Item = (i64, i64)>) -> Self {
        kernels.fold(Self::default(), |sum, (time_ns, exposed_ns)| sum.with(Self { time_ns, exposed_ns }))
    }

    /// Adds up the collectives of a view.
    pub(in crate::analysis) fn of(view: &RankView) -> Self {
        let computing = view.busy(KernelType::Computation);
        Self::sum(cancellable(view.communication()).map(|event| times(event.span(), &computing)))
    }

    /// Returns the sum with that of other ranks.
    pub(in crate::analysis) fn with(self, other: Self) -> Self {
        Self {
            time_ns: self.time_ns.saturating_add(other.time_ns),
            exposed_ns: self.exposed_ns.saturating_add(other.exposed_ns),
        }
    }

    /// Returns the exposed share in percent; `None` without collectives.
    pub fn percent(&self) -> Option<f64> {
        (self.time_ns > 0).then(|| 100.0 * self.exposed_ns as f64 / self.time_ns as f64)
    }

    /// Returns the sentence, without its full stop; `None` without collectives.
    pub fn sentence(&self) -> Option<String> {
        let percent = self.percent()?;
        Some(format!(
            "Collectives take {}, of which {} ({percent:.1} %) are exposed: no computation of the rank runs meanwhile",
            time(self.time_ns),
            time(self.exposed_ns)
        ))
    }
}

/// Returns the duration of a kernel, and the time of it outside of `computing`, which is merged.
pub(super) fn times(span: Span, computing: &[Span]) -> (i64, i64) {
    (length(&[span]).max(0), exposed(span, computing))
}

/// Returns the time of an interval outside of `computing`, which is merged.
fn exposed(span: Span, computing: &[Span]) -> i64 {
    let first = computing.partition_point(|busy| busy.end <= span.start);
    let end = computing.partition_point(|busy| busy.start < span.end);
    let around = computing.get(first..end).unwrap_or_default();
    let hidden = overlaps(&[around.to_vec(), vec![span]], 1).get(&3).copied().unwrap_or(0);
    length(&[span]).saturating_sub(hidden).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exposed_time_is_outside_of_computations() {
        let span = |start, end| Span { start, end };
        let computing = [span(0, 10), span(20, 30), span(40, 50)];
        for (of, time) in [(span(5, 45), 40 - 5 - 10 - 5), (span(10, 20), 10), (span(21, 29), 0), (span(60, 60), 0)] {
            assert_eq!(times(of, &computing), (length(&[of]), time), "{of:?}");
        }
        assert_eq!(exposed(span(3, 8), &[]), 5);
    }
}
