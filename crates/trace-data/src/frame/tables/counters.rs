//! Rows of counters: values of named series at a moment.

use super::columns::{ID, INTEGER, SERIES, VALUE};
use super::members::{Codes, Members, arguments, integer, integers, key_symbol, nanos};
use crate::Result;
use crate::frame::builder::{ColumnBuilder, number, symbol};
use crate::frame::columns::{CAT, INDEX, NAME, PID, TS};
use crate::frame::interner::Interner;
use crate::read::{AnomalyCounts, Raw, Token};
use polars::prelude::{DataFrame, Float64Type, IntoColumn};

/// Column builders of counters.
#[derive(Default)]
pub(super) struct CounterRows {
    index: ColumnBuilder<i64>,
    name: ColumnBuilder<u32>,
    cat: ColumnBuilder<u32>,
    ts: ColumnBuilder<i64>,
    pid: ColumnBuilder<i64>,
    id: ColumnBuilder<u32>,
    series: ColumnBuilder<u32>,
    value: ColumnBuilder<f64>,
    integer: ColumnBuilder<i64>,
}

impl CounterRows {
    /// Appends a row per series of a counter event.
    pub(super) fn push(&mut self, index: i64, event: &Members<'_>, texts: &mut Interner) {
        let [name, cat, id] = [event.name, event.cat, event.id].map(|value| symbol(value, texts));
        let (ts, pid) = (nanos(event.ts), integer(event.pid).or_else(|| device(event.pid)));
        for (key, value) in arguments(event.args) {
            let row = self.index.rows();
            self.index.set(row, index);
            // Hardware counters have one series without a name.
            let series = if key.is_empty() { name } else { Some(key_symbol(&key, texts)) };
            self.series.set(row, series.unwrap_or_else(|| key_symbol(&key, texts)));
            for (column, symbol) in [(&mut self.name, name), (&mut self.cat, cat), (&mut self.id, id)] {
                if let Some(symbol) = symbol {
                    column.set(row, symbol);
                }
            }
            for (column, value) in [(&mut self.ts, ts), (&mut self.pid, pid), (&mut self.integer, integer(value))] {
                if let Some(value) = value {
                    column.set(row, value);
                }
            }
            if let Some(value) = number(value, Token::as_f64, &mut AnomalyCounts::default()) {
                self.value.set(row, value);
            }
        }
    }

    /// Appends the rows of a fragment, which follow `entries` entries of the array; `symbols` maps its symbols to ours.
    pub(super) fn append(&mut self, fragment: &mut Self, entries: i64, symbols: &[u32]) {
        let row = self.index.rows();
        let mapped = |symbol: u32| symbols[symbol as usize];
        self.index.append_as(row, &mut fragment.index, |index| index + entries);
        for (column, fragment) in [
            (&mut self.name, &mut fragment.name),
            (&mut self.cat, &mut fragment.cat),
            (&mut self.id, &mut fragment.id),
            (&mut self.series, &mut fragment.series),
        ] {
            column.append_as(row, fragment, mapped);
        }
        self.ts.append(row, &mut fragment.ts);
        self.pid.append(row, &mut fragment.pid);
        self.value.append(row, &mut fragment.value);
        self.integer.append(row, &mut fragment.integer);
    }

    /// Finishes the table.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn finish(self, codes: &Codes) -> Result<DataFrame> {
        let rows = self.index.rows();
        let columns = vec![
            integers(INDEX, self.index, rows),
            codes.column(NAME, self.name, rows),
            codes.column(CAT, self.cat, rows),
            integers(TS, self.ts, rows),
            integers(PID, self.pid, rows),
            codes.column(ID, self.id, rows),
            codes.column(SERIES, self.series, rows),
            self.value.fill(rows).finish::<Float64Type>(VALUE).into_column(),
            integers(INTEGER, self.integer, rows),
        ];
        Ok(DataFrame::new(rows, columns)?)
    }
}

/// Returns the device of hardware counters, whose process is a text: `GPU 0 Counters`.
fn device(pid: Raw<'_>) -> Option<i64> {
    let Raw::Text(text) = pid else { return None };
    let text = std::str::from_utf8(text).ok()?.strip_prefix("GPU ")?;
    text.split(' ').next()?.parse().ok()
}
