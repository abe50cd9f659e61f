//! Slots of arguments: which keys become columns.

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;

use super::columns::*;
use super::launch_configuration::LAUNCH_ARGS;
use crate::Result;
use crate::config::{ALWAYS_READ, AttributeSpec, ParserConfig, ValueType, by_raw_name, column_of, known_args};
use std::collections::BTreeSet;
use trace_view::Unit;

/// The slot of `stream`.
pub(super) const STREAM_SLOT: usize = 0;
/// The slot of `correlation`.
pub(super) const CORRELATION_SLOT: usize = 1;

/// Arguments of graph nodes, as profilers spell them, and their columns; read whatever is requested.
const GRAPH_ARGS: [([&str; 2], &str); 2] =
    [(["graph id", "graphId"], GRAPH_ID), (["graph node id", "graphNodeId"], GRAPH_NODE_ID)];

/// Arguments that tie backward operators to forward ones: [`Autograd`](super::autograd::Autograd) keeps them.
pub(super) const AUTOGRAD_ARGS: [&str; 2] = ["Sequence number", "Fwd thread id"];

/// Inferred columns at most: each costs memory for every row.
const MOST_INFERRED: usize = 256;

/// The arguments that a load requests, resolved once for all its files.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    args: Vec<AttributeSpec>,
    all: bool,
    skip: BTreeSet<String>,
}

impl Wanted {
    /// Resolves a config.
    ///
    /// # Errors
    /// If its selector names a column that it does not request.
    pub(crate) fn of(config: &ParserConfig) -> Result<Self> {
        Ok(Self { args: config.get_args()?, all: config.parse_all_args(), skip: config.skip_event_types() })
    }

    /// Whether events of this raw category are skipped.
    #[inline]
    pub(super) fn skips(&self, cat: &[u8]) -> bool {
        !self.skip.is_empty() && self.skip.iter().any(|skipped| skipped.as_bytes() == cat)
    }

    /// Returns the slots before the first event of a file.
    pub(super) fn slots(&self) -> Slots {
        let mut slots = Slots { infers: self.all, ..Slots::default() };
        let raw_name = |column: &'static str| {
            let own = self.args.iter().find(|spec| spec.name == column && !self.all);
            own.map_or_else(|| column.to_owned(), |spec| spec.raw_name.clone())
        };
        // Rows always need them.
        for column in [STREAM, CORRELATION] {
            slots.add(&raw_name(column), column.to_owned(), ArgKind::Int);
        }
        if self.all {
            for arg in known_args() {
                slots.add(arg.raw_name, arg.column.name.to_owned(), ArgKind::of(arg.raw_name, arg.value_type));
            }
        } else {
            for spec in self.args.iter().filter(|spec| ![STREAM, CORRELATION].contains(&spec.name.as_str())) {
                slots.add(&spec.raw_name, free(&spec.name), ArgKind::of(&spec.raw_name, spec.value_type));
            }
        }
        for arg in ALWAYS_READ.into_iter().filter_map(by_raw_name) {
            slots.add(arg.raw_name, arg.column.name.to_owned(), ArgKind::of(arg.raw_name, arg.value_type));
        }
        for (raw_names, column) in GRAPH_ARGS {
            for raw_name in raw_names {
                slots.alias(raw_name, column);
            }
        }
        for (raw_name, role) in AUTOGRAD_ARGS.into_iter().zip([Role::Sequence, Role::ForwardThread]) {
            slots.assign(raw_name, role);
        }
        for (number, raw_name) in LAUNCH_ARGS.into_iter().enumerate() {
            slots.assign(raw_name, Role::Launch(number as u8));
        }
        slots.launch = slots.slots.len();
        slots.slots.push(Slot::of(vec![LAUNCH_CONFIGURATION.to_owned()], ArgKind::Text));
        slots.described = slots.slots.len();
        slots
    }
}

/// Type of an argument's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgKind {
    /// Integers: `i64`.
    Int,
    /// Ids: `i32`, widened to `i64` on overflow.
    Id,
    /// Ids of which 0 stands for none.
    NonZeroId,
    /// Numbers.
    Float,
    /// Texts, as categories.
    Text,
    /// Numbers until another value arrives, then texts and the JSON of lists, as categories.
    Any,
}

