//! The values of one argument while they come: numbers as long as only such come.

use super::category_codes::CategoryCodes;
use super::column_builder::ColumnBuilder;
use super::id_column::IdColumnBuilder;
use crate::frame::args::ArgKind;
use crate::frame::interner::{Interner, RawForm};
use crate::read::{Anomaly, AnomalyCounts, Raw, Token};
use polars::prelude::{Float64Type, Int64Type, IntoSeries, Series};

/// The values of one argument. Costs nothing until the first one arrives.
#[derive(Default)]
pub(crate) struct ArgColumnBuilder {
    cells: Values,
    /// Of any kind: a token came that a column of texts would have taken as its text.
    numbers: bool,
}

#[derive(Default)]
enum Values {
    #[default]
    Nothing,
    Ints(ColumnBuilder<i64>),
    Ids(IdColumnBuilder),
    Floats(ColumnBuilder<f64>),
    Symbols(ColumnBuilder<u32>),
}

impl ArgColumnBuilder {
    /// Takes the value of a row.
    #[inline]
    pub(crate) fn push(
        &mut self,
        row: usize,
        kind: ArgKind,
        value: Raw<'_>,
        texts: &mut Interner,
        odd: &mut AnomalyCounts,
    ) {
        match kind {
            ArgKind::Int => {
                if let Some(value) = number(value, Token::integer, odd) {
                    self.cells.int(row, value);
                }
            }
            ArgKind::Id => {
                if let Some(value) = number(value, Token::integer, odd) {
                    self.cells.id(row, value);
                }
            }
            ArgKind::Float => {
                if let Some(value) = number(value, Token::as_f64, odd) {
                    self.cells.float(row, value);
                }
            }
            ArgKind::Text => self.cells.text(row, value, texts),
            ArgKind::Any => self.any(row, value, texts, odd),
        }
    }

    /// Whether a later part took its values as they would have been taken here.
    pub(crate) fn takes(&self, part: &Self) -> bool {
        match (&self.cells, &part.cells) {
            (Values::Nothing, _) => true,
            (Values::Symbols(_), _) | (_, Values::Symbols(_)) => !part.numbers,
            _ => true,
        }
    }

    /// Without values; of texts if these are.
    pub(crate) fn like(&self) -> Self {
        match self.cells {
            Values::Symbols(_) => Self { cells: Values::Symbols(ColumnBuilder::default()), numbers: false },
            _ => Self::default(),
        }
    }

    /// Moves the values of a later part, which [`Self::takes`] allows, behind these, from `row` on; `symbols` are the
    /// symbols here of those there. What type the values were of, the part keeps: here they have that type by now, too.
    pub(crate) fn append(&mut self, row: usize, part: &mut Self, symbols: &[u32], texts: &mut Interner) {
        self.numbers |= std::mem::take(&mut part.numbers);
        if matches!(part.cells, Values::Symbols(_))
            && matches!(self.cells, Values::Ints(_) | Values::Ids(_) | Values::Floats(_))
        {
            self.cells = Values::Symbols(std::mem::take(&mut self.cells).written(texts));
        }
        match (&mut self.cells, &mut part.cells) {
            (_, Values::Nothing) => {}
            (Values::Symbols(mine), Values::Symbols(part)) => {
                mine.append_as(row, part, |symbol| symbols[symbol as usize]);
            }
            (Values::Ints(mine), Values::Ints(part)) => mine.append(row, part),
            (Values::Ids(mine), Values::Ids(part)) => mine.append(row, part),
            (Values::Floats(mine), Values::Floats(part)) => mine.append(row, part),
            (Values::Floats(mine), Values::Ints(part)) => mine.append_as(row, part, |value| value as f64),
            (Values::Ints(ints), Values::Floats(part)) => {
                let mut floats = std::mem::take(ints).map(|value| value as f64);
                floats.append(row, part);
                self.cells = Values::Floats(floats);
            }
            (Values::Nothing, _) => {
                self.cells = part.cells.empty();
                self.append(row, part, symbols, texts);
            }
            // A part that holds numbers does not fit texts; an argument is of ids in all parts or in none.
            (Values::Symbols(_) | Values::Ids(_), _) | (_, Values::Symbols(_) | Values::Ids(_)) => {}
        }
    }

