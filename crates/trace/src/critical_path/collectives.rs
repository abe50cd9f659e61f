//! Collectives of a rank, numbered so that those of other ranks can be matched with them.

use crate::collective::{RecordedKinds, known, texts};
use crate::frame::{EventRows, IntColumn};
use causal::{Collective, RankEvents};
use polars::prelude::{DataFrame, StringChunked};
use std::collections::HashMap;

/// Columns that number the collectives of a process group, the better one first.
const NUMBERS: [&str; 2] = ["seq_num", "comms_id"];
/// Columns that name a process group, the better one first.
const GROUPS: [&str; 2] = ["process_group_ranks", "process_group_name"];

/// The collectives of a rank, as far as they wait for all ranks of their group.
pub(super) struct Collectives {
    numbers: Vec<IntColumn>,
    groups: Vec<StringChunked>,
    kinds: RecordedKinds,
    size: Option<IntColumn>,
    elements: Option<IntColumn>,
    loaded: usize,
    /// Place among the GPU events, row.
    found: Vec<(usize, usize)>,
}

impl Collectives {
    /// Prepares to collect those of a frame; `loaded` is the number of ranks that are loaded.
    pub(super) fn of(events: &DataFrame, elements: Option<IntColumn>, loaded: usize) -> Self {
        let int = |name: &str| {
            let is_int = events.column(name).is_ok_and(|column| column.dtype().is_integer());
            if is_int { IntColumn::of(events, name).ok() } else { None }
        };
        Self {
            numbers: NUMBERS.iter().filter_map(|name| int(name)).collect(),
            groups: GROUPS.iter().filter_map(|name| texts(events, name)).collect(),
            kinds: RecordedKinds::of(events),
            size: int("group_size"),
            elements,
            loaded,
            found: Vec::new(),
        }
    }

    /// Adds a kernel of communication.
    pub(super) fn add(&mut self, at: usize, row: usize, rows: &EventRows) {
        if self.kinds.waits_for_all(rows, row) {
            self.found.push((at, row));
        }
    }

    /// Gives the collectives their numbers: as recorded, else in the order of those of a name on a stream in an iteration.
    pub(super) fn number(self, events: &mut RankEvents, rows: &EventRows) {
        let mut found = self.found;
        found.sort_by_key(|&(at, _)| events.device[at].start);
        let mut seen: HashMap<(u64, i64), u64> = HashMap::new();
        for (at, row) in found {
            let number = self.numbers.iter().enumerate();
            let number =
                number.filter_map(|(by, column)| Some((by, column.get(row).filter(|&number| number >= 0)?))).next();
            let group = self.groups.iter().find_map(|column| known(column, row));
            let size = self.size.as_ref().and_then(|size| size.get(row)).unwrap_or(0).max(0);
            if group.is_none() && size > 0 && (size as u64) < self.loaded as u64 {
                // It is not known which of the ranks are in its group.
                continue;
            }
            let stream = if number.is_some() { 0 } else { rows.stream(row).unwrap_or(0) };
            let by = number.map_or(NUMBERS.len(), |(by, _)| by);
            let name = self.kinds.recorded(row).unwrap_or_else(|| rows.text(rows.name(row)));
            let group = hash(&[group.unwrap_or_default(), name, &format!("{by} {size} {stream}")]);
            let number = match number {
                Some((_, number)) => number as u64,
                None => {
                    let iteration = rows.iteration(row).unwrap_or(-1);
                    let position = seen.entry((group, iteration)).or_default();
                    *position += 1;
                    ((iteration as u64) << 32) | (*position & 0xffff_ffff)
                }
            };
            let amount = self.elements.as_ref().and_then(|elements| elements.get(row)).unwrap_or(0).max(0) as u64;
            events.device[at].collective = events.collectives.len() as u32;
            events.collectives.push(Collective { group, number, size: u32::try_from(size).unwrap_or(0), amount });
        }
    }
}

/// A number that is the same on all ranks (FNV-1a).
fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
