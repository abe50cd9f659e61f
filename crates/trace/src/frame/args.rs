//! Which arguments become columns: keys → slots.

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;

use super::columns::*;
use crate::Result;
use crate::config::{AVAILABLE_ARGS, AttributeSpec, ParserConfig, ValueType, by_raw_name, column_of};
use std::collections::BTreeSet;
use trace_view::Unit;

/// The slot of `stream`.
pub(super) const STREAM_SLOT: usize = 0;
/// The slot of `correlation`.
pub(super) const CORRELATION_SLOT: usize = 1;

/// Columns that a trace may get from arguments that nobody described: each costs memory for every row.
const MOST_INFERRED: usize = 256;

/// What a load asks for, worked out once for all its files.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    args: Vec<AttributeSpec>,
    all: bool,
    skip: BTreeSet<String>,
}

impl Wanted {
    /// What a config asks for.
    ///
    /// # Errors
    /// If its selector names a column that it does not ask for.
    pub(crate) fn of(config: &ParserConfig) -> Result<Self> {
        Ok(Self { args: config.get_args()?, all: config.parse_all_args(), skip: config.skip_event_types() })
    }

    /// Whether events of this category, as it is written, are left out.
    #[inline]
    pub(super) fn skips(&self, cat: &[u8]) -> bool {
        !self.skip.is_empty() && self.skip.iter().any(|skipped| skipped.as_bytes() == cat)
    }

    /// The slots at the start of a file.
    pub(super) fn slots(&self) -> Slots {
        let mut slots = Slots { infers: self.all, ..Slots::default() };
        let raw_name = |column: &'static str| {
            let own = self.args.iter().find(|spec| spec.name == column && !self.all);
            own.map_or_else(|| column.to_owned(), |spec| spec.raw_name.clone())
        };
        // Rows need them whatever is asked for.
        for column in [STREAM, CORRELATION] {
            slots.add(&raw_name(column), column.to_owned(), ArgKind::Int);
        }
        if self.all {
            for arg in AVAILABLE_ARGS {
                slots.add(arg.raw_name, arg.column.name.to_owned(), ArgKind::of(arg.raw_name, arg.value_type));
            }
        } else {
            for spec in self.args.iter().filter(|spec| ![STREAM, CORRELATION].contains(&spec.name.as_str())) {
                slots.add(&spec.raw_name, free(&spec.name), ArgKind::of(&spec.raw_name, spec.value_type));
            }
        }
        slots.described = slots.slots.len();
        slots
    }
}

/// How the values of an argument are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgKind {
    /// Whole numbers.
    Int,
    /// Whole numbers that nobody adds up.
    Id,
    /// Numbers.
    Float,
    /// Texts, as categories.
    Text,
    /// Numbers as long as only such come, else texts and the JSON of lists, as categories.
    Any,
}

impl ArgKind {
    fn of(raw_name: &str, value_type: ValueType) -> Self {
        let is_id = || by_raw_name(raw_name).is_some_and(|arg| arg.column.unit == Unit::None);
        match value_type {
            // HTA's table says Int, but it is a text wherever it occurs.
            _ if raw_name == "name" => Self::Any,
            ValueType::Int if is_id() => Self::Id,
            ValueType::Int => Self::Int,
            ValueType::Float => Self::Float,
            ValueType::String => Self::Text,
            ValueType::Object => Self::Any,
        }
    }
}

/// Keys of arguments → slots, by length first.
#[derive(Default, Clone)]
pub(super) struct Slots {
    by_length: Vec<Vec<(Box<[u8]>, u16)>>,
    slots: Vec<Slot>,
    /// So many of them were there at the start.
    described: usize,
    /// Whether an unknown key gets a slot.
    infers: bool,
    /// The keys that got one so, in their order.
    inferred: Vec<Box<[u8]>>,
    /// Whether an unknown key got none.
    full: bool,
    /// Of a part of the file: so many keys had got one before it, and it knew them all.
    taught: usize,
}

/// An argument and the columns it becomes.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) columns: Vec<String>,
    pub(super) kind: ArgKind,
}

impl Slots {
    /// The slot of a key, which a key that nobody described gets now if all are wanted.
    #[inline]
    pub(super) fn slot(&mut self, key: &[u8]) -> Option<u16> {
        let known = self.known(key);
        if known.is_some() || !self.infers { known } else { self.infer(key, column_of) }
    }

    /// The slot of a performance counter, whose column is called as it is.
    pub(super) fn counter(&mut self, key: &[u8]) -> Option<u16> {
        self.known(key).or_else(|| self.infer(key, str::to_owned))
    }

    /// Whether a key has no slot yet.
    pub(super) fn is_new(&self, key: &[u8]) -> bool {
        self.known(key).is_none()
    }

    /// How the values of a slot are kept.
    #[inline]
    pub(super) fn kind(&self, slot: usize) -> ArgKind {
        self.slots[slot].kind
    }

