//! Collectives of some ranks, matched by number and process group where recorded, else by their order.

use super::kind::{COLLECTIVE_NAME, RecordedKinds, known, texts};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::ITERATION;
use crate::frame::{EventRows, IntColumn, READ_COLUMNS, rows_in_whole_steps};
use crate::{Compat, Result, Trace};
use polars::prelude::{DataFrame, PlSmallStr};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Columns that number the collectives of a process group, the better one first.
const NUMBERS: [&str; 2] = ["seq_num", "comms_id"];
/// Columns that name a process group, the better one first.
const GROUPS: [&str; 2] = ["process_group_ranks", "process_group_name"];
const GROUP_SIZE: &str = "group_size";
/// Columns that are read where they exist, besides those of [`EventRows`].
pub(crate) const COLUMNS: [&str; 6] = [NUMBERS[0], NUMBERS[1], GROUPS[0], GROUPS[1], GROUP_SIZE, COLLECTIVE_NAME];

/// How a collective is recognised on other ranks, besides its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Group {
    /// The column of [`NUMBERS`]; empty: by the order of collectives of one name on one stream in an iteration.
    numbered_by: String,
    /// The process group as recorded; empty if it is not.
    group: String,
    /// Its size; 0 if it is not recorded.
    size: i64,
    /// The stream, where the order counts.
    stream: i64,
}

/// A collective on one rank: its number or its iteration, its position among equal ones, start and end in ns, its row.
type Occurrence = (i64, i64, i64, i64, u32);

/// The collectives of one name and group by rank, in the order of their starts.
type ByRank = BTreeMap<i64, Vec<Occurrence>>;

/// The collectives of some ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Collectives {
    /// By name, the groups in order.
    by_name: BTreeMap<String, Vec<(Group, ByRank)>>,
    /// Kernels of communication that do not wait for all ranks: broadcasts, sends.
    one_sided: u64,
}

impl Collectives {
    /// Collects the collectives among these rows of one rank.
    pub(crate) fn of(rank: i64, events: &DataFrame, rows: &EventRows, communication: &[usize]) -> Self {
        if communication.is_empty() {
            return Self::default();
        }
        let int = |name: &str| {
            let is_int = events.column(name).is_ok_and(|column| column.dtype().is_integer());
            if is_int { IntColumn::of(events, name).ok() } else { None }
        };
        let numbers: Vec<(&str, IntColumn)> = NUMBERS.iter().filter_map(|&name| Some((name, int(name)?))).collect();
        let groups: Vec<_> = GROUPS.iter().filter_map(|name| texts(events, name)).collect();
        let kinds = RecordedKinds::of(events);
        let (size, iteration) = (int(GROUP_SIZE), int(ITERATION));
        let mut sorted: Vec<usize> = communication.to_vec();
        sorted.sort_by_key(|&row| rows.ts(row));
        let mut found = Self::default();
        let mut seen: BTreeMap<(u32, Group, i64), i64> = BTreeMap::new();
        let mut of_name: BTreeMap<u32, BTreeMap<Group, Vec<Occurrence>>> = BTreeMap::new();
        for row in cancellable(sorted) {
            let (Some(start), Some(stream)) = (rows.ts(row), rows.stream(row)) else { continue };
            if !kinds.waits_for_all(rows, row) {
                found.one_sided += 1;
                continue;
            }
            let number = numbers.iter().find_map(|(name, column)| Some((*name, column.get(row).filter(|&n| n >= 0)?)));
            let group = Group {
                numbered_by: number.map_or_else(String::new, |(name, _)| name.to_owned()),
                group: groups.iter().find_map(|column| known(column, row)).unwrap_or_default().to_owned(),
                size: size.as_ref().and_then(|size| size.get(row)).unwrap_or(0).max(0),
                stream: if number.is_some() { 0 } else { stream },
            };
            let at = number
                .map(|(_, number)| number)
                .or_else(|| iteration.as_ref().and_then(|iteration| iteration.get(row)))
                .unwrap_or(-1);
            let position = seen.entry((rows.name(row), group.clone(), at)).or_default();
            let occurrence = (at, *position, start, start.saturating_add(rows.dur(row).max(0)), row as u32);
            *position += 1;
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
    pub(crate) fn in_whole_steps(trace: &Trace, compat: Compat, mut communication: Vec<usize>) -> Result<Self> {
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
        Ok(Self::of(trace.rank(), &events, &EventRows::of(&events, compat)?, &communication))
    }

    /// Merges the collectives of other ranks.
    pub(crate) fn merge(&mut self, other: Self) {
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
    pub(crate) fn one_sided(&self) -> u64 {
        self.one_sided
    }

    /// Visits the collectives that at least two ranks recorded. Returns the number of those that cannot be matched: their process
    /// group is smaller than the `loaded` ranks, and was not recorded.
    pub(crate) fn matched<'c>(&'c self, loaded: usize, mut visit: impl FnMut(Matched<'_, 'c>)) -> usize {
        let mut without_group = 0;
        for (name, groups) in cancellable(&self.by_name) {
            for (group, ranks) in groups {
                if group.group.is_empty() && group.size > 0 && (group.size as u64) < loaded as u64 {
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
                    visit(Matched { name, group, of: &of });
                }
            }
        }
        without_group
    }
}

/// A collective on one of its ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    /// Begin in ns.
    pub(crate) start: i64,
    /// End in ns.
    pub(crate) end: i64,
    pub(crate) rank: i64,
    /// Row among the events of the rank.
    pub(crate) row: u32,
}

/// A collective that at least two ranks recorded.
#[derive(Debug)]
pub(crate) struct Matched<'m, 'c> {
    /// Name of its kernel.
    pub(crate) name: &'c str,
    /// What it was matched by.
    pub(crate) group: &'c Group,
    /// Its ranks, in the order of their begins.
    pub(crate) of: &'m [Member],
}

impl Matched<'_, '_> {
    /// When the last rank arrived.
    pub(crate) fn last_start(&self) -> i64 {
        self.of.last().map_or(0, |last| last.start)
    }

    /// Tells whether it does not overlap on all its ranks, which clocks that do not agree make it look like.
    pub(crate) fn is_apart(&self) -> bool {
        let last = self.last_start();
        self.of.iter().any(|one| one.end <= last && one.start < one.end)
    }
}

/// Tells whether waiting and transfer can be told apart: matched collectives overlap on all their ranks, but for one in twenty.
pub(crate) fn is_plausible(matched: usize, apart: usize) -> bool {
    matched > apart && apart.saturating_mul(20) <= matched
}

impl Group {
    /// `process group and seq_num`, `order per name and stream in an iteration`
    pub(crate) fn words(&self) -> String {
        let process_group = match (self.group.is_empty(), self.size) {
            (false, _) => "process group and ",
            (true, 1..) => "size of the process group and ",
            (true, _) => "",
        };
        let number =
            if self.numbered_by.is_empty() { "order per name and stream in each iteration" } else { &self.numbered_by };
        format!("{process_group}{number}")
    }
}
