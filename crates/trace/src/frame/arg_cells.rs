//! The values of one argument while they come: numbers as long as only such come.

use super::args::ArgKind;
use super::cells::Sparse;
use super::ids::Ids;
use super::symbols::{Categories, Interner, Reading, categorical};
use crate::read::{Odd, OddCounts, Raw, as_f64, integer, is_float};
use polars::prelude::{Float64Type, Int64Type, IntoSeries, Series, UInt32Type};

/// The values of one argument. Costs nothing until the first one arrives.
#[derive(Debug, Default)]
pub(super) enum ArgCells {
    #[default]
    Nothing,
    Ints(Sparse<i64>),
    Ids(Ids),
    Floats(Sparse<f64>),
    Symbols(Sparse<u32>),
}

impl ArgCells {
    /// Takes the value of a row.
    #[inline]
    pub(super) fn push(
        &mut self,
        row: usize,
        kind: ArgKind,
        value: Raw<'_>,
        texts: &mut Interner,
        odd: &mut OddCounts,
    ) {
        match kind {
            ArgKind::Int => {
                if let Some(value) = number(value, integer, odd) {
                    self.int(row, value);
                }
            }
            ArgKind::Id => {
                if let Some(value) = number(value, integer, odd) {
                    self.id(row, value);
                }
            }
            ArgKind::Float => {
                if let Some(value) = number(value, as_f64, odd) {
                    self.float(row, value);
                }
            }
            ArgKind::Text => self.text(row, value, texts, odd),
            ArgKind::Any => self.any(row, value, texts, odd),
        }
    }

    /// The finished column; `codes` are the categories of the symbols. `None` if no value ever arrived.
    pub(super) fn finish(self, name: &str, rows: usize, codes: &[u32], categories: &Categories) -> Option<Series> {
        Some(match self {
            Self::Nothing => return None,
            Self::Ints(mut ints) => {
                ints.pad(rows);
                ints.finish::<Int64Type>(name).into_series()
            }
            Self::Ids(mut ids) => {
                ids.pad(rows);
                ids.finish(name)
            }
            Self::Floats(mut floats) => {
                floats.pad(rows);
                floats.finish::<Float64Type>(name).into_series()
            }
            Self::Symbols(symbols) => {
                let mut symbols = symbols.map(|symbol| codes[symbol as usize]);
                symbols.pad(rows);
                categorical(symbols.finish::<UInt32Type>(name), categories)
            }
        })
    }

    fn any(&mut self, row: usize, value: Raw<'_>, texts: &mut Interner, odd: &mut OddCounts) {
        let token = match value {
            Raw::Token(token) if !matches!(self, Self::Symbols(_)) => token,
            other => return self.text(row, other, texts, odd),
        };
        // Python's true is a one.
        if let b"true" | b"false" = token {
            return self.int(row, i64::from(token == b"true"));
        }
        let whole = if is_float(token) { Err(Odd::HugeInteger) } else { integer(token) };
        match whole {
            Ok(value) => self.int(row, value),
            Err(Odd::HugeInteger) => match as_f64(token) {
                Ok(value) => self.float(row, value),
                Err(kind) => odd.note(kind),
            },
            Err(kind) => odd.note(kind),
        }
    }

    #[inline]
    fn id(&mut self, row: usize, value: i64) {
        if let Self::Nothing = self {
            *self = Self::Ids(Ids::default());
        }
        if let Self::Ids(ids) = self {
            ids.set(row, value);
        }
    }

    #[inline]
    fn int(&mut self, row: usize, value: i64) {
        match self {
            Self::Nothing => {
                *self = Self::Ints(Sparse::default());
                self.int(row, value);
            }
            Self::Ints(ints) => ints.set(row, value),
            Self::Ids(ids) => ids.set(row, value),
            Self::Floats(floats) => floats.set(row, value as f64),
            Self::Symbols(_) => {}
        }
    }

    #[inline]
    fn float(&mut self, row: usize, value: f64) {
        match self {
            Self::Floats(floats) => floats.set(row, value),
            Self::Nothing => {
                *self = Self::Floats(Sparse::default());
                self.float(row, value);
            }
            Self::Ints(ints) => {
                *self = Self::Floats(std::mem::take(ints).map(|value| value as f64));
                self.float(row, value);
            }
            Self::Ids(ids) => {
                *self = Self::Floats(std::mem::take(ids).map(|value| value as f64));
                self.float(row, value);
            }
            Self::Symbols(_) => {}
        }
    }

    #[inline]
    fn text(&mut self, row: usize, value: Raw<'_>, texts: &mut Interner, odd: &mut OddCounts) {
        let Some(symbol) = symbol(value, texts, odd) else { return };
        if let Self::Symbols(symbols) = self {
            return symbols.set(row, symbol);
        }
        let mut written = |text: String| texts.intern(text.as_bytes(), Reading::Text, odd);
        let mut symbols = match std::mem::take(self) {
            Self::Ints(ints) => ints.map(|value| written(value.to_string())),
            Self::Ids(ids) => ids.map(|value| written(value.to_string())),
            Self::Floats(floats) => floats.map(|value| written(value.to_string())),
            Self::Nothing | Self::Symbols(_) => Sparse::default(),
        };
        symbols.set(row, symbol);
        *self = Self::Symbols(symbols);
    }
}

/// The symbol of a value as it is written.
#[inline]
pub(super) fn symbol(value: Raw<'_>, texts: &mut Interner, odd: &mut OddCounts) -> Option<u32> {
    let (bytes, reading) = match value {
        Raw::Null => return None,
        Raw::Text(bytes) | Raw::Token(bytes) => (bytes, Reading::Text),
        Raw::Nested(bytes) => (bytes, Reading::Json),
    };
    Some(texts.intern(bytes, reading, odd))
}

/// A number, also from text that holds one.
#[inline]
pub(super) fn number<T>(value: Raw<'_>, read: impl Fn(&[u8]) -> Result<T, Odd>, odd: &mut OddCounts) -> Option<T> {
    let result = match value {
        Raw::Null => return None,
        Raw::Token(token) => read(token),
        Raw::Text(text) => read(text.trim_ascii()).inspect(|_| odd.note(Odd::NumberAsText)),
        Raw::Nested(_) => Err(Odd::NotANumber),
    };
    result.map_err(|kind| odd.note(kind)).ok()
}
