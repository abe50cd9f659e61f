//! Threads and streams of a window, for the figure.

use super::answer::{BoundWindow, Lane, LaneKey};
use super::figure::MOST_LANES;
use super::ranks::LoadedRank;
use crate::Result;
use crate::domain::EventKind;
use crate::exec::checkpoint;
use causal::Graph;
use foldhash::{HashMap, HashSet};

/// Gaps below this part of the window are not drawn.
const FINEST: i64 = 1_500;

/// Returns the lanes of a window: those of its path, then those with most events; threads first, each rank for itself.
pub(super) fn lanes(window: &BoundWindow, index: usize, ranks: &[LoadedRank], graph: &Graph) -> Result<Vec<Lane>> {
    let on_path: HashSet<LaneKey> = window.intervals.iter().map(|interval| interval.lane_key()).collect();
    let of_rank = |lane: &LaneKey| match lane {
        LaneKey::Thread { rank, .. } | LaneKey::Stream { rank, .. } => *rank,
    };
    let shown: HashSet<i64> = on_path.iter().map(of_rank).chain([window.rank]).collect();
    let mut lanes: HashMap<LaneKey, Vec<(i64, i64)>> = on_path.iter().map(|lane| (*lane, Vec::new())).collect();
    for (at, rank) in ranks.iter().enumerate().filter(|(_, rank)| shown.contains(&rank.trace.rank())) {
        let ahead = |at: usize| graph.ahead(u32::try_from(at).unwrap_or(u32::MAX));
        collect(rank, ahead(index) - ahead(at), window, &mut lanes)?;
    }
    let mut lanes: Vec<(LaneKey, Vec<(i64, i64)>)> = lanes.into_iter().collect();
    lanes.sort_by_key(|(lane, busy)| (!on_path.contains(lane), std::cmp::Reverse(busy.len()), *lane));
    lanes.truncate(MOST_LANES);
    lanes.sort_by_key(|(lane, _)| (of_rank(lane) != window.rank, of_rank(lane), *lane));
    let several = shown.len() > 1;
    let devices: HashSet<Option<i64>> = lanes
        .iter()
        .filter_map(|(lane, _)| if let LaneKey::Stream { device, .. } = lane { Some(*device) } else { None })
        .collect();
    let named = |(key, busy): (LaneKey, Vec<(i64, i64)>)| Lane {
        name: name(&key, several, devices.len() > 1),
        key,
        busy: merged(busy, window.duration_ns() / FINEST),
    };
    Ok(lanes.into_iter().map(named).collect())
}

/// Adds the events of a rank that are in the window.
fn collect(
    rank: &LoadedRank,
    shift: i64,
    window: &BoundWindow,
    lanes: &mut HashMap<LaneKey, Vec<(i64, i64)>>,
) -> Result<()> {
    let rows = &rank.rows;
    let number = rank.trace.rank();
    for (row, &kind) in rows.kinds().iter().enumerate() {
        if row & 0xffff == 0 {
            checkpoint::check()?;
        }
        let key = match kind {
            EventKind::Kernel | EventKind::Memory => {
                let (device, stream) = rows.device_and_stream(row);
                LaneKey::Stream { rank: number, device, stream }
            }
            EventKind::Operator | EventKind::Call => {
                let (pid, tid) = rows.thread(row);
                LaneKey::Thread { rank: number, pid, tid }
            }
            // Annotations are around everything.
            _ => continue,
        };
        let Some(ts) = rows.ts(row) else { continue };
        let start = ts.saturating_add(shift);
        let end = start.saturating_add(rows.dur(row).max(0));
        if end <= window.start || start >= window.end {
            continue;
        }
        lanes.entry(key).or_default().push((start.max(window.start), end.min(window.end)));
    }
    Ok(())
}

/// Joins intervals that overlap or are close.
fn merged(mut busy: Vec<(i64, i64)>, close: i64) -> Vec<(i64, i64)> {
    busy.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (start, end) in busy {
        match joined.last_mut() {
            Some(last) if start <= last.1.saturating_add(close) => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

fn name(key: &LaneKey, several: bool, devices: bool) -> String {
    let number = |of: &Option<i64>| of.map_or_else(|| "?".to_owned(), |of| of.to_string());
    let (rank, text) = match key {
        LaneKey::Thread { rank, tid, .. } => (rank, format!("thread {}", number(tid))),
        LaneKey::Stream { rank, device, stream } if devices => {
            (rank, format!("GPU {} stream {}", number(device), number(stream)))
        }
        LaneKey::Stream { rank, stream, .. } => (rank, format!("stream {}", number(stream))),
    };
    if several { format!("rank {rank} {text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_intervals_are_one() {
        assert_eq!(merged(vec![(5, 9), (0, 2), (3, 4), (8, 12), (20, 21)], 0), [(0, 2), (3, 4), (5, 12), (20, 21)]);
        assert_eq!(merged(vec![(5, 9), (0, 2), (3, 4), (8, 12), (20, 21)], 1), [(0, 12), (20, 21)]);
    }
}
