//! Causes of the waits of calls and streams: from rows of synchronisation where the profiler recorded them, else inferred.

use super::base::usual;
use super::number::RankDraft;
use super::stream_wait;
use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::{Call, HostKind, NONE};
use crate::input::rank::{SyncKind, SyncRow};
use crate::input::word::Because;
use foldhash::HashMap;

/// Where no sample is, in ns: from the end of a kernel to the return of a call, and of a call that need not wait.
const WAKE: i64 = 3_000;
const CALL: i64 = 2_000;
/// A launch queue holds about 1,022 kernels of a stream.
const QUEUE: u32 = 900;
/// A call that may wait, but usually does not, waited if it took at least this long, in ns.
const LONG_CALL: i64 = 20_000;

/// A cause beyond those of program and stream order: points by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extra {
    pub(crate) to: u32,
    pub(crate) from: u32,
    pub(crate) lag: i64,
    pub(crate) because: Because,
    /// The CPU event that is open meanwhile on the thread that waits for another one, by its place in the rank; else [`NONE`].
    pub(crate) owner: u32,
}

/// The waits of a rank.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    pub(crate) extras: Vec<Extra>,
    /// Points of threads, with the longest time that they are later than the point before by themselves.
    pub(crate) limits: Vec<(u32, i64)>,
    /// Kernels that were told to wait, each with the one of another stream that it waits for.
    pub(crate) held: Vec<(u32, u32)>,
    /// Rows of synchronisation and calls that name what the trace does not have.
    pub(crate) unresolved: u64,
}

/// A call and a kernel that it waits for.
#[derive(Debug, Clone, Copy)]
struct Pair {
    call: u32,
    kernel: u32,
    because: Because,
    /// At its start, not at its end.
    starts: bool,
}

impl Waits {
    /// Finds the waits of a rank.
    pub(crate) fn of(rank: &RankDraft, check: &mut Check<'_>) -> Result<Self, Stopped> {
        let mut finder = Finder::of(rank);
        let mut found = Self::default();
        let mut pairs = Vec::new();
        for (step, event) in (0..).zip(&rank.events.host) {
            at_times(step as usize, check)?;
            if let HostKind::Call(call) = event.kind {
                finder.call(step, call, &mut pairs);
            }
        }
        finder.launches(&mut pairs, check)?;
        finder.emit(pairs, &mut found);
        stream_wait::find(rank, &finder.rows, &mut found, check)?;
        found.unresolved += finder.unresolved;
        Ok(found)
    }
}

struct Finder<'r> {
    rank: &'r RankDraft,
    /// Rows of synchronisation by the correlation of their call.
    rows: HashMap<u32, Vec<SyncRow>>,
    /// Calls that record events, by correlation.
    records: HashMap<u32, u32>,
    /// By thread its launches: begin, kernel.
    of_threads: HashMap<u32, Vec<(i64, u32)>>,
    /// Kernels by their ends.
    ends: Vec<(i64, u32)>,
    unresolved: u64,
}