impl ArgKind {
    fn of(raw_name: &str, value_type: ValueType) -> Self {
        let is_id = || by_raw_name(raw_name).is_some_and(|arg| arg.column.unit == Unit::None);
        match value_type {
            // HTA's table has Int, but all values are texts.
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
    /// Number of slots before the first event.
    described: usize,
    /// Whether an unknown key gets a slot (schema inference).
    infers: bool,
    /// Keys with an inferred slot, in order.
    inferred: Vec<Box<[u8]>>,
    /// Whether an unknown key got no slot, since there were too many.
    full: bool,
    /// Inferred keys with which this fragment was seeded.
    seeded_keys: usize,
    /// The slot of launch configurations, which has no key of its own.
    launch: usize,
    /// Known arguments of events that do not become columns, by the columns that they would become.
    unread: BTreeSet<&'static str>,
}

/// An argument and the columns it becomes.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) columns: Vec<String>,
    pub(super) kind: ArgKind,
    /// Its use besides its columns.
    pub(super) role: Role,
}

impl Slot {
    fn of(columns: Vec<String>, kind: ArgKind) -> Self {
        Self { columns, kind, role: Role::Value }
    }
}

/// The use of an argument besides its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// None.
    Value,
    /// The number of an operator: the first of [`AUTOGRAD_ARGS`].
    Sequence,
    /// The thread of a forward operator: the second of [`AUTOGRAD_ARGS`].
    ForwardThread,
    /// This one of [`LAUNCH_ARGS`].
    Launch(u8),
}

impl Slots {
    /// Returns the slot of a key; an unknown key gets one if slots are inferred.
    #[inline]
    pub(super) fn slot(&mut self, key: &[u8]) -> Option<u16> {
        let known = self.known(key);
        let slot = if known.is_some() || !self.infers { known } else { self.infer(key, column_of) };
        self.note_unread(key, slot);
        slot
    }

    /// Notes that an argument was seen, if it is a known one that does not become its column.
    fn note_unread(&mut self, key: &[u8], slot: Option<u16>) {
        let Some(arg) = std::str::from_utf8(key).ok().and_then(by_raw_name) else { return };
        let columns = slot.map_or(&[][..], |slot| &self.slots[usize::from(slot)].columns);
        if !columns.iter().any(|column| column == arg.column.name) {
            self.unread.insert(arg.column.name);
        }
    }

