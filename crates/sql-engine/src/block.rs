//! Values of the next rows of an ordered scan.
//!
//! Rows in an order of their own are far apart in memory. Read one by one, each value waits for memory; read together, many wait at once.

use crate::order::Ordered;
use crate::value::Value;

/// Rows of a block.
const ROWS: usize = 4096;

/// A value that was read ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Gathered {
    Null,
    Int(i64),
    Real(f64),
    /// The code of a text.
    Code(u32),
    /// A text without a code: it is read when it is needed.
    Unread,
}

/// The values of some rows, by column.
#[derive(Default)]
pub(crate) struct Block {
    start: usize,
    rows: usize,
    columns: Vec<(usize, Vec<Gathered>)>,
}

impl Block {
    /// Forgets all values.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
    }

    /// Reads the rows from a place on, unless it is one of those that were read.
    pub(crate) fn cover(&mut self, ordered: &Ordered, position: usize, columns: &[usize]) {
        if (self.start..self.start + self.rows).contains(&position) {
            return;
        }
        self.start = position;
        self.rows = ROWS.min(ordered.len().saturating_sub(position));
        self.columns.resize_with(columns.len(), Default::default);
        for (slot, &column) in self.columns.iter_mut().zip(columns) {
            slot.0 = column;
            slot.1.clear();
            slot.1.extend((position..position + self.rows).map(|position| gathered(ordered, position, column)));
        }
    }

    /// Returns the value of a column at a place.
    pub(crate) fn value(&self, position: usize, column: usize) -> Option<Gathered> {
        let row = position.checked_sub(self.start).filter(|row| *row < self.rows)?;
        let (_, values) = self.columns.iter().find(|(of, _)| *of == column)?;
        values.get(row).copied()
    }
}

fn gathered(ordered: &Ordered, position: usize, column: usize) -> Gathered {
    let Some((chosen, row)) = ordered.at(position) else { return Gathered::Null };
    let Some(values) = chosen.loaded.column(column) else { return Gathered::Null };
    if values.dictionary().is_some() {
        return values.code(row).map_or(Gathered::Null, Gathered::Code);
    }
    match values.value(row) {
        Value::Null => Gathered::Null,
        Value::Int(value) => Gathered::Int(value),
        Value::Real(value) => Gathered::Real(value),
        Value::Text(_) => Gathered::Unread,
    }
}
