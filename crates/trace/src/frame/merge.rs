//! The rows of several readings of one file → what one reading would have made of it.
//!
//! What depends on the order of the events: the symbols of texts, which args became columns, and what an arg column of
//! any kind makes of its values. A part that started without knowing what came before and may have taken something
//! otherwise does not fit; its stretch of the file is then read again, by who knows, and the part is taught.
//!
//! A part whose rows were taken keeps what it learnt (texts, slots, types of columns) and is used for a stretch further
//! on. That is as good as knowing nothing, since all it knows lies before that stretch and was taken in order: texts new
//! to the part come in the order of the stretch, and those it knew are known here, so that the symbols are those of one
//! reading; a column that has a type there has it here, too.

use super::build::{Builder, Rows};
use super::builder::ArgColumnBuilder;
use crate::read::PartSink;
use std::sync::atomic::Ordering;

/// Texts that a part keeps for later stretches; one that met more starts anew, so that memory is bounded.
const MOST_TEXTS: usize = 1 << 16;

/// What has been taken of a part.
#[derive(Default)]
pub(super) struct Taken {
    /// The list of events that took it, if one has.
    list: Option<u64>,
    /// The symbols there of its symbols.
    symbols: Vec<u32>,
    /// What [`super::interner::Interner::absorb`] said.
    texts: usize,
}

impl PartSink for Builder<'_> {
    fn part(&self) -> Self {
        Self::new(self.compat, self.ranks, self.wanted, self.meter)
    }

    fn fits(&self, part: &Self) -> bool {
        // Of a list that no longer counts it knows too much.
        if part.taken.list.is_some_and(|list| list != self.lists) {
            return false;
        }
        let Some(slots) = self.slots.places(&part.slots) else { return false };
        part.rows.args.iter().zip(slots).all(|(cells, slot)| match self.rows.args.get(slot) {
            Some(mine) => mine.takes(cells),
            None => true,
        })
    }

    fn absorb(&mut self, part: &mut Self, entries: u64) {
        let slots = self.slots.extend(&mut part.slots);
        let taken = &mut part.taken;
        taken.list = Some(self.lists);
        taken.texts = self.rows.interner.absorb(&part.rows.interner, &mut taken.symbols, taken.texts);
        self.rows.append(&mut part.rows, entries as i64, &slots, &taken.symbols);
        // It told the meter of its events itself.
        self.told += std::mem::take(&mut part.told);
        if part.rows.interner.texts().len() > MOST_TEXTS {
            *part = self.part();
        }
    }

    fn give_up(&mut self) {
        self.meter.events.fetch_sub(self.told, Ordering::Relaxed);
        *self = self.part();
    }

    fn teach(&self, part: &mut Self) {
        part.slots = self.slots.to_teach();
        part.rows.args = self.rows.args.iter().map(ArgColumnBuilder::like).collect();
        part.taken.list = Some(self.lists);
    }
}

impl Rows {
    /// Moves the rows of a later part, whose events follow on `entries` of the list; `slots` are the places of its args
    /// here, `symbols` the symbols here of its symbols.
    fn append(&mut self, part: &mut Self, entries: i64, slots: &[usize], symbols: &[u32]) {
        let rows = self.index.rows();
        let known = |symbol: u32| symbols[symbol as usize];
        self.index.append_ascending(rows, &mut part.index, entries);
        self.name.append_as(rows, &mut part.name, known);
        self.cat.extend(part.cat.drain(..).map(known));
        self.ts.append(rows, &mut part.ts);
        self.dur.append(rows, &mut part.dur);
        self.pid.append(rows, &mut part.pid);
        self.tid.append(rows, &mut part.tid);
        self.stream.append(rows, &mut part.stream);
        self.correlation.append(rows, &mut part.correlation);
        for (cells, &slot) in part.args.iter_mut().zip(slots) {
            if self.args.len() <= slot {
                self.args.resize_with(slot + 1, ArgColumnBuilder::default);
            }
            self.args[slot].append(rows, cells, symbols, &mut self.interner);
        }
        self.float.ts.append(&mut part.float.ts);
        self.float.dur.append(&mut part.float.dur);
        self.float_starts |= std::mem::take(&mut part.float_starts);
        self.odd.add(&std::mem::take(&mut part.odd));
    }
}
