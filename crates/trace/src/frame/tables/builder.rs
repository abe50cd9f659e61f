//! The sink of the pass over a file that collects its instants and counters.

use super::counters::CounterRows;
use super::instants::InstantRows;
use crate::Result;
use crate::frame::builder::{ColumnBuilder, number};
use crate::frame::categories::{Categories, categorical};
use crate::frame::interner::{Interner, RawForm};
use crate::read::{AnomalyCounts, EventSink, FragmentSink, Raw, RawEvent, Token, each_member};
use polars::prelude::{Column, DataFrame, Int64Type, IntoColumn, UInt32Type};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Builder of the instants and counters of one file, or of a fragment of it: events without a duration or a category. The
/// others are rows of the frame of events.
#[derive(Default)]
pub(crate) struct TablesBuilder {
    /// Whether the event that is being parsed may be an instant or a counter.
    has_no_row: bool,
    instants: InstantRows,
    counters: CounterRows,
    texts: Interner,
}

/// The finished tables.
pub(crate) struct Tables {
    /// [`INSTANT_COLUMNS`](super::INSTANT_COLUMNS).
    pub(crate) instants: DataFrame,
    /// [`COUNTER_COLUMNS`](super::COUNTER_COLUMNS).
    pub(crate) counters: DataFrame,
}

/// The members of an event that instants and counters have in common; of a repeated member the last value.
#[derive(Default)]
pub(super) struct Members<'a> {
    pub(super) name: Raw<'a>,
    pub(super) cat: Raw<'a>,
    pub(super) ts: Raw<'a>,
    pub(super) pid: Raw<'a>,
    pub(super) tid: Raw<'a>,
    pub(super) id: Raw<'a>,
    pub(super) scope: Raw<'a>,
    pub(super) args: Raw<'a>,
    phase: Raw<'a>,
}

impl<'a> Members<'a> {
    fn of(event: &'a [u8]) -> Self {
        let mut members = Self::default();
        each_member(event, |key, value| {
            let member = match key {
                b"name" => &mut members.name,
                b"cat" => &mut members.cat,
                b"ts" => &mut members.ts,
                b"pid" => &mut members.pid,
                b"tid" => &mut members.tid,
                b"id" => &mut members.id,
                b"s" => &mut members.scope,
                b"args" => &mut members.args,
                b"ph" => &mut members.phase,
                _ => return,
            };
            *member = value;
        });
        members
    }
}

impl TablesBuilder {
    /// Finishes the tables.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(crate) fn finish(self) -> Result<Tables> {
        let codes = Codes::of(&self.texts)?;
        Ok(Tables { instants: self.instants.finish(&codes)?, counters: self.counters.finish(&codes)? })
    }
}

impl EventSink for TablesBuilder {
    fn slot(&mut self, _: &[u8]) -> Option<u16> {
        None
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    #[inline]
    fn event(&mut self, event: &RawEvent<'_>) {
        self.has_no_row = event.dur.is_null() || event.cat.is_null();
    }

    #[inline]
    fn event_text(&mut self, index: i64, text: &[u8]) {
        if self.has_no_row {
            let members = Members::of(text);
            match members.phase {
                Raw::Text(b"i" | b"I" | b"R") => self.instants.push(index, &members, &mut self.texts),
                Raw::Text(b"C") => self.counters.push(index, &members, &mut self.texts),
                _ => {}
            }
        }
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl FragmentSink for TablesBuilder {
    fn fragment(&self) -> Self {
        Self::default()
    }

    /// A column has the same type in every fragment.
    fn can_merge(&self, _: &Self) -> bool {
        true
    }

    fn merge(&mut self, fragment: &mut Self, entries: u64) {
        let mut fragment = std::mem::take(fragment);
        let mut symbols = Vec::new();
        self.texts.merge(&fragment.texts, &mut symbols, 0);
        self.instants.append(&mut fragment.instants, entries as i64, &symbols);
        self.counters.append(&mut fragment.counters, entries as i64, &symbols);
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

/// Returns key and value of each argument of an event; of a repeated argument the last value. Empty if this is no object.
pub(super) fn arguments<'a>(args: Raw<'a>) -> Vec<(Vec<u8>, Raw<'a>)> {
    let Raw::Nested(text) = args else { return Vec::new() };
    let mut found: Vec<(Vec<u8>, Raw<'a>)> = Vec::new();
    if text.starts_with(b"{") {
        each_member(text, |key, value| found.push((key.to_vec(), value)));
        let mut last: HashMap<Vec<u8>, usize> = HashMap::with_capacity(found.len());
        for (at, (key, _)) in found.iter().enumerate() {
            last.insert(key.clone(), at);
        }
        let mut at = 0..;
        found.retain(|(key, _)| at.next() == last.get(key).copied());
    }
    found
}

/// Returns the value of a whole number within 64 bits, as a number or as a text; `None` for anything else.
pub(super) fn integer(value: Raw<'_>) -> Option<i64> {
    number(value, Token::integer, &mut AnomalyCounts::default())
}

/// Returns a time in nanoseconds.
pub(super) fn nanos(value: Raw<'_>) -> Option<i64> {
    number(value, Token::nanos, &mut AnomalyCounts::default())
}

/// Returns a key as text, its invalid bytes replaced.
pub(super) fn key_symbol(key: &[u8], texts: &mut Interner) -> u32 {
    // It is decoded already: quoted again, it becomes the same text.
    let quoted = quoted(key);
    texts.intern(&quoted.as_bytes()[1..quoted.len() - 1], RawForm::Text)
}

/// Returns a text in quotes, as JSON.
pub(super) fn quoted(text: &[u8]) -> String {
    Value::from(String::from_utf8_lossy(text)).to_string()
}

/// Codes of the shared category table by symbol.
pub(super) struct Codes {
    by_symbol: Vec<u32>,
    categories: Categories,
}

impl Codes {
    fn of(texts: &Interner) -> Result<Self> {
        let categories = Categories::shared();
        let by_symbol = categories.codes(texts.texts().iter().map(String::as_str))?;
        Ok(Self { by_symbol, categories })
    }

    /// Finishes a column of symbols as a column of categories.
    pub(super) fn column(&self, name: &str, symbols: ColumnBuilder<u32>, rows: usize) -> Column {
        let codes = symbols.map(|symbol| self.by_symbol[symbol as usize]).fill(rows);
        categorical(codes.finish::<UInt32Type>(name), &self.categories).into_column()
    }
}

/// Finishes a column of integers.
pub(super) fn integers(name: &str, values: ColumnBuilder<i64>, rows: usize) -> Column {
    values.fill(rows).finish::<Int64Type>(name).into_column()
}
