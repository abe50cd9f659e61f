//! Rows of instants: moments without a duration.

use super::columns::{ARGS, MEMORY_ARGS, SCOPE};
use super::members::{Codes, Members, arguments, integer, integers, nanos, quoted};
use crate::Result;
use crate::frame::builder::{ColumnBuilder, symbol};
use crate::frame::columns::{CAT, INDEX, NAME, PID, TID, TS};
use crate::frame::interner::{Interner, RawForm};
use crate::read::{AnomalyCounts, Raw, compact, decode};
use polars::prelude::{Column, DataFrame};

/// Column builders of instants.
#[derive(Default)]
pub(super) struct InstantRows {
    index: ColumnBuilder<i64>,
    name: ColumnBuilder<u32>,
    cat: ColumnBuilder<u32>,
    ts: ColumnBuilder<i64>,
    pid: ColumnBuilder<i64>,
    tid: ColumnBuilder<i64>,
    scope: ColumnBuilder<u32>,
    memory: [ColumnBuilder<i64>; MEMORY_ARGS.len()],
    args: ColumnBuilder<u32>,
}

impl InstantRows {
    /// Appends an instant.
    pub(super) fn push(&mut self, index: i64, event: &Members<'_>, texts: &mut Interner) {
        let row = self.index.rows();
        self.index.set(row, index);
        for (column, value) in
            [(&mut self.name, event.name), (&mut self.cat, event.cat), (&mut self.scope, event.scope)]
        {
            if let Some(symbol) = symbol(value, texts) {
                column.set(row, symbol);
            }
        }
        for (column, value) in
            [(&mut self.ts, nanos(event.ts)), (&mut self.pid, integer(event.pid)), (&mut self.tid, integer(event.tid))]
        {
            if let Some(value) = value {
                column.set(row, value);
            }
        }
        self.set_arguments(row, event, texts);
    }

    /// Sets the arguments of a row: those of memory, and all others as JSON.
    fn set_arguments(&mut self, row: usize, event: &Members<'_>, texts: &mut Interner) {
        let is_memory = matches!(event.name, Raw::Text(b"[memory]"));
        let mut others: Vec<String> = Vec::new();
        for (key, value) in arguments(event.args) {
            let slot = MEMORY_ARGS.iter().position(|(name, _)| is_memory && name.as_bytes() == key);
            let whole = if let Raw::Token(token) = value { token.integer().ok() } else { None };
            match (slot, whole) {
                (Some(slot), Some(whole)) => self.memory[slot].set(row, whole),
                _ => others.push(format!("{}: {}", quoted(&key), json(value))),
            }
        }
        if !others.is_empty() {
            let json = format!("{{{}}}", others.join(", "));
            self.args.set(row, texts.intern(json.as_bytes(), RawForm::Json));
        }
    }

    /// Appends the rows of a fragment, which follow `entries` entries of the array; `symbols` maps its symbols to ours.
    pub(super) fn append(&mut self, fragment: &mut Self, entries: i64, symbols: &[u32]) {
        let row = self.index.rows();
        let mapped = |symbol: u32| symbols[symbol as usize];
        self.index.append_as(row, &mut fragment.index, |index| index + entries);
        self.name.append_as(row, &mut fragment.name, mapped);
        self.cat.append_as(row, &mut fragment.cat, mapped);
        self.scope.append_as(row, &mut fragment.scope, mapped);
        self.ts.append(row, &mut fragment.ts);
        self.pid.append(row, &mut fragment.pid);
        self.tid.append(row, &mut fragment.tid);
        for (column, fragment) in self.memory.iter_mut().zip(&mut fragment.memory) {
            column.append(row, fragment);
        }
        self.args.append_as(row, &mut fragment.args, mapped);
    }

    /// Finishes the table.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn finish(self, codes: &Codes) -> Result<DataFrame> {
        let rows = self.index.rows();
        let mut columns: Vec<Column> = vec![
            integers(INDEX, self.index, rows),
            codes.column(NAME, self.name, rows),
            codes.column(CAT, self.cat, rows),
            integers(TS, self.ts, rows),
            integers(PID, self.pid, rows),
            integers(TID, self.tid, rows),
            codes.column(SCOPE, self.scope, rows),
        ];
        let memory = self.memory.into_iter().zip(MEMORY_ARGS);
        columns.extend(memory.map(|(values, (_, name))| integers(name, values, rows)));
        columns.push(codes.column(ARGS, self.args, rows));
        Ok(DataFrame::new(rows, columns)?)
    }
}

/// Returns a value as JSON on one line.
fn json(value: Raw<'_>) -> String {
    let mut ignored = AnomalyCounts::default();
    match value {
        Raw::Null => "null".to_owned(),
        Raw::Token(token) => String::from_utf8_lossy(token.text).into_owned(),
        Raw::Text(text) => quoted(decode(text, &mut ignored).as_bytes()),
        Raw::Nested(text) => compact(text, &mut ignored),
    }
}
