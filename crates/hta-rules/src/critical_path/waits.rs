//! Kernels that waits stand for: the kernel before a record, and the kernel after a wait.

use super::names::{Meaning, Names};
use super::{Frame, Row};

/// A launch whose kernel is known.
#[derive(Clone, Copy)]
struct Launch {
    ts: i64,
    call: Row,
    stream: i64,
    device: i64,
}

/// The kernels that records and waits stand for.
#[derive(Default)]
pub(super) struct Waits {
    /// By correlation id of the record, stream and device: index of the kernel before it; sorted.
    records: Vec<([i64; 3], i64)>,
    /// By index of the waiting call: index of the kernel that it holds up; sorted.
    held: Vec<(i64, Option<i64>)>,
}

impl Waits {
    /// Finds for each record of an event the kernel that was launched last before it, on the stream and device that a wait
    /// names, by any thread; and for each wait of a stream the kernel that the same thread launches next on that stream.
    pub(super) fn of<F: Frame>(frame: &F, names: &Names<'_, F>) -> Self {
        let (mut pairs, mut records, mut waits) = (Vec::new(), Vec::new(), Vec::new());
        for position in 0..frame.len() {
            let row = frame.row(position);
            if row.wait_on_stream > -1 {
                pairs.push([row.wait_on_record, row.wait_on_stream, row.pid]);
            }
            let name = names.of_code(row.name);
            if name.is(Meaning::RECORD) {
                records.push((row.correlation, row.ts));
            } else if name.is(Meaning::WAIT_CALL) && row.partner > 0 {
                waits.push(row);
            }
        }
        if pairs.is_empty() && waits.is_empty() {
            return Self::default();
        }
        let launches = launches(frame, names);
        Self { records: before_records(pairs, &records, &launches), held: after_waits(frame, &waits, launches) }
    }

    /// Returns the kernel that a synchronisation waits for, if its record is known.
    pub(super) fn source(&self, sync: &Row) -> Option<i64> {
        let key = [sync.wait_on_record, sync.wait_on_stream, sync.pid];
        let exact = self.records.binary_search_by_key(&key, |record| record.0).ok();
        let of_record = || {
            let first = self.records.partition_point(|record| record.0[0] < key[0]);
            self.records.get(first).is_some_and(|record| record.0[0] == key[0]).then_some(first)
        };
        exact.or_else(of_record).map(|at| self.records[at].1)
    }

    /// Returns the kernel that a waiting call holds up; `None` if the call is unknown, `Some(None)` if no kernel follows.
    pub(super) fn held_by(&self, call: i64) -> Option<Option<i64>> {
        self.held.binary_search_by_key(&call, |held| held.0).ok().map(|at| self.held[at].1)
    }
}

/// Returns the launches of known kernels, by time.
fn launches<F: Frame>(frame: &F, names: &Names<'_, F>) -> Vec<Launch> {
    let mut launches = Vec::new();
    for position in 0..frame.len() {
        let call = frame.row(position);
        if call.partner <= 0 || !names.of_code(call.name).is(Meaning::LAUNCH) {
            continue;
        }
        if let Some(kernel) = frame.position(call.partner).map(|position| frame.row(position))
            && kernel.is_on_gpu()
            && kernel.partner > 0
        {
            launches.push(Launch { ts: call.ts, call, stream: kernel.stream, device: kernel.pid });
        }
    }
    launches.sort_by_key(|launch| launch.ts);
    launches
}

/// Finds the kernel before each record of a known stream.
fn before_records(mut pairs: Vec<[i64; 3]>, records: &[(i64, i64)], launches: &[Launch]) -> Vec<([i64; 3], i64)> {
    let mut records = records.to_vec();
    // Stable: of records that share an id the last one counts.
    records.sort_by_key(|record| record.0);
    let mut by_stream: Vec<(i64, i64, i64, i64)> =
        launches.iter().map(|launch| (launch.stream, launch.device, launch.ts, launch.call.partner)).collect();
    by_stream.sort_by_key(|&(stream, device, ts, _)| (stream, device, ts));
    pairs.sort_unstable();
    pairs.dedup();
    let found = pairs.into_iter().filter_map(|pair| {
        let [id, stream, device] = pair;
        let (_, ts) =
            *records[..records.partition_point(|record| record.0 <= id)].last().filter(|last| last.0 == id)?;
        let after = by_stream.partition_point(|&(s, d, t, _)| (s, d, t) <= (stream, device, ts));
        let &(s, d, _, kernel) = by_stream[..after].last()?;
        ((s, d) == (stream, device)).then_some((pair, kernel))
    });
    found.collect()
}

/// Finds the kernel that each waiting call holds up.
fn after_waits<F: Frame>(frame: &F, waits: &[Row], mut launches: Vec<Launch>) -> Vec<(i64, Option<i64>)> {
    let key = |call: &Row, stream: i64| (call.pid, call.tid, stream, call.ts);
    launches.sort_by_key(|launch| key(&launch.call, launch.stream));
    let held = waits.iter().filter_map(|wait| {
        let waiting = frame.position(wait.partner).map(|position| frame.row(position))?;
        if !waiting.is_on_gpu() || waiting.partner <= 0 {
            return None;
        }
        // A launch at the same moment comes before the wait.
        let wanted = key(wait, waiting.stream);
        let after = launches.partition_point(|launch| key(&launch.call, launch.stream) <= wanted);
        let next = launches
            .get(after)
            .filter(|launch| (launch.call.pid, launch.call.tid, launch.stream) == (wait.pid, wait.tid, waiting.stream));
        Some((wait.index, next.map(|launch| launch.call.partner)))
    });
    let mut held: Vec<(i64, Option<i64>)> = held.collect();
    held.sort_by_key(|held| held.0);
    held
}
