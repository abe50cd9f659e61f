//! Valid times, and clocks of ranks that do not agree.

use crate::input::event::HostEvent;
use crate::input::rank::RankInput;
use crate::model::segment::Window;
use std::collections::BTreeMap;

/// Times are cut to ± 146 years, so that the difference of two of them is a time.
const FARTHEST: i64 = (1 << 62) - 1;

/// A time, cut to the range of valid ones.
pub(crate) fn valid(ts: i64) -> i64 {
    ts.clamp(-FARTHEST, FARTHEST)
}

/// The bounds of a window on the clock of the first rank; that of each rank is so much ahead.
pub(crate) fn aligned(window: &Window, ahead: &[i64]) -> (i64, i64) {
    let ahead = ahead.get(window.rank as usize).copied().unwrap_or(0);
    let aligned = |ts: i64| valid(ts).saturating_sub(ahead);
    (aligned(window.start), aligned(window.end).max(aligned(window.start)))
}

/// Makes all times valid, and ends events no earlier than they begin.
pub(crate) fn make_valid(ranks: &mut [RankInput]) {
    for rank in ranks {
        for event in &mut rank.host {
            event.start = valid(event.start);
            event.end = valid(event.end).max(event.start);
        }
        for event in &mut rank.device {
            event.start = valid(event.start);
            event.end = valid(event.end).max(event.start);
        }
    }
}

/// Returns by how much the clock of each rank is ahead of the first one, as far as their collectives tell.
///
/// The ranks of a collective end it nearly at once. Clocks are taken to agree unless a collective would have ended on one rank
/// before it began on another, as more than one in twenty do.
pub(crate) fn ahead(ranks: &[RankInput]) -> Vec<i64> {
    let mut ahead = vec![0; ranks.len()];
    let Some(first) = ranks.first() else { return ahead };
    let mut known: BTreeMap<_, (i64, i64)> = BTreeMap::new();
    let collectives = |rank: &RankInput| -> Vec<_> {
        let key = |at: u32| rank.collectives.get(at as usize).copied();
        rank.device.iter().filter_map(|event| Some((key(event.collective)?, event.start, event.end))).collect()
    };
    for (key, start, end) in collectives(first) {
        known.insert((key.group, key.number), (start, end));
    }
    for (at, rank) in ranks.iter().enumerate().skip(1) {
        let all = collectives(rank);
        let mut differences = Vec::new();
        let mut apart = 0;
        for (key, start, end) in &all {
            if let Some((other_start, other_end)) = known.get(&(key.group, key.number)) {
                differences.push(end.saturating_sub(*other_end));
                apart += usize::from(end < other_start || other_end < start);
            }
        }
        if apart * 20 > differences.len() {
            let middle = differences.len() / 2;
            ahead[at] = valid(*differences.select_nth_unstable(middle).1);
        }
        // What only this rank and later ones share is compared with this rank.
        for (key, start, end) in all {
            let aligned = (start.saturating_sub(ahead[at]), end.saturating_sub(ahead[at]));
            known.entry((key.group, key.number)).or_insert(aligned);
        }
    }
    ahead
}

/// Sets the clocks of ranks by that of the first one.
pub(crate) fn align(ranks: &mut [RankInput], ahead: &[i64]) {
    for (rank, &ahead) in ranks.iter_mut().zip(ahead).filter(|(_, ahead)| **ahead != 0) {
        for event in &mut rank.host {
            event.start = valid(event.start - ahead);
            event.end = valid(event.end - ahead);
        }
        for event in &mut rank.device {
            event.start = valid(event.start - ahead);
            event.end = valid(event.end - ahead);
        }
    }
}

/// As many events are in whole µs only if times were cut.
const WHOLE: usize = 200;

/// Tells whether times are in whole µs: begin and length were each cut.
pub(crate) fn is_in_whole_us(events: &[HostEvent]) -> bool {
    events.len() >= WHOLE && events.iter().all(|event| event.start % 1000 == 0 && event.end % 1000 == 0)
}