    /// How many keys got a slot since the start; it only grows.
    #[inline]
    pub(super) fn known_keys(&self) -> usize {
        self.inferred.len()
    }

    /// Whether every argument is wanted.
    pub(super) fn infers(&self) -> bool {
        self.infers
    }

    /// Whether arguments were left out, since there were too many.
    pub(super) fn full(&self) -> bool {
        self.full
    }

    /// All slots, in the order of their columns.
    pub(super) fn into_slots(self) -> Vec<Slot> {
        self.slots
    }

    #[inline]
    fn known(&self, key: &[u8]) -> Option<u16> {
        let (first, last) = (key.first(), key.last());
        // Most keys of a length differ in one of the two, which costs no call.
        let same = |known: &[u8]| known.first() == first && known.last() == last && known == key;
        self.by_length.get(key.len())?.iter().find(|(known, _)| same(known)).map(|&(_, slot)| slot)
    }

    #[cold]
    fn infer(&mut self, key: &[u8], name: impl Fn(&str) -> String) -> Option<u16> {
        if self.inferred.len() == MOST_INFERRED {
            self.full = true;
            return None;
        }
        self.inferred.push(key.into());
        let column = inferred_column(key, name);
        let slot = self.slot_of_column(&column).unwrap_or(self.slots.len());
        if slot == self.slots.len() {
            self.slots.push(Slot { columns: vec![column], kind: ArgKind::Any });
        }
        self.remember(key, slot);
        Some(slot as u16)
    }

    /// Two ways to write one name share a column.
    fn slot_of_column(&self, column: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.columns.iter().any(|other| other == column))
    }

    /// Where the slots of a later part of the file will be here; `None` if these would have been others, had the part
    /// known these.
    pub(super) fn places(&self, part: &Self) -> Option<Vec<usize>> {
        // Counters get a slot when the first event of their kind comes; before, other events with that key leave nothing.
        let met_counters = !self.infers && self.inferred.len() > part.taught;
        let filled_up = part.full && part.taught < MOST_INFERRED;
        let new = part.inferred.iter().filter(|key| self.known(key).is_none()).count();
        if met_counters || filled_up || self.inferred.len() + new > MOST_INFERRED {
            return None;
        }
        let mut next = self.slots.len();
        let mut places: Vec<usize> = (0..part.described).collect();
        for slot in &part.slots[part.described..] {
            let [column, ..] = slot.columns.as_slice() else { return None };
            places.push(self.slot_of_column(column).unwrap_or_else(|| {
                next += 1;
                next - 1
            }));
        }
        Some(places)
    }

    /// Takes the keys that a later part met: the slots here of its slots.
    pub(super) fn extend(&mut self, part: &mut Self) -> Vec<usize> {
        let places = self.places(part).unwrap_or_default();
        for key in &part.inferred {
            if self.infers {
                self.slot(key)
            } else {
                self.counter(key)
            };
        }
        self.full |= part.full;
        if !self.infers {
            // Both know the same counters now.
            part.taught = self.inferred.len();
        }
        places
    }

    /// What a part of the file further on is to know.
    pub(super) fn to_teach(&self) -> Self {
        Self { taught: self.inferred.len(), full: false, ..self.clone() }
    }

    fn add(&mut self, raw_name: &str, column: String, kind: ArgKind) {
        if self.slots.iter().any(|slot| slot.columns.contains(&column)) {
            return;
        }
        match self.known(raw_name.as_bytes()) {
            Some(slot) => self.slots[usize::from(slot)].columns.push(column),
            // Nobody describes as many; the slots of inferred ones must fit, too.
            None if self.slots.len() + MOST_INFERRED >= usize::from(u16::MAX) => self.full = true,
            None => {
                self.remember(raw_name.as_bytes(), self.slots.len());
                self.slots.push(Slot { columns: vec![column], kind });
            }
        }
    }

    fn remember(&mut self, key: &[u8], slot: usize) {
        let length = key.len();
        if self.by_length.len() <= length {
            self.by_length.resize_with(length + 1, Vec::new);
        }
        self.by_length[length].push((key.into(), slot as u16));
    }
}

/// The column of an argument that nobody described.
fn inferred_column(key: &[u8], name: impl Fn(&str) -> String) -> String {
    let raw_name = String::from_utf8_lossy(key);
    free(&by_raw_name(&raw_name).map_or_else(|| name(&raw_name), |arg| arg.column.name.to_owned()))
}

/// The columns that every event has.
const OWN: [&str; 13] =
    [RANK, INDEX, NAME, CAT, TS, DUR, END, PID, TID, STREAM, CORRELATION, INDEX_CORRELATION, ITERATION];

/// The column that an argument's column may be called: those that events have anyway are taken.
pub(super) fn free(column: &str) -> String {
    if OWN.contains(&column) { format!("arg_{column}") } else { column.to_owned() }
}

/// Whether events have this column whatever is asked for.
pub(super) fn is_own(column: &str) -> bool {
    OWN.contains(&column)
}
