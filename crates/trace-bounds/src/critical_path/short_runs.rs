//! Runs of short kernels, and what one launch in place of a run would replace.

use crate::domain::{EventKind, is_collective};
use crate::exec::checkpoint::cancellable;
use crate::frame::{RankEvents, TrackNumbers};
use causal::{BoundBy, Call};
use polars_arrow::bitmap::Bitmap;

/// The column of what one launch in place of a run of short kernels would replace, for conditions of changes.
pub(super) const SHORT_RUN: &str = "short_run";

/// Kernels that take less are short, in ns.
pub const SHORT_KERNEL_NS: i64 = 10_000;

/// The launch calls of a run but the first, and the latency of their kernels.
const LAUNCH: &str = "launch";
/// What begins and ends on the launching thread between the first launch and the last one.
const HOST: &str = "host";
/// The gaps between the kernels.
const GAP: &str = "gap";

/// Runs of short kernels on a rank: at least two kernels below [`SHORT_KERNEL_NS`] that follow each other on a stream and in the launches
/// of one thread, within an iteration, each with a launch of its own.
///
/// ```text
/// thread   |launch|  op  |launch|  op  |launch|
///                  host   launch  host  launch      what a single launch replaces
/// stream      |kernel| gap |kernel| gap |kernel|
/// ```
///
/// Kernels of collectives and of graphs are in no run. A run ends where the host waits, allocates, or launches anything else: a graph or
/// a fused kernel could not go on.
#[derive(Debug, Default)]
pub(super) struct ShortRuns {
    calls: Bitmap,
    kernels: Bitmap,
    host: Bitmap,
    /// Number of runs.
    pub(super) runs: usize,
    /// Number of their kernels.
    pub(super) in_runs: usize,
}

/// Number of a thread or of a stream, in order of appearance.
type Track = u32;

/// Numbers of threads, or of streams: each is two numbers as recorded.
type Tracks = TrackNumbers<(Option<i64>, Option<i64>)>;

/// A short kernel with a launch of its own.
#[derive(Clone, Copy)]
struct Short {
    row: usize,
    launch: usize,
    /// Position of the launch among those of all threads.
    order: u32,
    thread: Track,
    start: i64,
}

impl ShortRuns {
    /// Finds the runs of a rank.
    pub(super) fn of(rows: &RankEvents) -> Self {
        let mut threads = Tracks::default();
        let runs = runs(rows, &mut threads);
        let (mut calls, mut kernels) = (vec![false; rows.len()], vec![false; rows.len()]);
        let mut intervals: Vec<(Track, i64, i64)> = Vec::with_capacity(runs.len());
        for run in &runs {
            for kernel in run.iter().skip(1) {
                calls[kernel.launch] = true;
                kernels[kernel.row] = true;
            }
            let end = |kernel: &Short| kernel.start.saturating_add(rows.dur(kernel.launch).max(0));
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                intervals.push((first.thread, end(first), end(last)));
            }
        }
        let mut host = within(rows, &threads, intervals);
        host.iter_mut().zip(&calls).for_each(|(host, call)| *host &= !call);
        let in_runs = runs.iter().map(Vec::len).sum();
        Self { calls: calls.into(), kernels: kernels.into(), host: host.into(), runs: runs.len(), in_runs }
    }

    /// Returns what is replaced of the time of a class: words of the column, each with its rows.
    pub(super) fn replaced(&self, class: BoundBy) -> Vec<(&'static str, &Bitmap)> {
        match class {
            BoundBy::CudaRuntime => vec![(LAUNCH, &self.calls), (HOST, &self.host)],
            BoundBy::LaunchOverhead => vec![(LAUNCH, &self.kernels)],
            BoundBy::KernelKernelOverhead => vec![(GAP, &self.kernels)],
            BoundBy::Cpu | BoundBy::Python | BoundBy::DataLoading => vec![(HOST, &self.host)],
            _ => Vec::new(),
        }
    }
}

