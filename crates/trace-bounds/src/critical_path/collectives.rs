//! Collectives of a rank as events of the causal graph.

use crate::collective::{Numbered, Numbering};
use crate::frame::{IntColumn, RankEvents};
use causal::{Collective, RankInput};
use foldhash::HashMap;
use polars::prelude::DataFrame;

/// The collectives of a rank, as far as they wait for all ranks of their group.
pub(super) struct Collectives {
    numbering: Numbering,
    elements: Option<IntColumn>,
    loaded: usize,
    /// Row and place among the GPU events.
    found: HashMap<usize, usize>,
}

impl Collectives {
    /// Prepares to collect those of a frame; `loaded` is the number of ranks that are loaded.
    pub(super) fn of(events: &DataFrame, elements: Option<IntColumn>, loaded: usize) -> Self {
        Self { numbering: Numbering::of(events), elements, loaded, found: HashMap::default() }
    }

    /// Adds a kernel of communication.
    pub(super) fn add(&mut self, at: usize, row: usize, rows: &RankEvents) {
        if self.numbering.waits_for_all(rows, row) {
            self.found.insert(row, at);
        }
    }

    /// Gives the collectives the numbers by which those of other ranks are found.
    pub(super) fn number(self, events: &mut RankInput, rows: &RankEvents) {
        let Self { numbering, elements, loaded, found } = self;
        // Numbering sorts them.
        #[allow(clippy::iter_over_hash_type)]
        let mut collectives: Vec<usize> = found.keys().copied().collect();
        collectives.sort_unstable();
        for Numbered { row, group, at, position } in numbering.numbered(rows, collectives) {
            if group.is_unknown(loaded) {
                continue;
            }
            let amount = elements.as_ref().and_then(|elements| elements.get(row)).unwrap_or(0).max(0) as u64;
            events.device[found[&row]].collective = events.collectives.len() as u32;
            events.collectives.push(Collective {
                group: group.hash(rows.text(rows.name(row))),
                number: ((at as u64) << 32) | (position as u64 & 0xffff_ffff),
                size: u32::try_from(group.size).unwrap_or(0),
                amount,
            });
        }
    }
}
