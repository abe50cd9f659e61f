//! Work of a rank by the moment of its launch.

use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use foldhash::HashMap;

/// Process and thread.
pub(super) type Thread = (Option<i64>, Option<i64>);

/// GPU work by the moment of its launch; of a rank without GPU work, its operators by their begins.
pub(super) struct Work {
    /// Begins of launches, ascending.
    moments: Vec<i64>,
    /// Work before each moment in ns, and in the end all that was launched.
    sums: Vec<i64>,
    /// All work in ns, also that whose launch was not recorded.
    total: i64,
    /// Begins of the launches of each thread, ascending.
    threads: HashMap<Thread, Vec<i64>>,
}

impl Work {
    pub(super) fn of(rows: &RankEvents) -> Self {
        let kinds = rows.kinds();
        let (mut launched, mut operators, mut total): (Vec<(i64, Thread, i64)>, Vec<_>, i64) = Default::default();
        // Kernels of a graph have one launch, and mostly follow each other.
        let mut last = None;
        for row in cancellable(0..rows.len()) {
            match kinds[row] {
                EventKind::Kernel | EventKind::Memory => {
                    total += rows.dur(row).max(0);
                    let launch = rows.partner(row).filter(|&launch| !rows.is_on_device(launch));
                    match launched.last_mut().filter(|_| launch.is_some() && launch == last) {
                        Some((_, _, ns)) => *ns += rows.dur(row).max(0),
                        None => {
                            let found = launch.and_then(|launch| Self::launch(rows, launch, row));
                            last = launch.filter(|_| found.is_some());
                            launched.extend(found);
                        }
                    }
                }
                EventKind::Operator => operators.extend(Self::launch(rows, row, row)),
                _ => {}
            }
        }
        if total == 0 {
            launched = operators;
            total = launched.iter().map(|(_, _, ns)| ns).sum();
        }
        launched.sort_unstable();
        let mut work = Self { moments: Vec::new(), sums: Vec::new(), total, threads: HashMap::default() };
        let mut sum = 0;
        for (moment, thread, ns) in launched {
            work.moments.push(moment);
            work.sums.push(sum);
            sum += ns;
            work.threads.entry(thread).or_default().push(moment);
        }
        work.sums.push(sum);
        work
    }

    fn launch(rows: &RankEvents, launch: usize, row: usize) -> Option<(i64, Thread, i64)> {
        Some((rows.ts(launch)?, rows.thread(launch), rows.dur(row).max(0)))
    }

    /// Returns the share of all work that is launched in spans.
    pub(super) fn share(&self, spans: impl Iterator<Item = (i64, i64)>) -> f64 {
        let before = |moment: i64| self.sums[self.moments.partition_point(|&at| at < moment)];
        let inside: i64 = spans.map(|(start, end)| before(end) - before(start)).sum();
        if self.total == 0 { 0.0 } else { inside as f64 / self.total as f64 }
    }

    /// Tells whether a thread launches work in a span.
    pub(super) fn is_launched_by(&self, thread: Thread, (start, end): (i64, i64)) -> bool {
        let moments = self.threads.get(&thread).map_or(&[][..], Vec::as_slice);
        moments.get(moments.partition_point(|&at| at < start)).is_some_and(|&at| at < end)
    }
}
