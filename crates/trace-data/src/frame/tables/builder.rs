//! The sink of the pass over a file that collects its instants and counters.

use super::counters::CounterRows;
use super::instants::InstantRows;
use super::members::{Codes, Members};
use crate::Result;
use crate::frame::interner::Interner;
use crate::read::{EventSink, FragmentSink, Raw, RawEvent};
use polars::prelude::DataFrame;
use serde_json::Value;
use std::ops::ControlFlow;

/// Builder of the instants and counters of one file, or of a fragment of it: events without a duration or a category. The
/// others are rows of the frame of events.
#[derive(Default)]
pub struct TablesBuilder {
    /// Whether the event that is being parsed may be an instant or a counter.
    has_no_row: bool,
    instants: InstantRows,
    counters: CounterRows,
    texts: Interner,
}

/// The finished tables.
pub struct Tables {
    /// [`INSTANT_COLUMNS`](super::INSTANT_COLUMNS).
    pub(crate) instants: DataFrame,
    /// [`COUNTER_COLUMNS`](super::COUNTER_COLUMNS).
    pub counters: DataFrame,
}

impl TablesBuilder {
    /// Finishes the tables.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn finish(self) -> Result<Tables> {
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
