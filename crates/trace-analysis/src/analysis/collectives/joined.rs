//! Sums of collectives by group, kind, size and kernel, joined over their ranks.

use super::recorded::{Call, OnRank, State};
use crate::analysis::compare_ranks::Divided;
use crate::collective::Matched;
use crate::exec::checkpoint::cancellable;
use efficiency::{Bandwidth, CollectiveKind};
use std::collections::BTreeMap;
use trace_view::format::{bytes, numbered};

/// Differences of size that are named.
const MOST_NAMED: usize = 3;

/// The collectives of all ranks.
#[derive(Debug)]
pub(super) struct Joined<'s> {
    /// The longest first.
    pub(super) rows: Vec<Row<'s>>,
    /// Waiting until the last rank arrives, and skew of arrivals, by rank.
    pub(super) arrivals: BTreeMap<i64, Arrivals>,
    /// Collectives whose ranks recorded different sizes: a sentence about each of the first, and their number.
    pub(super) different: (Vec<String>, usize),
    /// Collectives of one number whose sizes were compared.
    pub(super) compared: usize,
    /// Whether some kernel was joined with another rank's.
    pub(super) is_joined: bool,
}

/// The collectives of a row, and the sums of their kernels; times in ns.
#[derive(Debug, Clone)]
pub(super) struct Row<'s> {
    /// One of them.
    pub(super) call: &'s Call,
    /// Number of kernels on all ranks.
    pub(super) count: u64,
    pub(super) time: i128,
    pub(super) exposed: i128,
    /// Kernels that are divided into waiting and transfer.
    pub(super) divided: u64,
    pub(super) waiting: i128,
    pub(super) transfer: i128,
    /// Bytes of all kernels.
    bytes: u128,
    /// Of kernels that were joined: the shortest duration over the ranks counts.
    shortest: Measured,
    /// Of all other kernels: their own duration counts.
    own: Measured,
}

/// Kernels with the time that their bandwidth is computed from.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    count: u64,
    bytes: u128,
    time: i128,
}

/// Arrivals of a rank at the collectives that it has in common with others; times in ns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arrivals {
    pub(super) count: u64,
    /// Until the last rank arrived.
    pub(super) waited: i128,
    /// After the first rank arrived.
    pub(super) skew: i128,
}

/// What the collectives of a row have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'s> {
    group: (&'s str, &'s str, u64),
    collective: &'s str,
    name: &'s str,
    element: &'s str,
    is_uneven: bool,
    /// The size; of uneven all-to-alls, whose sizes differ from call to call, the next power of two.
    size: Option<u64>,
}

impl<'s> Key<'s> {
    fn of(call: &'s Call) -> Self {
        let Call { group, group_ranks, group_size, collective, name, element, is_uneven, .. } = call;
        let rounded = |size: u64| if *is_uneven { size.checked_next_power_of_two().unwrap_or(size) } else { size };
        let (group, size) = ((group.as_str(), group_ranks.as_str(), *group_size), call.size().map(rounded));
        Self { group, collective, name, element, is_uneven: *is_uneven, size }
    }
}

impl Measured {
    fn add(&mut self, bytes: u64, time: i64) {
        self.count += 1;
        self.bytes += u128::from(bytes);
        self.time += i128::from(time);
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.time += other.time;
    }
}

impl<'s> Row<'s> {
    fn of(call: &'s Call) -> Self {
        let (shortest, own) = (Measured::default(), Measured::default());
        Self { call, count: 0, time: 0, exposed: 0, divided: 0, waiting: 0, transfer: 0, bytes: 0, shortest, own }
    }

    /// Number of kernels that were joined with those of other ranks.
    pub(super) fn joined(&self) -> u64 {
        self.shortest.count
    }

    /// Mean size in bytes, if sizes are known.
    pub(super) fn size(&self) -> Option<f64> {
        self.call.size().map(|_| self.bytes as f64 / self.count.max(1) as f64)
    }

    /// Share of the time during which no computation runs; `None` without time.
    pub(super) fn exposed_share(&self) -> Option<f64> {
        (self.time > 0).then(|| 100.0 * self.exposed as f64 / self.time as f64)
    }

    /// Returns the mean bandwidth, if it can be known.
    pub(super) fn bandwidth(&self) -> Option<Bandwidth> {
        bandwidth(self.call, self.measured())
    }

    fn measured(&self) -> Measured {
        if self.shortest.count > 0 { self.shortest } else { self.own }
    }
}

/// Returns the bandwidth of kernels of the kind of `call`: their bytes by their time.
fn bandwidth(call: &Call, measured: Measured) -> Option<Bandwidth> {
    let message = call.message()?;
    // The sizes of uneven all-to-alls differ: the time is that of the message, had it been transferred at the rate of all.
    let scale = message.size() as f64 * measured.count as f64 / measured.bytes as f64;
    message.bandwidth(measured.time as f64 / measured.count as f64 * scale).ok()
}

/// A kind in groups of one size.
type KindAndRanks = (CollectiveKind, u64);

/// Returns size in bytes and bus bandwidth in GB/s by kind and number of ranks, in the order of sizes.
pub(super) fn by_size(rows: &[Row<'_>]) -> BTreeMap<KindAndRanks, Vec<(f64, f64)>> {
    let mut sums: BTreeMap<KindAndRanks, BTreeMap<u64, (&Call, Measured)>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.bandwidth().is_some()) {
        let (Some(message), Some(size)) = (row.call.message(), row.size()) else { continue };
        let of_kind = sums.entry((message.kind, message.ranks)).or_default();
        of_kind.entry(size as u64).or_insert((row.call, Measured::default())).1.merge(row.measured());
    }
    let point =
        |(size, (call, measured)): (u64, (&Call, Measured))| Some((size as f64, bandwidth(call, measured)?.bus));
    sums.into_iter().map(|(kind, sizes)| (kind, sizes.into_iter().filter_map(point).collect())).collect()
}

