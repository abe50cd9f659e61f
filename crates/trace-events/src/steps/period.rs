//! Search for the period of the launches of a recording: the same kernels in the same order, again and again.

use super::launches::{Launch, Launches};
use std::collections::BTreeMap;

/// Least number of repetitions.
pub(super) const LEAST_COUNT: usize = 3;
/// Least share of the work of the repetitions that is the same in each.
const LEAST_REGULAR: f64 = 0.9;
/// Least launches of a period: one launch again and again is no step.
const LEAST_LAUNCHES: usize = 2;
/// The most periods that are looked at, the longest first.
const MOST_PERIODS: usize = 32;

/// A launch that begins a period, by its positions among the launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) starts: Vec<usize>,
}

/// Finds the longest period that divides launches into at least [`LEAST_COUNT`] repetitions, if all others that do repeat inside of it: the
/// layers of a step. Launches that come as often as each other, in one order, tell a period, whatever comes in between.
///
/// ```text
/// warm-up  e l l l h  e l l l h  x  e l l l h      e and h come three times, in turn: three steps from e to e
/// ```
pub(super) fn period(launches: &Launches, from: usize) -> Option<Period> {
    let all = &launches.all[from..];
    let mut counts = vec![0_usize; launches.tokens];
    all.iter().for_each(|launch| counts[launch.token as usize] += 1);
    let mut by_count: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, launch) in all.iter().enumerate() {
        let count = counts[launch.token as usize];
        if count > 1 {
            by_count.entry(count).or_default().push(at);
        }
    }
    let mut found: Option<(Period, usize)> = None;
    for (count, positions) in by_count.into_iter().take(MOST_PERIODS) {
        let distinct = positions.len() / count;
        let token = |at: usize| all[positions[at]].token;
        if !(distinct..positions.len()).all(|at| token(at) == token(at % distinct)) {
            continue;
        }
        let Some(starts) = starts(launches, from, &positions, distinct) else { continue };
        if !is_regular(all, &starts, launches.tokens) {
            continue;
        }
        match &found {
            // Two may be two phases of one, and what repeats inside of them is a layer.
            None if count < LEAST_COUNT => return None,
            None => found = Some((Period { starts }, count)),
            Some((outer, _)) if is_inside(&starts, &outer.starts) => {}
            Some(_) => return None,
        }
    }
    let (Period { starts }, _) = found?;
    Some(Period { starts: starts.into_iter().map(|at| from + at).collect() })
}

/// Returns the positions of the launch that begins a period: that before which the host pauses longest, of those whose first kernel begins
/// no other launch of the recording.
fn starts(launches: &Launches, from: usize, positions: &[usize], distinct: usize) -> Option<Vec<usize>> {
    let all = &launches.all[from..];
    let count = positions.len() / distinct;
    let pause = |at: usize| {
        let before = at.checked_sub(1).map(|before| all[before].start);
        before.map_or(0, |before| all[at].start.saturating_sub(before))
    };
    let candidate = |first: usize| {
        let of_it: Vec<usize> = positions.iter().copied().skip(first).step_by(distinct).collect();
        if launches.beginning(all[of_it[0]].first_name) != count {
            return None;
        }
        let mut pauses: Vec<i64> = of_it.iter().map(|&at| pause(at)).collect();
        pauses.sort_unstable();
        Some((pauses[pauses.len() / 2], of_it))
    };
    let longest = |one: (i64, Vec<usize>), other: (i64, Vec<usize>)| if other.0 > one.0 { other } else { one };
    (0..distinct).filter_map(candidate).reduce(longest).map(|(_, of_it)| of_it)
}

/// What is known of the launches with one token.
#[derive(Clone, Copy, Default)]
struct Regularity {
    /// The last repetition with one, from 1; 0 for none.
    last: usize,
    /// Launches in it.
    count: usize,
    /// Launches in the first repetition with one.
    first: usize,
    /// Repetitions with one.
    repetitions: usize,
    is_irregular: bool,
}

impl Regularity {
    fn add(&mut self, repetition: usize) {
        if self.last != repetition {
            self.close();
            (self.last, self.count) = (repetition, 0);
            self.repetitions += 1;
        }
        self.count += 1;
    }

    fn close(&mut self) {
        match self.repetitions {
            0 => {}
            1 => self.first = self.count,
            _ => self.is_irregular |= self.count != self.first,
        }
    }
}

/// Tells whether the repetitions from each start to the next have the same launches, each as often, but for little of their time. The last
/// repetition may be cut off, but has nothing new, as the head behind the layers of a single step.
fn is_regular(all: &[Launch], starts: &[usize], tokens: usize) -> bool {
    let (Some(&begin), Some(&last)) = (starts.first(), starts.last()) else { return false };
    let is_pair = starts.len() == 2;
    // Of two repetitions the second one is compared, although its end is not known.
    let end = if is_pair { all.len() } else { last };
    let whole = if is_pair { 2 } else { starts.len() - 1 };
    let mut known = vec![Regularity::default(); tokens];
    let mut repetition = 0;
    for (at, launch) in all.iter().enumerate().take(end).skip(begin) {
        repetition += usize::from(starts.get(repetition) == Some(&at));
        known[launch.token as usize].add(repetition);
    }
    known.iter_mut().for_each(Regularity::close);
    let is_same = |launch: &Launch| {
        let known = known[launch.token as usize];
        known.repetitions == whole && !known.is_irregular
    };
    if all[last..].iter().any(|launch| known[launch.token as usize].repetitions == 0) {
        return false;
    }
    let inside = &all[begin..end];
    let (same, work) = inside.iter().fold((0_i64, 0_i64), |(same, work), launch| {
        let ns = launch.ns.max(0);
        (if is_same(launch) { same.saturating_add(ns) } else { same }, work.saturating_add(ns))
    });
    let of_one = inside.iter().take(starts.get(1).map_or(0, |next| next - begin)).filter(|launch| is_same(launch));
    let mut in_one: Vec<u32> = of_one.map(|launch| launch.token).collect();
    in_one.sort_unstable();
    in_one.dedup();
    in_one.len() >= LEAST_LAUNCHES && same as f64 >= LEAST_REGULAR * work as f64
}

/// Tells whether starts are spread evenly over the repetitions of a longer period.
fn is_inside(inner: &[usize], outer: &[usize]) -> bool {
    let before = |at: usize| inner.partition_point(|&start| start < at);
    let counts: Vec<usize> = outer.windows(2).map(|pair| before(pair[1]) - before(pair[0])).collect();
    let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
    least > 0 && most - least <= 1
}
