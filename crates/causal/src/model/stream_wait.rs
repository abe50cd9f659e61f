//! Streams that were told to wait for an event of another stream.

use super::number::RankDraft;
use super::wait::Waits;
use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::{Call, HostKind, NONE};
use crate::input::rank::{SyncKind, SyncRow};
use foldhash::HashMap;

/// Of more streams than this only those with the most kernels can be waited for without a row that says so.
const STREAMS: usize = 64;
/// Of as many kernels of a stream, the last ones, one is looked for that had ended.
const BACK: usize = 16;

/// Finds the kernels that wait for a kernel of another stream.
pub(crate) fn find(
    rank: &RankDraft,
    rows: &HashMap<u32, Vec<SyncRow>>,
    found: &mut Waits,
    check: &mut Check<'_>,
) -> Result<(), Stopped> {
    let host = &rank.events.host;
    let waits = || (0..).zip(host).filter(|(_, event)| event.kind == HostKind::Call(Call::StreamWait));
    if waits().next().is_none() {
        return Ok(());
    }
    let mut records = HashMap::default();
    for event in host.iter().filter(|event| event.kind == HostKind::Call(Call::EventRecord)) {
        records.insert(event.correlation, event.start);
    }
    records.remove(&NONE);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut inferred: Vec<(u32, i64)> = Vec::new();
    for (at, event) in waits() {
        at_times(at as usize, check)?;
        let rows = rows.get(&event.correlation).map(Vec::as_slice).unwrap_or_default();
        let mut is_known = false;
        for row in rows.iter().filter(|row| row.kind == SyncKind::StreamWait && row.stream != NONE) {
            let Some(&record) = records.get(&row.record).filter(|_| row.on_stream != NONE) else {
                found.unresolved += 1;
                continue;
            };
            is_known = true;
            let range = rank.kernels.of_stream(row.stream);
            let queued = &rank.kernels.queued[range.start as usize..range.end as usize];
            let held = range.start + queued.partition_point(|&queued| queued < event.start) as u32;
            if let Some(source) = rank.kernels.last_queued(row.on_stream, record).filter(|_| held < range.end) {
                pairs.push((held, source));
            }
        }
        if !is_known {
            inferred.push((event.thread, event.start));
        }
    }
    infer(rank, inferred, &mut pairs, check)?;
    pairs.retain(|&(held, source)| {
        let (held, source) = (rank.kernel(held), rank.kernel(source));
        source.end <= held.start && held.stream != source.stream
    });
    found.held = pairs;
    Ok(())
}

/// Finds what the next kernel of a thread waits for, where only the call is known: for the kernels of other streams that ended
/// last before it, of those that were launched before the call; one for each call.
fn infer(
    rank: &RankDraft,
    mut waits: Vec<(u32, i64)>,
    pairs: &mut Vec<(u32, u32)>,
    check: &mut Check<'_>,
) -> Result<(), Stopped> {
    if waits.is_empty() {
        return Ok(());
    }
    waits.sort_unstable();
    let launches = launches(rank);
    let mut streams: Vec<u32> = (0..rank.events.streams.len() as u32).collect();
    if streams.len() > STREAMS {
        streams.sort_by_key(|&stream| std::cmp::Reverse(rank.kernels.of_stream(stream).len()));
        streams.truncate(STREAMS);
    }
    let held: Vec<Option<u32>> = waits
        .iter()
        .map(|&(thread, at)| {
            let next = launches.partition_point(|launch| (launch.0, launch.1) < (thread, at));
            launches.get(next).filter(|launch| launch.0 == thread).map(|launch| launch.2)
        })
        .collect();
    let both: Vec<(Option<u32>, i64)> = held.into_iter().zip(waits.iter().map(|wait| wait.1)).collect();
    for (step, of_kernel) in both.chunk_by(|one, other| one.0 == other.0).enumerate() {
        at_times(step, check)?;
        let (Some(held), Some(&(_, last))) = (of_kernel[0].0, of_kernel.last()) else { continue };
        let start = rank.kernel(held).start;
        let mut sources: Vec<(i64, u32)> = Vec::new();
        for &stream in streams.iter().filter(|&&stream| stream != rank.kernel(held).stream) {
            let range = rank.kernels.of_stream(stream);
            let Some(source) = rank.kernels.last_queued(stream, last) else { continue };
            let ended = (range.start..=source).rev().take(BACK).find(|&kernel| rank.kernel(kernel).end <= start);
            sources.extend(ended.map(|kernel| (rank.kernel(kernel).end, kernel)));
        }
        sources.sort_unstable();
        pairs.extend(sources.iter().rev().take(of_kernel.len()).map(|&(_, source)| (held, source)));
    }
    Ok(())
}

/// The launches of all threads: thread, begin, kernel.
fn launches(rank: &RankDraft) -> Vec<(u32, i64, u32)> {
    let kernels = 0..rank.kernels.event.len() as u32;
    let launch = |kernel: u32| {
        let event = &rank.events.host[rank.launch(kernel)? as usize];
        Some((event.thread, event.start, kernel))
    };
    let mut launches: Vec<(u32, i64, u32)> = kernels.filter_map(launch).collect();
    // Kernels of a stream are in order already, which this sort makes use of.
    launches.sort();
    launches
}
