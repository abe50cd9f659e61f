//! Collectives of several ranks, matched with each other: waiting until the last rank arrives, then transfer.
//!
//! ```text
//! rank 0   |-- waiting --|-- transfer --|
//! rank 1        |waiting |-- transfer --|
//! rank 2   late . . . . .|-- transfer --|
//! ```

use super::measures::{Class, Times};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::ITERATION;
use crate::frame::{EventRows, IntColumn};
use polars::prelude::{DataFrame, DataType};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use trace_view::format::counted;

/// Columns that number the collectives of a process group, the better one first.
const NUMBERS: [&str; 2] = ["seq_num", "comms_id"];
/// Columns that name a process group, the better one first.
const GROUPS: [&str; 2] = ["process_group_ranks", "process_group_name"];
const GROUP_SIZE: &str = "group_size";
const COLLECTIVE_NAME: &str = "collective_name";

/// How a collective is recognised on other ranks, besides its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Group {
    /// The column of [`NUMBERS`]; empty: by the order of collectives of one name on one stream in an iteration.
    numbered_by: String,
    /// The process group as recorded; empty if it is not.
    group: String,
    /// Its size; 0 if it is not recorded.
    size: i64,
    /// The stream, where the order counts.
    stream: i64,
}

/// A collective on one rank: its number or its iteration, its position among equal ones, start and end in ns.
type Occurrence = (i64, i64, i64, i64);

/// The collectives of one name and group by rank, in the order of their starts.
type ByRank = BTreeMap<i64, Vec<Occurrence>>;

/// The collectives of some ranks.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Collectives {
    /// By name, the groups in order.
    by_name: BTreeMap<String, Vec<(Group, ByRank)>>,
    /// Kernels of communication that do not wait for all ranks: broadcasts, sends.
    one_sided: u64,
}

impl Collectives {
    /// The columns that tell collectives of one name apart.
    pub(super) const COLUMNS: [&str; 6] = [NUMBERS[0], NUMBERS[1], GROUPS[0], GROUPS[1], GROUP_SIZE, COLLECTIVE_NAME];

    /// Collects the collectives among these rows of one rank.
    pub(super) fn of(rank: i64, events: &DataFrame, rows: &EventRows, communication: &[usize]) -> Self {
        let int = |name: &str| {
            let is_int = events.column(name).is_ok_and(|column| column.dtype().is_integer());
            if is_int { IntColumn::of(events, name).ok() } else { None }
        };
        let text = |name: &str| events.column(name).ok().and_then(|column| column.cast(&DataType::String).ok());
        let numbers: Vec<(&str, IntColumn)> = NUMBERS.iter().filter_map(|&name| Some((name, int(name)?))).collect();
        let groups: Vec<_> =
            if communication.is_empty() { Vec::new() } else { GROUPS.iter().filter_map(|n| text(n)).collect() };
        let kinds = if communication.is_empty() { None } else { text(COLLECTIVE_NAME) };
        let (size, iteration) = (int(GROUP_SIZE), int(ITERATION));
        let value = |column: &polars::prelude::Column, row: usize| -> String {
            let text = column.str().ok().and_then(|texts| texts.get(row));
            text.filter(|text| !matches!(*text, "" | "[]" | "-1")).unwrap_or_default().to_owned()
        };
        let mut sorted: Vec<usize> = communication.to_vec();
        sorted.sort_by_key(|&row| rows.ts(row));
        let mut found = Self::default();
        let mut seen: BTreeMap<(u32, Group, i64), i64> = BTreeMap::new();
        let mut of_name: BTreeMap<u32, BTreeMap<Group, Vec<Occurrence>>> = BTreeMap::new();
        for row in cancellable(sorted) {
            let (Some(start), Some(stream)) = (rows.ts(row), rows.stream(row)) else { continue };
            let kind = kinds.as_ref().map(|kinds| value(kinds, row)).unwrap_or_default();
            if !waits_for_all(if kind.is_empty() { rows.text(rows.name(row)) } else { &kind }) {
                found.one_sided += 1;
                continue;
            }
            let number = numbers.iter().find_map(|(name, column)| Some((*name, column.get(row).filter(|&n| n >= 0)?)));
            let group = Group {
                numbered_by: number.map_or_else(String::new, |(name, _)| name.to_owned()),
                group: groups
                    .iter()
                    .map(|column| value(column, row))
                    .find(|group| !group.is_empty())
                    .unwrap_or_default(),
                size: size.as_ref().and_then(|size| size.get(row)).unwrap_or(0).max(0),
                stream: if number.is_some() { 0 } else { stream },
            };
            let at = number
                .map(|(_, number)| number)
                .or_else(|| iteration.as_ref().and_then(|iteration| iteration.get(row)))
                .unwrap_or(-1);
            let position = seen.entry((rows.name(row), group.clone(), at)).or_default();
            let occurrence = (at, *position, start, start.saturating_add(rows.dur(row).max(0)));
            *position += 1;
            of_name.entry(rows.name(row)).or_default().entry(group).or_default().push(occurrence);
        }
        for (name, groups) in of_name {
            let groups = groups.into_iter().map(|(group, all)| (group, [(rank, all)].into())).collect();
            found.by_name.insert(rows.text(name).to_owned(), groups);
        }
        found
    }

