//! Unexplained time of a path while a collective runs: a wait of one stream for another that the profiler did not record.

use super::answer::BoundWindow;
use super::ranks::LoadedRank;
use crate::domain::{EventKind, is_collective};
use crate::exec::checkpoint::cancellable;
use crate::interval::{Span, merged, overlaps};
use causal::BoundBy;
use trace_view::format::nanoseconds as time;

/// The share of the windows from which on a note says so.
const NOTABLE: f64 = 0.01;

/// Returns the note on such time in windows; `None` if there is hardly any.
pub(super) fn note(windows: &[BoundWindow], ranks: &[LoadedRank]) -> Option<String> {
    let length: i64 = windows.iter().map(BoundWindow::duration_ns).sum();
    let hidden: i64 = ranks.iter().map(|rank| hidden(windows, rank)).sum();
    (hidden as f64 > NOTABLE * length as f64).then(|| {
        format!(
            "{} of {} are unexplained while a collective runs on another stream. The trace has no cudaStreamWaitEvent that says what \
             waits for it, so the replay of a faster collective may save too little.",
            time(hidden),
            time(length)
        )
    })
}

/// Returns the unexplained time of a rank during its collectives, in ns.
fn hidden(windows: &[BoundWindow], rank: &LoadedRank) -> i64 {
    let of_rank = windows.iter().filter(|window| window.rank == rank.trace.rank());
    let unexplained = of_rank.flat_map(|window| &window.intervals).filter(|part| part.bound_by == BoundBy::Unexplained);
    let unexplained: Vec<Span> = unexplained.map(|part| Span { start: part.start, end: part.end }).collect();
    if unexplained.is_empty() {
        return 0;
    }
    let (kinds, mut communicates) = (rank.rows.kinds(), rank.rows.per_text(is_collective));
    let collectives = cancellable(0..rank.rows.len()).filter_map(|row| {
        let start = rank.rows.ts(row)?;
        let is_one = kinds[row] == EventKind::Kernel && communicates(rank.rows.name(row));
        is_one.then(|| Span { start, end: start.saturating_add(rank.rows.dur(row).max(0)) })
    });
    let collectives = merged(collectives.collect());
    overlaps(&[merged(unexplained), collectives], 1).get(&3).copied().unwrap_or(0)
}