impl<'r> Finder<'r> {
    fn of(rank: &'r RankDraft) -> Self {
        let mut rows: HashMap<u32, Vec<SyncRow>> = HashMap::default();
        for row in rank.events.syncs.iter().filter(|row| row.correlation != NONE) {
            rows.entry(row.correlation).or_default().push(*row);
        }
        let mut records = HashMap::default();
        let mut launches: HashMap<u32, Vec<(i64, u32)>> = HashMap::default();
        for (at, event) in (0..).zip(&rank.events.host) {
            if event.kind == HostKind::Call(Call::EventRecord) && event.correlation != NONE {
                records.insert(event.correlation, at);
            }
        }
        let kernels = 0..rank.kernels.event.len() as u32;
        for kernel in kernels.clone() {
            if let Some(launch) = rank.launch(kernel) {
                let launch = &rank.events.host[launch as usize];
                launches.entry(launch.thread).or_default().push((launch.start, kernel));
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
        for of_thread in launches.values_mut() {
            // Kernels of a stream are in order already, which this sort makes use of.
            of_thread.sort();
        }
        let mut ends: Vec<(i64, u32)> = kernels.map(|kernel| (rank.kernel(kernel).end, kernel)).collect();
        ends.sort();
        Self { rank, rows, records, of_threads: launches, ends, unresolved: 0 }
    }

    /// Finds what a call waits for.
    fn call(&mut self, at: u32, call: Call, pairs: &mut Vec<Pair>) {
        let event = self.rank.events.host[at as usize];
        let mut wait = |kernel: Option<u32>, because: Because| {
            if let Some(kernel) = kernel.filter(|&kernel| self.rank.kernel(kernel).end <= event.end) {
                pairs.push(Pair { call: at, kernel, because, starts: false });
            }
        };
        let rank = self.rank;
        match call {
            Call::StreamSync | Call::DeviceSync | Call::EventSync => {
                let rows = self.rows.get(&event.correlation).map(Vec::as_slice).unwrap_or_default();
                let mut is_known = false;
                for row in rows {
                    match row.kind {
                        SyncKind::Stream if row.stream != NONE => {
                            is_known = true;
                            wait(rank.kernels.last_queued(row.stream, event.start), Because::StreamSync);
                        }
                        SyncKind::Device => {
                            is_known = true;
                            for (stream, of) in (0..).zip(&rank.events.streams) {
                                if of.device == row.device {
                                    wait(rank.kernels.last_queued(stream, event.start), Because::DeviceSync);
                                }
                            }
                        }
                        SyncKind::Event if row.on_stream != NONE => {
                            let record = self.records.get(&row.record).map(|&at| rank.events.host[at as usize].start);
                            if let Some(record) = record {
                                is_known = true;
                                wait(rank.kernels.last_queued(row.on_stream, record), Because::EventSync);
                            }
                        }
                        _ => self.unresolved += 1,
                    }
                }
                match call {
                    _ if is_known => {}
                    Call::DeviceSync => {
                        for stream in 0..rank.events.streams.len() as u32 {
                            wait(rank.kernels.last_queued(stream, event.start), Because::DeviceSync);
                        }
                    }
                    Call::StreamSync => {
                        // A thread waits for the stream to which it gave work last, if that explains its wait.
                        let own = self.own_stream(event.thread, event.start);
                        let own = own.and_then(|stream| rank.kernels.last_queued(stream, event.start));
                        let own = own.filter(|&kernel| rank.kernel(kernel).end <= event.end);
                        let last = self.last_ended_within(event.start, event.end);
                        let is_inside = own.is_some_and(|kernel| rank.kernel(kernel).end > event.start);
                        wait(if is_inside || last.is_none() { own } else { last }, Because::StreamSync);
                    }
                    _ => wait(self.last_ended_within(event.start, event.end), Because::EventSync),
                }
            }
            Call::MayWait if event.end - event.start >= LONG_CALL => {
                let last = self.last_ended_within(event.start, event.end);
                wait(last.filter(|&last| event.end - rank.kernel(last).end <= LONG_CALL), Because::DeviceSync);
            }
            _ => {}
        }
    }

    /// The stream of the last launch of a thread before a moment.
    fn own_stream(&self, thread: u32, before: i64) -> Option<u32> {
        let launches = self.of_threads.get(&thread)?;
        let at = launches.partition_point(|launch| launch.0 < before).checked_sub(1)?;
        Some(self.rank.kernel(launches[at].1).stream)
    }

    /// The kernel that was launched before a time and ended last after it, but not after another one.
    fn last_ended_within(&self, from: i64, to: i64) -> Option<u32> {
        let end = self.ends.partition_point(|end| end.0 <= to);
        let ended = self.ends[..end].iter().rev().take_while(|end| end.0 > from);
        ended.map(|end| end.1).find(|&kernel| self.rank.kernels.queued[kernel as usize] < from)
    }

    /// Finds calls that waited for their own copies, and launches that waited for room in a full queue.
    fn launches(&self, pairs: &mut Vec<Pair>, check: &mut Check<'_>) -> Result<(), Stopped> {
        let rank = self.rank;
        for stream in 0..rank.events.streams.len() as u32 {
            let range = rank.kernels.of_stream(stream);
            let mut started = range.start;
            for kernel in range {
                at_times(kernel as usize, check)?;
                let Some(launch) = rank.launch(kernel) else { continue };
                let call = rank.events.host[launch as usize];
                let of = rank.kernel(kernel);
                if call.kind == HostKind::Call(Call::Copy) && of.end <= call.end {
                    pairs.push(Pair { call: launch, kernel, because: Because::BlockingCopy, starts: false });
                    continue;
                }
                while started < kernel && rank.kernel(started).start <= call.start {
                    started += 1;
                }
                if kernel - started >= QUEUE {
                    let within = (started..kernel).take_while(|&other| rank.kernel(other).start <= call.end).last();
                    let because = Because::FullQueue;
                    pairs.extend(within.map(|kernel| Pair { call: launch, kernel, because, starts: true }));
                }
            }
        }
        Ok(())
    }

    /// Turns pairs into causes, with lags from those that waited.
    fn emit(&self, pairs: Vec<Pair>, found: &mut Waits) {
        let rank = self.rank;
        let host = &rank.events.host;
        let at = |pair: &Pair| if pair.starts { rank.kernel(pair.kernel).start } else { rank.kernel(pair.kernel).end };
        let waited = |pair: &Pair| at(pair) > host[pair.call as usize].start;
        // Calls that wait for several kernels wake with the last one.
        let mut pairs = pairs;
        pairs.sort_by_key(|pair| (pair.call, at(pair)));
        let mut wakes: HashMap<Because, Vec<i64>> = HashMap::default();
        let mut did_wait = vec![false; host.len()];
        for of_call in pairs.chunk_by(|one, other| one.call == other.call) {
            if let Some(last) = of_call.last().filter(|last| waited(last)) {
                did_wait[last.call as usize] = true;
                wakes.entry(last.because).or_default().push(host[last.call as usize].end - at(last));
            }
        }
        let mut calls: HashMap<u16, Vec<i64>> = HashMap::default();
        for (event, did_wait) in host.iter().zip(&did_wait) {
            if !did_wait && matches!(event.kind, HostKind::Call(_)) {
                calls.entry(event.call_name).or_default().push(event.end - event.start);
            }
        }
        let mut wakes: HashMap<Because, i64> =
            wakes.into_iter().filter_map(|(because, mut samples)| Some((because, usual(&mut samples)?))).collect();
        let calls: HashMap<u16, i64> =
            calls.into_iter().filter_map(|(name, mut samples)| Some((name, usual(&mut samples)?))).collect();
        let own = |pair: &Pair| calls.get(&host[pair.call as usize].call_name).copied().unwrap_or(CALL);
        // A launch that took no longer than usual found room.
        let had_room = |pair: &Pair| {
            let call = &host[pair.call as usize];
            pair.because == Because::FullQueue && (call.end - call.start) / 3 <= own(pair) / 2
        };
        for pair in pairs.iter().filter(|pair| !had_room(pair)) {
            let lag = *wakes.entry(pair.because).or_insert(WAKE);
            let from = if pair.starts { rank.kernel_start(pair.kernel) } else { rank.kernel_end(pair.kernel) };
            found.extras.push(Extra { to: rank.call_end(pair.call), from, lag, because: pair.because, owner: NONE });
            if did_wait[pair.call as usize] {
                found.limits.push((rank.call_end(pair.call), own(pair)));
            }
        }
    }
}