/// Returns the runs, each in order of time.
fn runs(rows: &RankEvents, threads: &mut Tracks) -> Vec<Vec<Short>> {
    let kinds = rows.kinds();
    let mut call = rows.per_text(Call::named);
    let mut communicates = rows.per_text(is_collective);
    let mut streams = Tracks::default();
    let mut device: Vec<(Track, i64, usize)> = Vec::new();
    let mut launches: Vec<(Track, i64, usize)> = Vec::new();
    let mut waits: Vec<(Track, i64)> = Vec::new();
    for row in cancellable(0..rows.len()) {
        let Some(start) = rows.ts(row) else { continue };
        match kinds[row] {
            kind if kind.is_device_work() => device.push((streams.number(rows.device_and_stream(row)), start, row)),
            EventKind::Call => match call(rows.name(row)) {
                Call::StreamSync | Call::DeviceSync | Call::EventSync | Call::MayWait => {
                    waits.push((threads.number(rows.thread(row)), start));
                }
                Call::EventRecord | Call::StreamWait => {}
                _ if rows.partner(row).is_some() => launches.push((threads.number(rows.thread(row)), start, row)),
                _ => {}
            },
            _ => {}
        }
    }
    // Recorded rows are nearly in order of time, which the sort makes use of.
    device.sort();
    launches.sort();
    waits.sort();
    let mut order = vec![u32::MAX; rows.len()];
    launches.iter().zip(0..).for_each(|(&(.., row), at)| order[row] = at);
    let mut short = |row: usize| {
        let launch = rows.partner(row)?;
        let is_own = order[launch] != u32::MAX && call(rows.name(launch)) != Call::GraphLaunch;
        let is_short = kinds[row] == EventKind::Kernel && rows.dur(row) < SHORT_KERNEL_NS;
        if !is_own || !is_short || communicates(rows.name(row)) {
            return None;
        }
        Some(Short {
            row,
            launch,
            order: order[launch],
            thread: threads.known(rows.thread(launch))?,
            start: rows.ts(launch)?,
        })
    };
    let follows = |one: &Short, other: &Short| {
        let waits_after = |moment: i64| waits.partition_point(|wait| *wait < (one.thread, moment));
        one.thread == other.thread
            && one.order + 1 == other.order
            && rows.iteration(one.launch) == rows.iteration(other.launch)
            && waits_after(one.start) == waits_after(other.start)
    };
    let mut found: Vec<Vec<Short>> = Vec::new();
    let mut open: Vec<Short> = Vec::new();
    let mut stream = None;
    for (on, _, row) in cancellable(device) {
        let next = short(row);
        let goes_on = stream == Some(on) && next.zip(open.last()).is_some_and(|(next, last)| follows(last, &next));
        if !goes_on {
            let ended = std::mem::take(&mut open);
            found.extend((ended.len() > 1).then_some(ended));
        }
        open.extend(next);
        stream = Some(on);
    }
    found.extend((open.len() > 1).then_some(open));
    found
}

/// Tells which events of the CPU begin and end within one of these intervals of their thread.
fn within(rows: &RankEvents, threads: &Tracks, mut intervals: Vec<(Track, i64, i64)>) -> Vec<bool> {
    intervals.sort_unstable();
    // By thread the begins of its intervals, each with the latest end up to it.
    let mut of_thread: Vec<Vec<(i64, i64)>> = vec![Vec::new(); threads.tracks().len()];
    for (thread, begin, end) in intervals {
        let of_thread = &mut of_thread[thread as usize];
        let latest = of_thread.last().map_or(end, |&(_, latest)| end.max(latest));
        of_thread.push((begin, latest));
    }
    let kinds = rows.kinds();
    let is_within = |row: usize| {
        if !matches!(kinds[row], EventKind::Operator | EventKind::Annotation | EventKind::Python | EventKind::Call) {
            return false;
        }
        let (Some(thread), Some(start)) = (threads.known(rows.thread(row)), rows.ts(row)) else { return false };
        let of_thread = &of_thread[thread as usize];
        let before = of_thread.partition_point(|&(begin, _)| begin <= start).checked_sub(1);
        before.is_some_and(|before| start.saturating_add(rows.dur(row).max(0)) <= of_thread[before].1)
    };
    cancellable(0..rows.len()).map(is_within).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::critical_path::{CriticalPath, critical_path, replayed};
    use trace_data::TraceSet;
    use trace_testkit::{Stream, TraceBuilder};

    /// Three operators of 15 µs that launch a kernel of 4 µs each, in 2 µs of it, every 20 µs of a step of 100 µs.
    fn recording() -> TraceSet {
        let mut trace = TraceBuilder::new().nanos().step(1, 1..100_001);
        for number in 0..3 {
            let at = 101 + 20_000 * number;
            trace = trace
                .operator("aten::add", at..at + 15_000)
                .runtime("cudaLaunchKernel", number + 1, at + 5_000..at + 7_000)
                .kernel("add", Stream(7), at + 10_000..at + 14_000)
                .correlation(number + 1);
        }
        TraceSet::from_bytes(trace.json()).unwrap()
    }

    #[test]
    fn conditions_on_runs_choose_what_one_launch_replaces() {
        let traces = recording();
        for (change, saved) in [
            ("short_run = \"launch\" x 0", 4_000),
            ("short_run = \"host\" x 0", 13_000),
            ("graphs x 0", 17_000),
            ("fusion x 0.5", 8_500),
            ("short_run = \"launch\" and bound_by = \"cuda_runtime\" x 0", 4_000),
            ("short_run = \"host\" and bound_by = \"python\" x 0", 0),
            ("short_run = \"launch\" and name = \"aten::add\" x 0", 0),
            ("short_run = \"run\" x 0", 0),
        ] {
            let query = CriticalPath { changes: vec![change.parse().unwrap()], ..CriticalPath::default() };
            let answer = critical_path(&traces, &query).unwrap();
            assert_eq!(answer.what_if_rows()[0].saved_ns(), saved, "{change}");
            let found = replayed(&traces, &query).unwrap();
            let row = &answer.what_if_rows()[0];
            assert_eq!((found.before_ns, found.after_ns), (row.before_ns, vec![row.after_ns]), "{change}");
            assert_eq!((found.short_runs, found.kernels_in_runs), (1, 3));
        }
    }
}
