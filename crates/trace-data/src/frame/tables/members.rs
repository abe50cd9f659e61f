//! Members and arguments of an event that becomes a row of a table, and columns of them.

use crate::Result;
use crate::frame::builder::{ColumnBuilder, number};
use crate::frame::categories::{Categories, categorical};
use crate::frame::interner::{Interner, RawForm};
use crate::read::{AnomalyCounts, Raw, Token, each_member};
use polars::prelude::{Column, Int64Type, IntoColumn, UInt32Type};
use serde_json::Value;
use std::collections::HashMap;

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
    pub(super) phase: Raw<'a>,
}

impl<'a> Members<'a> {
    pub(super) fn of(event: &'a [u8]) -> Self {
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
    pub(super) fn of(texts: &Interner) -> Result<Self> {
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