    /// Returns the known arguments that were seen and do not become columns, by the columns that they would become.
    pub(super) fn unread(&self) -> &BTreeSet<&'static str> {
        &self.unread
    }

    /// Returns the slot of a performance counter, whose column has the counter's name.
    pub(super) fn counter(&mut self, key: &[u8]) -> Option<u16> {
        self.known(key).or_else(|| self.infer(key, str::to_owned))
    }

    /// Whether a key has no slot yet.
    pub(super) fn is_new(&self, key: &[u8]) -> bool {
        self.known(key).is_none()
    }

    /// Returns the number of inferred keys, which only grows.
    #[inline]
    pub(super) fn known_keys(&self) -> usize {
        self.inferred.len()
    }

    /// Returns the argument of a slot.
    #[inline]
    pub(super) fn arg(&self, slot: usize) -> &Slot {
        &self.slots[slot]
    }

    /// Returns the slot of launch configurations.
    #[inline]
    pub(super) fn launch(&self) -> usize {
        self.launch
    }

    /// Whether unknown keys get slots.
    pub(super) fn infers(&self) -> bool {
        self.infers
    }

    /// Whether arguments were omitted, since there were too many.
    pub(super) fn full(&self) -> bool {
        self.full
    }

    /// Returns all slots, in the order of their columns.
    pub(super) fn into_slots(self) -> Vec<Slot> {
        self.slots
    }

    #[inline]
    fn known(&self, key: &[u8]) -> Option<u16> {
        let (first, last) = (key.first(), key.last());
        // Most keys of one length differ in their first or last byte, which needs no call to compare.
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
            self.slots.push(Slot::of(vec![column], ArgKind::Any));
        }
        self.remember(key, slot);
        Some(slot as u16)
    }

    /// Returns the slot of a column; two spellings of one name share a column.
    fn slot_of_column(&self, column: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.columns.iter().any(|other| other == column))
    }

    /// Maps the slots of a later fragment to ours; `None` if a sequential parse would number them differently.
    pub(super) fn slot_mapping(&self, fragment: &Self) -> Option<Vec<usize>> {
        // A counter gets its slot at its first event; before, other events with that key have no column.
        let has_counters = !self.infers && self.inferred.len() > fragment.seeded_keys;
        let filled_up = fragment.full && fragment.seeded_keys < MOST_INFERRED;
        let new = fragment.inferred.iter().filter(|key| self.known(key).is_none()).count();
        if has_counters || filled_up || self.inferred.len() + new > MOST_INFERRED {
            return None;
        }
        let mut next = self.slots.len();
        let mut mapping: Vec<usize> = (0..fragment.described).collect();
        for slot in &fragment.slots[fragment.described..] {
            let [column, ..] = slot.columns.as_slice() else { return None };
            mapping.push(self.slot_of_column(column).unwrap_or_else(|| {
                next += 1;
                next - 1
            }));
        }
        Some(mapping)
    }

    /// Merges the keys of a later fragment; returns the mapping of its slots to ours.
    pub(super) fn merge(&mut self, fragment: &mut Self) -> Vec<usize> {
        let mapping = self.slot_mapping(fragment).unwrap_or_default();
        for key in &fragment.inferred {
            if self.infers {
                self.slot(key)
            } else {
                self.counter(key)
            };
        }
        self.full |= fragment.full;
        self.unread.extend(&fragment.unread);
        if !self.infers {
            // Both have the same counters now.
            fragment.seeded_keys = self.inferred.len();
        }
        mapping
    }

    /// Returns the slots with which a later fragment is seeded.
    pub(super) fn seed(&self) -> Self {
        Self { seeded_keys: self.inferred.len(), full: false, ..self.clone() }
    }

    fn add(&mut self, raw_name: &str, column: String, kind: ArgKind) {
        if self.slots.iter().any(|slot| slot.columns.contains(&column)) {
            return;
        }
        match self.known(raw_name.as_bytes()) {
            Some(slot) => self.slots[usize::from(slot)].columns.push(column),
            // Far more than any config has; inferred slots must fit, too.
            None if self.slots.len() + MOST_INFERRED >= usize::from(u16::MAX) => self.full = true,
            None => {
                self.remember(raw_name.as_bytes(), self.slots.len());
                self.slots.push(Slot::of(vec![column], kind));
            }
        }
    }

    /// Adds a spelling of an argument whose 0 stands for none, unless a config requests it otherwise.
    fn alias(&mut self, raw_name: &str, column: &str) {
        if self.known(raw_name.as_bytes()).is_some() {
            return;
        }
        match self.slot_of_column(column) {
            Some(slot) => self.remember(raw_name.as_bytes(), slot),
            None => self.add(raw_name, column.to_owned(), ArgKind::NonZeroId),
        }
    }

    /// Assigns a role to an argument, which has no column unless a config requests it.
    fn assign(&mut self, raw_name: &str, role: Role) {
        let known = self.known(raw_name.as_bytes()).map(usize::from);
        let slot = known.unwrap_or_else(|| {
            self.remember(raw_name.as_bytes(), self.slots.len());
            self.slots.push(Slot::of(Vec::new(), ArgKind::Id));
            self.slots.len() - 1
        });
        self.slots[slot].role = role;
    }

    fn remember(&mut self, key: &[u8], slot: usize) {
        let length = key.len();
        if self.by_length.len() <= length {
            self.by_length.resize_with(length + 1, Vec::new);
        }
        self.by_length[length].push((key.into(), slot as u16));
    }
}

/// Returns the column of an inferred argument.
fn inferred_column(key: &[u8], name: impl Fn(&str) -> String) -> String {
    let raw_name = String::from_utf8_lossy(key);
    free(&by_raw_name(&raw_name).map_or_else(|| name(&raw_name), |arg| arg.column.name.to_owned()))
}

/// The columns that every event has.
const OWN: [&str; 13] =
    [RANK, INDEX, NAME, CAT, TS, DUR, END, PID, TID, STREAM, CORRELATION, INDEX_CORRELATION, ITERATION];

/// Returns a free name for an argument's column: names that every event has are prefixed.
pub(super) fn free(column: &str) -> String {
    if OWN.contains(&column) { format!("arg_{column}") } else { column.to_owned() }
}

/// Whether all events have this column.
pub(super) fn is_own(column: &str) -> bool {
    OWN.contains(&column)
}
