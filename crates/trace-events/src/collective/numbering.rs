//! The identity of a collective on all its ranks: its number and process group where they are recorded, else its order.

use super::kind::{COLLECTIVE_NAME, RecordedKinds, known, texts};
use crate::exec::checkpoint::cancellable;
use crate::frame::{IntColumn, RankEvents};
use polars::prelude::{DataFrame, StringChunked};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Columns that number the collectives of a process group, the better one first.
const NUMBERS: [&str; 2] = ["seq_num", "comms_id"];
/// Columns that name a process group, the better one first.
const GROUPS: [&str; 2] = ["process_group_ranks", "process_group_name"];
const GROUP_SIZE: &str = "group_size";
/// Columns that are read where they exist, besides those of [`RankEvents`].
pub const COLUMNS: [&str; 6] = [NUMBERS[0], NUMBERS[1], GROUPS[0], GROUPS[1], GROUP_SIZE, COLLECTIVE_NAME];

/// How a collective is recognised on other ranks, besides its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// The column of [`NUMBERS`]; empty: by the order of collectives of one name on one stream in an iteration.
    pub(super) numbered_by: String,
    /// The process group as recorded; empty if it is not.
    pub(super) group: String,
    /// Its size; 0 if it is not recorded.
    pub size: i64,
    /// The stream, where the order counts.
    pub(super) stream: i64,
}

/// A collective of a rank with its number.
#[derive(Debug)]
pub struct Numbered {
    /// Its row among the events of the rank.
    pub row: usize,
    /// Its process group.
    pub group: Group,
    /// Its number, or its iteration where it has none; −1 outside of iterations.
    pub at: i64,
    /// Its position among those of the same name, group and number.
    pub position: i64,
}

/// Numbers the collectives of a rank.
pub struct Numbering {
    numbers: Vec<(&'static str, IntColumn)>,
    groups: Vec<StringChunked>,
    kinds: RecordedKinds,
    size: Option<IntColumn>,
}

impl Numbering {
    /// Prepares to number those of a frame of events.
    pub fn of(events: &DataFrame) -> Self {
        let int = |name: &str| IntColumn::of(events, name).ok();
        Self {
            numbers: NUMBERS.iter().filter_map(|&name| Some((name, int(name)?))).collect(),
            groups: GROUPS.iter().filter_map(|name| texts(events, name)).collect(),
            kinds: RecordedKinds::of(events),
            size: int(GROUP_SIZE),
        }
    }

    /// Tells whether the kernel of a row ends only after all ranks have begun.
    pub fn waits_for_all(&self, rows: &RankEvents, row: usize) -> bool {
        self.kinds.waits_for_all(rows, row)
    }

    /// Returns the kind that was recorded with a kernel (`allreduce`), else the annotation around its launch (`nccl:all_reduce`).
    pub fn kind<'k>(&'k self, rows: &'k RankEvents, row: usize) -> Option<&'k str> {
        self.kinds.kind(rows, row)
    }

    /// Numbers collectives that wait for all ranks, in the order of their starts. Rows without a start or a stream are left out.
    pub fn numbered(&self, rows: &RankEvents, mut collectives: Vec<usize>) -> Vec<Numbered> {
        collectives.sort_by_key(|&row| rows.ts(row));
        let mut seen: BTreeMap<(u32, Group, i64), i64> = BTreeMap::new();
        let mut numbered = Vec::with_capacity(collectives.len());
        for row in cancellable(collectives) {
            let (Some(_), Some(stream)) = (rows.ts(row), rows.stream(row)) else { continue };
            let number =
                self.numbers.iter().find_map(|(name, column)| Some((*name, column.get(row).filter(|&n| n >= 0)?)));
            let group = Group {
                numbered_by: number.map_or_else(String::new, |(name, _)| name.to_owned()),
                group: self.groups.iter().find_map(|column| known(column, row)).unwrap_or_default().to_owned(),
                size: self.size.as_ref().and_then(|size| size.get(row)).unwrap_or(0).max(0),
                stream: if number.is_some() { 0 } else { stream },
            };
            let at = number.map(|(_, number)| number).or_else(|| rows.iteration(row)).unwrap_or(-1);
            let position = seen.entry((rows.name(row), group.clone(), at)).or_default();
            numbered.push(Numbered { row, group, at, position: *position });
            *position += 1;
        }
        numbered
    }
}

impl Group {
    /// Tells whether it is unknown which of the `loaded` ranks are in the group: it is smaller, and was not recorded.
    pub fn is_unknown(&self, loaded: usize) -> bool {
        self.group.is_empty() && self.size > 0 && (self.size as u64) < loaded as u64
    }

    /// Returns a number that is the same on all ranks for collectives of this group and name (FNV-1a).
    pub fn hash(&self, name: &str) -> u64 {
        let numbers = format!("{} {} {}", self.numbered_by, self.size, self.stream);
        let bytes = [&self.group, name, &numbers].into_iter().flat_map(|text| text.bytes().chain([0xff]));
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// `process group and seq_num`, `order per name and stream in an iteration`
    pub fn words(&self) -> String {
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
