//! Collectives of some ranks, matched by number and process group where recorded, else by their order.

use super::numbering::{COLUMNS, Group, Numbered, Numbering};
use crate::exec::checkpoint::cancellable;
use crate::frame::{READ_COLUMNS, RankEvents, rows_in_whole_steps};
use crate::{Compat, Result, Trace};
use polars::prelude::{DataFrame, PlSmallStr};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A collective on one rank: its number or its iteration, its position among equal ones, start and end in ns, its row.
type Occurrence = (i64, i64, i64, i64, u32);

/// The collectives of one name and group by rank, in the order of their starts.
type ByRank = BTreeMap<i64, Vec<Occurrence>>;

/// The collectives of some ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collectives {
    /// By name, the groups in order.
    by_name: BTreeMap<String, Vec<(Group, ByRank)>>,
    /// Kernels of communication that do not wait for all ranks: broadcasts, sends.
    one_sided: u64,
}

impl Collectives {
    /// Collects the collectives among these rows of one rank.
    pub fn of(rank: i64, events: &DataFrame, rows: &RankEvents, communication: &[usize]) -> Self {
        if communication.is_empty() {
            return Self::default();
        }
        let numbering = Numbering::of(events);
        let timed = |&&row: &&usize| rows.ts(row).is_some() && rows.stream(row).is_some();
        let (waiting, one_sided): (Vec<usize>, Vec<usize>) =
            communication.iter().filter(timed).partition(|&&row| numbering.waits_for_all(rows, row));
        let mut found = Self { one_sided: one_sided.len() as u64, ..Self::default() };
        let mut of_name: BTreeMap<u32, BTreeMap<Group, Vec<Occurrence>>> = BTreeMap::new();
        for Numbered { row, group, at, position } in numbering.numbered(rows, waiting) {
            let Some(start) = rows.ts(row) else { continue };
            let occurrence = (at, position, start, start.saturating_add(rows.dur(row).max(0)), row as u32);
            of_name.entry(rows.name(row)).or_default().entry(group).or_default().push(occurrence);
        }
        for (name, groups) in of_name {
            let groups = groups.into_iter().map(|(group, all)| (group, [(rank, all)].into())).collect();
            found.by_name.insert(rows.text(name).to_owned(), groups);
        }
        found
    }

    /// Collects the collectives among these rows of one rank, without those of its last profiler step, which analyses leave out.
    ///
    /// # Errors
    /// If the events cannot be read any more, or a column is missing.
    pub fn in_whole_steps(trace: &Trace, compat: Compat, mut communication: Vec<usize>) -> Result<Self> {
        if communication.is_empty() {
            return Ok(Self::default());
        }
        let names = READ_COLUMNS.into_iter().chain(COLUMNS).map(PlSmallStr::from_static).collect::<Vec<_>>();
        let events = trace.frame_of(&names)?;
        let mut counts = vec![false; events.height()];
        for row in rows_in_whole_steps(&events, trace.info().iterations.len(), false, compat)? {
            counts[row as usize] = true;
        }
        communication.retain(|&row| counts[row]);
        Ok(Self::of(trace.rank(), &events, &trace.rank_events(&events, compat)?, &communication))
    }

    /// Merges the collectives of other ranks.
    pub fn merge(&mut self, other: Self) {
        self.one_sided += other.one_sided;
        for (name, groups) in other.by_name {
            let ours = self.by_name.entry(name).or_default();
            for (group, ranks) in groups {
                match ours.binary_search_by(|(other, _)| other.cmp(&group)) {
                    Ok(at) => ours[at].1.extend(ranks),
                    Err(at) => ours.insert(at, (group, ranks)),
                }
            }
        }
    }

    /// Number of kernels of communication that do not wait for all ranks.
    pub fn one_sided(&self) -> u64 {
        self.one_sided
    }

    /// Visits the collectives that at least two ranks recorded. Returns the number of those that cannot be matched: their process
    /// group is smaller than the `loaded` ranks, and was not recorded.
    pub fn matched<'c>(&'c self, loaded: usize, mut visit: impl FnMut(Matched<'_, 'c>)) -> usize {
        let mut without_group = 0;
        for (name, groups) in cancellable(&self.by_name) {
            for (group, ranks) in groups {
                if group.is_unknown(loaded) {
                    without_group += ranks.values().map(Vec::len).max().unwrap_or(0);
                    continue;
                }
                let mut all: Vec<((i64, i64), Member)> = Vec::new();
                for (&rank, occurrences) in ranks {
                    all.extend(
                        occurrences
                            .iter()
                            .map(|&(at, position, start, end, row)| ((at, position), Member { start, end, rank, row })),
                    );
                }
                all.sort_unstable();
                for one in cancellable(all.chunk_by(|one, other| one.0 == other.0)).filter(|one| one.len() > 1) {
                    let of: Vec<Member> = one.iter().map(|&(_, member)| member).collect();
                    let number = one.first().map(|&((at, _), _)| at).filter(|_| !group.numbered_by.is_empty());
                    visit(Matched { name, group, number, of: &of });
                }
            }
        }
        without_group
    }
}

/// A collective on one of its ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Begin in ns.
    pub start: i64,
    /// End in ns.
    pub end: i64,
    pub rank: i64,
    /// Row among the events of the rank.
    pub row: u32,
}

/// A collective that at least two ranks recorded.
#[derive(Debug)]
pub struct Matched<'m, 'c> {
    /// Name of its kernel.
    pub name: &'c str,
    /// What it was matched by.
    pub group: &'c Group,
    /// The number that its ranks recorded; `None` if it was matched by order.
    pub number: Option<i64>,
    /// Its ranks, in the order of their begins.
    pub of: &'m [Member],
}

impl Matched<'_, '_> {
    /// When the last rank arrived.
    pub fn last_start(&self) -> i64 {
        self.of.last().map_or(0, |last| last.start)
    }

    /// Tells whether it does not overlap on all its ranks, which clocks that do not agree make it look like.
    pub fn is_apart(&self) -> bool {
        let last = self.last_start();
        self.of.iter().any(|one| one.end <= last && one.start < one.end)
    }
}

/// Tells whether waiting and transfer can be told apart: matched collectives overlap on all their ranks, but for one in twenty.
pub fn is_plausible(matched: usize, apart: usize) -> bool {
    matched > apart && apart.saturating_mul(20) <= matched
}