    /// The finished column of so many rows. `None` if no value ever arrived.
    pub(crate) fn finish(self, name: &str, rows: usize, codes: &CategoryCodes) -> Option<Series> {
        Some(match self.cells {
            Values::Nothing => return None,
            Values::Ints(ints) => ints.fill(rows).finish::<Int64Type>(name).into_series(),
            Values::Ids(ids) => ids.fill(rows).finish(name),
            Values::Floats(floats) => floats.fill(rows).finish::<Float64Type>(name).into_series(),
            Values::Symbols(symbols) => codes.sparse(name, symbols, rows),
        })
    }

    fn any(&mut self, row: usize, value: Raw<'_>, texts: &mut Interner, odd: &mut AnomalyCounts) {
        let token = match value {
            Raw::Token(token) if !matches!(self.cells, Values::Symbols(_)) => token,
            other => return self.cells.text(row, other, texts),
        };
        self.numbers = true;
        // Python's true is a one.
        if let b"true" | b"false" = token.text {
            return self.cells.int(row, i64::from(token.text == b"true"));
        }
        let whole = if token.is_float() { Err(Anomaly::HugeInteger) } else { token.integer() };
        match whole {
            Ok(value) => self.cells.int(row, value),
            Err(Anomaly::HugeInteger) => match token.as_f64() {
                Ok(value) => self.cells.float(row, value),
                Err(kind) => odd.note(kind),
            },
            Err(kind) => odd.note(kind),
        }
    }
}

impl Values {
    #[inline]
    fn id(&mut self, row: usize, value: i64) {
        if let Self::Nothing = self {
            *self = Self::Ids(IdColumnBuilder::default());
        }
        if let Self::Ids(ids) = self {
            ids.set(row, value);
        }
    }

    #[inline]
    fn int(&mut self, row: usize, value: i64) {
        match self {
            Self::Nothing => {
                *self = Self::Ints(ColumnBuilder::default());
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
                *self = Self::Floats(ColumnBuilder::default());
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
    fn text(&mut self, row: usize, value: Raw<'_>, texts: &mut Interner) {
        let Some(symbol) = symbol(value, texts) else { return };
        if let Self::Symbols(symbols) = self {
            return symbols.set(row, symbol);
        }
        let mut symbols = std::mem::take(self).written(texts);
        symbols.set(row, symbol);
        *self = Self::Symbols(symbols);
    }

    /// The values as texts.
    fn written(self, texts: &mut Interner) -> ColumnBuilder<u32> {
        let mut written = |text: String| texts.intern(text.as_bytes(), RawForm::Text);
        match self {
            Self::Nothing => ColumnBuilder::default(),
            Self::Ints(ints) => ints.map(|value| written(value.to_string())),
            Self::Ids(ids) => ids.map(|value| written(value.to_string())),
            Self::Floats(floats) => floats.map(|value| written(value.to_string())),
            Self::Symbols(symbols) => symbols,
        }
    }

    /// An empty column of the same type.
    fn empty(&self) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Ints(_) => Self::Ints(ColumnBuilder::default()),
            Self::Ids(_) => Self::Ids(IdColumnBuilder::default()),
            Self::Floats(_) => Self::Floats(ColumnBuilder::default()),
            Self::Symbols(_) => Self::Symbols(ColumnBuilder::default()),
        }
    }
}

/// The symbol of a value as it is written.
#[inline]
pub(crate) fn symbol(value: Raw<'_>, texts: &mut Interner) -> Option<u32> {
    let (bytes, reading) = match value {
        Raw::Null => return None,
        Raw::Text(bytes) | Raw::Token(Token { text: bytes, .. }) => (bytes, RawForm::Text),
        Raw::Nested(bytes) => (bytes, RawForm::Json),
    };
    Some(texts.intern(bytes, reading))
}

/// A number, also from text that holds one.
#[inline]
pub(crate) fn number<'a, T>(
    value: Raw<'a>,
    read: impl Fn(&Token<'a>) -> Result<T, Anomaly>,
    odd: &mut AnomalyCounts,
) -> Option<T> {
    let result = match value {
        Raw::Null => return None,
        Raw::Token(token) => read(&token),
        Raw::Text(text) => read(&Token::of(text.trim_ascii())).inspect(|_| odd.note(Anomaly::NumberAsText)),
        Raw::Nested(_) => Err(Anomaly::NotANumber),
    };
    result.map_err(|kind| odd.note(kind)).ok()
}