    /// Merges the collectives of other ranks.
    pub(super) fn merge(&mut self, other: Self) {
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

    /// Divides the time of the collectives that at least two ranks recorded.
    pub(super) fn divided(&self, loaded: usize) -> Divided {
        let mut divided = Divided { one_sided: self.one_sided, ..Divided::default() };
        for (name, groups) in cancellable(&self.by_name) {
            for (group, ranks) in groups {
                if group.group.is_empty() && group.size > 0 && (group.size as u64) < loaded as u64 {
                    divided.without_group += ranks.values().map(Vec::len).max().unwrap_or(0);
                    continue;
                }
                divided.add(name, group, ranks);
            }
        }
        divided
    }
}

/// Returns true for collectives, by name, that end only after all ranks have begun: all-reduce, but not broadcast.
fn waits_for_all(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let all = [
        "allreduce",
        "all_reduce",
        "allgather",
        "all_gather",
        "reducescatter",
        "reduce_scatter",
        "alltoall",
        "all_to_all",
    ];
    let some = ["broadcast", "send", "recv", "_reduce_", "gather", "scatter"];
    all.iter().any(|word| name.contains(word)) || !some.iter().any(|word| name.contains(word))
}

/// Waiting and transfer of the matched collectives.
#[derive(Debug, Default)]
pub(super) struct Divided {
    /// Waiting, transfer and lateness by rank and name, in ns.
    pub(super) times: Times,
    /// Matched collectives by rank and name.
    pub(super) counts: BTreeMap<(String, i64), u64>,
    /// What they were matched by.
    matched_by: BTreeSet<String>,
    matched: usize,
    /// Those that do not overlap on all their ranks.
    apart: usize,
    /// Those of process groups that are smaller than the job and not recorded.
    without_group: usize,
    one_sided: u64,
}

impl Divided {
    fn add(&mut self, name: &str, group: &Group, ranks: &ByRank) {
        let mut all: Vec<((i64, i64), i64, i64, i64)> = Vec::new();
        for (&rank, occurrences) in ranks {
            all.extend(occurrences.iter().map(|&(at, position, start, end)| ((at, position), start, end, rank)));
        }
        all.sort_unstable();
        for one in cancellable(all.chunk_by(|one, other| one.0 == other.0)) {
            let (Some(first), Some(last)) = (one.first(), one.last()) else { continue };
            if one.len() < 2 {
                continue;
            }
            self.matched += 1;
            // They are in the order of their starts.
            let last_start = last.1;
            if one.iter().any(|&(_, start, end, _)| end <= last_start && start < end) {
                self.apart += 1;
                continue;
            }
            let middle = |at: usize| one.get(at).unwrap_or(first).1;
            let half = one.len() / 2;
            let median = if one.len() % 2 == 1 { middle(half) } else { middle(half - 1).midpoint(middle(half)) };
            for &(_, start, end, rank) in one {
                let parts = [
                    (Class::Waiting, last_start.saturating_sub(start)),
                    (Class::Transfer, end.saturating_sub(last_start).max(0)),
                    (Class::Late, start.saturating_sub(median)),
                ];
                for (class, time) in parts {
                    for name in [name, ""] {
                        let sums = self.times.entry(class).or_default().entry(name.to_owned()).or_default();
                        let sum: &mut i64 = sums.entry(rank).or_default();
                        *sum = sum.saturating_add(time);
                    }
                }
                *self.counts.entry((name.to_owned(), rank)).or_default() += 1;
            }
            self.matched_by.insert(words(group));
        }
    }

    /// Whether waiting and transfer can be told apart: collectives overlap on all their ranks, but for one in twenty.
    pub(super) fn is_plausible(&self) -> bool {
        self.matched > self.apart && self.apart.saturating_mul(20) <= self.matched
    }

    /// Says how collectives were matched, or why not.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.matched > 0 && !self.is_plausible() {
            notes.push(format!(
                "The clocks of the ranks are not synchronised: {} of {} do not overlap on all their ranks. Waiting and \
                 transfer are not told apart.",
                self.apart,
                counted(self.matched, "collective")
            ));
        } else if self.matched > 0 {
            let by: Vec<&str> = self.matched_by.iter().map(String::as_str).collect();
            let mut note = format!(
                "{} matched across ranks by {}: waiting until the last of the analysed ranks arrives, then transfer.",
                counted(self.matched, "collective"),
                by.join("; ")
            );
            if self.apart > 0 {
                note.push_str(&format!(" {} left out: they do not overlap on all their ranks.", self.apart));
            }
            notes.push(note);
        }
        if self.without_group > 0 {
            notes.push(format!(
                "{} not matched: process groups are smaller than the job and their ranks are not recorded, or not loaded \
                 (`%trace_load … --args default,nccl::process_group_ranks,nccl::seq`).",
                counted(self.without_group, "collective")
            ));
        }
        if self.one_sided > 0 {
            notes.push(format!(
                "{} (broadcasts, sends) not divided: they may end before all ranks have begun.",
                counted(usize::try_from(self.one_sided).unwrap_or(usize::MAX), "kernel")
            ));
        }
        notes
    }
}

/// `process group and seq_num`, `order per name and stream in an iteration`
fn words(group: &Group) -> String {
    let process_group = match (group.group.is_empty(), group.size) {
        (false, _) => "process group and ",
        (true, 1..) => "size of the process group and ",
        (true, _) => "",
    };
    let number =
        if group.numbered_by.is_empty() { "order per name and stream in each iteration" } else { &group.numbered_by };
    format!("{process_group}{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectives_that_wait_for_all_ranks_are_known_by_name() {
        for name in [
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            "ncclKernel_ReduceScatter",
            "_allgather_base",
            "all_to_allv",
            "ncclKernel",
        ] {
            assert!(waits_for_all(name), "{name}");
        }
        for name in ["ncclKernel_Broadcast_RING_LL", "ncclDevKernel_SendRecv", "ncclDevKernel_Reduce_Sum_f32", "gather"]
        {
            assert!(!waits_for_all(name), "{name}");
        }
    }
}
