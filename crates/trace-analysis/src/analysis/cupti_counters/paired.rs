//! Ranges of counters and the launches that they belong to.

use crate::Compat;
use crate::analysis::RankView;
use crate::callstack::Enclosing;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use call_tree::vendor_neutral;

/// The ranges of a rank with their launches.
#[derive(Debug, Default)]
pub(crate) struct Paired {
    /// The row of each range, by its start, and that of its launch.
    pub(crate) ranges: Vec<(usize, Option<usize>)>,
    /// Number of launches of kernels.
    pub(crate) launches: usize,
}

impl Paired {
    /// Pairs the ranges of a view with its launches: in their order if there are as many, otherwise by time.
    pub(crate) fn of(view: &RankView) -> Self {
        let rows = view.rank_events();
        let mut is_range = rows.per_text(|cat| cat == EventKind::COUNTER_RANGE);
        let ranges = by_start(rows, view.rows(), |row| is_range(rows.cat(row)));
        if ranges.is_empty() {
            return Self::default();
        }
        let kinds = rows.kinds();
        let mut is_launch = rows.per_text(|name| launches_kernel(name, view.compat()));
        let launches = by_start(rows, view.rows(), |row| kinds[row] == EventKind::Call && is_launch(rows.name(row)));
        let count = launches.len();
        let launch_of: Vec<Option<usize>> = match ranges.len() == count {
            true => launches.into_iter().map(Some).collect(),
            // Differs from HTA: it leaves the rank out.
            false => by_time(rows, &ranges, &launches),
        };
        Self { ranges: ranges.into_iter().zip(launch_of).collect(), launches: count }
    }

    /// Number of ranges whose launch is not known.
    pub(crate) fn without_launch(&self) -> usize {
        self.ranges.iter().filter(|(_, launch)| launch.is_none()).count()
    }
}

/// Returns the rows that are wanted and have a start, by their starts.
fn by_start(rows: &RankEvents, seen: &[u32], mut is_wanted: impl FnMut(usize) -> bool) -> Vec<usize> {
    let wanted = cancellable(seen).map(|&row| row as usize).filter(|&row| rows.ts(row).is_some());
    let mut wanted: Vec<usize> = wanted.filter(|&row| is_wanted(row)).collect();
    wanted.sort_by_key(|&row| rows.ts(row));
    wanted
}

/// Tells whether a call of this name launches a kernel; HTA knows those of the CUDA runtime.
fn launches_kernel(name: &str, compat: Compat) -> bool {
    match compat {
        Compat::Hta => name.starts_with("cudaLaunchKernel"),
        Compat::Exact => vendor_neutral(name) == "hipLaunchKernel",
    }
}

/// Returns the launch around each range: the last to begin, and each launch once.
fn by_time(rows: &RankEvents, ranges: &[usize], launches: &[usize]) -> Vec<Option<usize>> {
    let span = |row: usize| {
        let start = rows.ts(row).unwrap_or(0);
        (start, start.saturating_add(rows.dur(row)))
    };
    let around = Enclosing::new(launches.iter().map(|&row| span(row)));
    let mut is_taken = vec![false; launches.len()];
    let mut launch_of = |&range: &usize| {
        let (start, end) = span(range);
        let at = around.last_around(start, end).filter(|&at| !is_taken[at])?;
        is_taken[at] = true;
        Some(launches[at])
    };
    cancellable(ranges).map(&mut launch_of).collect()
}
