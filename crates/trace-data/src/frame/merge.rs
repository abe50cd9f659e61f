//! Merging of fragments: the rows that workers built from chunks of a file → the rows that one thread would have built.
//!
//! Some results depend on the order of events: the symbols of texts, which arguments become columns, and the type of an
//! argument of any type. A fragment starts without the schema of the events before it. If its schema diverged, it cannot be
//! merged: the coordinator parses the chunk itself and seeds the fragment with the current schema.
//!
//! A merged fragment keeps what it learnt (texts, slots, types of columns) for a later chunk. All of that comes before that
//! chunk in the file and was merged in order, so the result is as if it had started empty: texts new to the fragment come in
//! the order of the chunk, all others have a symbol here already, and a column that has a type there has it here, too.

use super::build::{Builder, Rows};
use super::builder::ArgColumnBuilder;
use crate::read::FragmentSink;
use std::sync::atomic::Ordering;

/// Texts that a fragment keeps for later chunks. One with more of them starts empty, which bounds its memory.
const MAX_TEXTS: usize = 1 << 16;

impl FragmentSink for Builder<'_> {
    fn fragment(&self) -> Self {
        Self::new(self.compat, self.ranks, self.wanted, self.meter)
    }

    fn can_merge(&self, fragment: &Self) -> bool {
        // What it learnt from a superseded `traceEvents` array does not count.
        if fragment.merged.array.is_some_and(|array| array != self.arrays) {
            return false;
        }
        let Some(slots) = self.slots.slot_mapping(&fragment.slots) else { return false };
        fragment.rows.args.iter().zip(slots).all(|(column, slot)| match self.rows.args.get(slot) {
            Some(own) => own.can_merge(column),
            None => true,
        })
    }

    fn merge(&mut self, fragment: &mut Self, entries: u64) {
        let slots = self.slots.merge(&mut fragment.slots);
        let merged = &mut fragment.merged;
        merged.array = Some(self.arrays);
        merged.texts = self.rows.interner.merge(&fragment.rows.interner, &mut merged.symbols, merged.texts);
        self.rows.append(&mut fragment.rows, entries as i64, &slots, &merged.symbols);
        // The fragment has reported its events.
        self.reported += std::mem::take(&mut fragment.reported);
        if fragment.rows.interner.texts().len() > MAX_TEXTS {
            *fragment = self.fragment();
        }
    }

    fn reset(&mut self) {
        self.meter.events.fetch_sub(self.reported, Ordering::Relaxed);
        *self = self.fragment();
    }

    fn seed(&self, fragment: &mut Self) {
        fragment.slots = self.slots.seed();
        fragment.rows.args = self.rows.args.iter().map(ArgColumnBuilder::seed).collect();
        fragment.merged.array = Some(self.arrays);
    }
}

impl Rows {
    /// Appends the rows of a fragment. Its events follow `entries` entries of the array; `slots` and `symbols`
    /// map its slots and symbols to those here.
    fn append(&mut self, fragment: &mut Self, entries: i64, slots: &[usize], symbols: &[u32]) {
        let rows = self.index.rows();
        let mapped = |symbol: u32| symbols[symbol as usize];
        self.index.append_ascending(rows, &mut fragment.index, entries);
        self.name.append_as(rows, &mut fragment.name, mapped);
        self.cat.extend(fragment.cat.drain(..).map(mapped));
        self.ts.append(rows, &mut fragment.ts);
        self.dur.append(rows, &mut fragment.dur);
        self.pid.append(rows, &mut fragment.pid);
        self.tid.append(rows, &mut fragment.tid);
        self.stream.append(rows, &mut fragment.stream);
        self.correlation.append(rows, &mut fragment.correlation);
        for (column, &slot) in fragment.args.iter_mut().zip(slots) {
            if self.args.len() <= slot {
                self.args.resize_with(slot + 1, ArgColumnBuilder::default);
            }
            self.args[slot].append(rows, column, symbols, &mut self.interner);
        }
        self.autograd.append(rows, &mut fragment.autograd);
        self.float.ts.append(&mut fragment.float.ts);
        self.float.dur.append(&mut fragment.float.dur);
        self.float_starts |= std::mem::take(&mut fragment.float_starts);
        self.track_names.append(std::mem::take(&mut fragment.track_names));
        self.anomalies.add(&std::mem::take(&mut fragment.anomalies));
    }
}