/// Rows under construction, and where the kernels of each rank belong.
struct Joining<'s> {
    ranks: &'s BTreeMap<i64, OnRank>,
    rows: Vec<Row<'s>>,
    /// By rank, the row of each call, and whether each kernel was joined.
    of_rank: BTreeMap<i64, (Vec<usize>, Vec<bool>)>,
    arrivals: BTreeMap<i64, Arrivals>,
    different: (Vec<String>, usize),
    compared: usize,
}

impl<'s> Joined<'s> {
    /// Joins the collectives of the ranks; `divided` tells whether their clocks agree.
    pub(super) fn of(state: &'s State, divided: &Divided) -> Self {
        let ranks = &state.ranks.0;
        let (mut rows, mut numbers): (Vec<Row<'_>>, BTreeMap<Key<'_>, usize>) = (Vec::new(), BTreeMap::new());
        let mut of_rank: BTreeMap<i64, (Vec<usize>, Vec<bool>)> = BTreeMap::new();
        for (&rank, found) in cancellable(ranks) {
            let numbers = found.calls.iter().map(|call| {
                *numbers.entry(Key::of(call)).or_insert_with(|| {
                    rows.push(Row::of(call));
                    rows.len() - 1
                })
            });
            of_rank.insert(rank, (numbers.collect(), vec![false; found.kernels.len()]));
        }
        let (arrivals, different) = (BTreeMap::new(), (Vec::new(), 0));
        let mut joining = Joining { ranks, rows, of_rank, arrivals, different, compared: 0 };
        let is_plausible = divided.is_plausible();
        state.matching.matched(ranks.len(), |matched| joining.add(&matched, is_plausible));
        joining.finish()
    }
}

impl<'s> Joining<'s> {
    /// Adds a collective of several ranks.
    fn add(&mut self, matched: &Matched<'_, '_>, is_plausible: bool) {
        if is_plausible && matched.is_apart() {
            return;
        }
        let shortest = matched.of.iter().map(|one| one.end.saturating_sub(one.start)).min().unwrap_or(0);
        let (first, last) = (matched.of.first().map_or(0, |first| first.start), matched.last_start());
        let ranks = self.ranks;
        let mut calls: Vec<(i64, &'s Call)> = Vec::with_capacity(matched.of.len());
        for one in matched.of {
            let Some(found) = ranks.get(&one.rank) else { continue };
            let Ok(index) = found.kernels.binary_search_by_key(&one.row, |kernel| kernel.row) else { continue };
            let Some((rows, is_joined)) = self.of_rank.get_mut(&one.rank) else { continue };
            let call = found.kernels[index].call as usize;
            let (row, call) = (&mut self.rows[rows[call]], &found.calls[call]);
            is_joined[index] = true;
            row.shortest.add(call.size().unwrap_or(0), shortest);
            calls.push((one.rank, call));
            if is_plausible {
                let waited = i128::from(last) - i128::from(one.start);
                row.divided += 1;
                row.waiting += waited;
                row.transfer += i128::from(one.end.saturating_sub(last).max(0));
                let arrivals = self.arrivals.entry(one.rank).or_default();
                arrivals.count += 1;
                arrivals.waited += waited;
                arrivals.skew += i128::from(one.start) - i128::from(first);
            }
        }
        if let Some(number) = matched.number {
            self.check(number, &calls);
        }
    }

    /// Notes a collective whose ranks recorded different sizes.
    fn check(&mut self, number: i64, calls: &[(i64, &Call)]) {
        let mut sizes: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
        for (rank, call) in calls.iter().filter(|(_, call)| !call.is_uneven) {
            if let Some(size) = call.size() {
                sizes.entry(size).or_default().push(*rank);
            }
        }
        self.compared += usize::from(sizes.values().map(Vec::len).sum::<usize>() > 1);
        if sizes.len() < 2 {
            return;
        }
        self.different.1 += 1;
        if let Some((_, call)) = calls.first().filter(|_| self.different.0.len() < MOST_NAMED) {
            let of_ranks: Vec<String> =
                sizes.iter().map(|(&size, ranks)| format!("{} {}", numbered("rank", ranks), bytes(size))).collect();
            let group = if call.group.is_empty() { String::new() } else { format!(" of process group {}", call.group) };
            self.different.0.push(format!(
                "Ranks recorded different sizes of {} number {number}{group}: {}.",
                call.collective,
                of_ranks.join("; ")
            ));
        }
    }

    fn finish(mut self) -> Joined<'s> {
        let ranks = self.ranks;
        let mut is_joined = false;
        for (rank, found) in cancellable(ranks) {
            let Some((rows, joined)) = self.of_rank.get(rank) else { continue };
            for (kernel, &joined) in found.kernels.iter().zip(joined) {
                let call = kernel.call as usize;
                let (row, size) = (&mut self.rows[rows[call]], found.calls[call].size().unwrap_or(0));
                row.count += 1;
                row.time += i128::from(kernel.dur);
                row.exposed += i128::from(kernel.exposed);
                row.bytes += u128::from(size);
                is_joined |= joined;
                if !joined {
                    row.own.add(size, kernel.dur);
                }
            }
        }
        let mut rows = self.rows;
        rows.sort_by(|one, other| other.time.cmp(&one.time).then_with(|| Key::of(one.call).cmp(&Key::of(other.call))));
        Joined { rows, arrivals: self.arrivals, different: self.different, compared: self.compared, is_joined }
    }
}
