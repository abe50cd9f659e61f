//! The rows of several readings of one file → what one reading would have made of it.
//!
//! What depends on the order of the events: the symbols of texts, which args became columns, and what an arg column of
//! any kind makes of its values. A part that started without knowing what came before and may have taken something
//! otherwise does not fit; its stretch of the file is then read again, by who knows.

use super::arg_cells::ArgCells;
use super::build::{Builder, Rows};
use crate::read::PartSink;
use std::sync::atomic::Ordering;

impl PartSink for Builder<'_> {
    fn part(&self) -> Self {
        Self::new(self.compat, self.ranks, self.wanted, self.meter)
    }

    fn fits(&self, part: &Self) -> bool {
        let Some(slots) = self.slots.places(&part.slots) else { return false };
        part.rows.args.iter().zip(slots).all(|(cells, slot)| match self.rows.args.get(slot) {
            Some(mine) => mine.takes(cells),
            None => true,
        })
    }

    fn absorb(&mut self, part: Self, entries: u64) {
        let slots = self.slots.extend(&part.slots);
        self.rows.append(part.rows, entries as i64, &slots);
        // It told the meter of its events itself.
        self.told += part.told;
    }

    fn give_up(self) {
        self.meter.events.fetch_sub(self.told, Ordering::Relaxed);
    }
}

impl Rows {
    /// Rows of a later part, whose events follow on `entries` of the list; `slots` are the places of its args here.
    fn append(&mut self, part: Self, entries: i64, slots: &[usize]) {
        let rows = self.index.rows();
        let more = part.index.rows();
        let symbols = self.interner.absorb(&part.interner);
        let known = |symbol: u32| symbols[symbol as usize];
        part.index.fill(more).each(|row, index| self.index.set(rows + row, index + entries));
        self.name.append(rows, part.name.map(known));
        self.cat.extend(part.cat.into_iter().map(known));
        for (mine, theirs) in [(&mut self.ts, part.ts), (&mut self.dur, part.dur)] {
            mine.append(rows, theirs);
        }
        let Self { pid, tid, stream, correlation, .. } = self;
        for (mine, theirs) in [(pid, part.pid), (tid, part.tid), (stream, part.stream), (correlation, part.correlation)]
        {
            mine.append(rows, theirs);
        }
        for (cells, &slot) in part.args.into_iter().zip(slots) {
            if self.args.len() <= slot {
                self.args.resize_with(slot + 1, ArgCells::default);
            }
            self.args[slot].append(rows, cells, &symbols, &mut self.interner);
        }
        self.float.ts.extend(part.float.ts);
        self.float.dur.extend(part.float.dur);
        self.float_starts |= part.float_starts;
        self.odd.add(&part.odd);
    }
}
