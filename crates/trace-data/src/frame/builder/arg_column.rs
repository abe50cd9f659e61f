//! Column builder of an argument, whose type follows its values.

use super::category_codes::CategoryCodes;
use super::column_builder::ColumnBuilder;
use super::id_column::IdColumnBuilder;
use crate::frame::args::ArgKind;
use crate::frame::interner::{Interner, RawForm};
use crate::read::{Anomaly, AnomalyCounts, Raw, Token};
use polars::prelude::{Float64Type, Int64Type, IntoSeries, Series};

/// Column builder of one argument. Costs no memory until the first value arrives.
#[derive(Default)]
pub(crate) struct ArgColumnBuilder {
    values: Values,
    /// Whether a number arrived that a column of texts would have kept as text ([`ArgKind::Any`] only).
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
    /// Sets the value of a row.
    #[inline]
    pub(crate) fn push(
        &mut self,
        row: usize,
        kind: ArgKind,
        value: Raw<'_>,
        texts: &mut Interner,
        anomalies: &mut AnomalyCounts,
    ) {
        match kind {
            ArgKind::Int => {
                if let Some(value) = number(value, Token::integer, anomalies) {
                    self.values.int(row, value);
                }
            }
            ArgKind::Id => {
                if let Some(value) = number(value, Token::integer, anomalies) {
                    self.values.id(row, value);
                }
            }
            ArgKind::NonZeroId => {
                if let Some(value) = number(value, Token::integer, anomalies).filter(|&value| value != 0) {
                    self.values.id(row, value);
                }
            }
            ArgKind::Float => {
                if let Some(value) = number(value, Token::as_f64, anomalies) {
                    self.values.float(row, value);
                }
            }
            ArgKind::Text => self.values.text(row, value, texts),
            ArgKind::Any => self.any(row, value, texts, anomalies),
        }
    }

    /// Sets the text of a row to an interned one.
    #[inline]
    pub(crate) fn push_symbol(&mut self, row: usize, symbol: u32, texts: &mut Interner) {
        self.values.symbol(row, symbol, texts);
    }

    /// Whether a later fragment typed its values as a sequential parse would have.
    pub(crate) fn can_merge(&self, fragment: &Self) -> bool {
        match (&self.values, &fragment.values) {
            (Values::Nothing, _) => true,
            (Values::Symbols(_), _) | (_, Values::Symbols(_)) => !fragment.numbers,
            _ => true,
        }
    }

    /// Returns an empty builder with which a fragment is seeded: of texts if this one is.
    pub(crate) fn seed(&self) -> Self {
        match self.values {
            Values::Symbols(_) => Self { values: Values::Symbols(ColumnBuilder::default()), numbers: false },
            _ => Self::default(),
        }
    }

    /// Moves the values of a later fragment, which [`Self::can_merge`] allows, behind these, from `row` on; `symbols` maps
    /// the fragment's symbols to ours. The fragment keeps its type, which this column has by now, too.
    pub(crate) fn append(&mut self, row: usize, fragment: &mut Self, symbols: &[u32], texts: &mut Interner) {
        self.numbers |= std::mem::take(&mut fragment.numbers);
        if matches!(fragment.values, Values::Symbols(_))
            && matches!(self.values, Values::Ints(_) | Values::Ids(_) | Values::Floats(_))
        {
            self.values = Values::Symbols(std::mem::take(&mut self.values).written(texts));
        }
        match (&mut self.values, &mut fragment.values) {
            (_, Values::Nothing) => {}
            (Values::Symbols(mine), Values::Symbols(fragment)) => {
                mine.append_as(row, fragment, |symbol| symbols[symbol as usize]);
            }
            (Values::Ints(mine), Values::Ints(fragment)) => mine.append(row, fragment),
            (Values::Ids(mine), Values::Ids(fragment)) => mine.append(row, fragment),
            (Values::Floats(mine), Values::Floats(fragment)) => mine.append(row, fragment),
            (Values::Floats(mine), Values::Ints(fragment)) => mine.append_as(row, fragment, |value| value as f64),
            (Values::Ints(ints), Values::Floats(fragment)) => {
                let mut floats = std::mem::take(ints).map(|value| value as f64);
                floats.append(row, fragment);
                self.values = Values::Floats(floats);
            }
            (Values::Nothing, _) => {
                self.values = fragment.values.empty();
                self.append(row, fragment, symbols, texts);
            }
            // A fragment with numbers cannot be merged into texts; an argument has ids in all fragments or in none.
            (Values::Symbols(_) | Values::Ids(_), _) | (_, Values::Symbols(_) | Values::Ids(_)) => {}
        }
    }

    /// Finishes the column with `rows` rows; `None` if no value arrived.
    pub(crate) fn finish(self, name: &str, rows: usize, codes: &CategoryCodes) -> Option<Series> {
        Some(match self.values {
            Values::Nothing => return None,
            Values::Ints(ints) => ints.fill(rows).finish::<Int64Type>(name).into_series(),
            Values::Ids(ids) => ids.fill(rows).finish(name),
            Values::Floats(floats) => floats.fill(rows).finish::<Float64Type>(name).into_series(),
            Values::Symbols(symbols) => codes.finish_builder(name, symbols, rows),
        })
    }

    fn any(&mut self, row: usize, value: Raw<'_>, texts: &mut Interner, anomalies: &mut AnomalyCounts) {
        let token = match value {
            Raw::Token(token) if !matches!(self.values, Values::Symbols(_)) => token,
            other => return self.values.text(row, other, texts),
        };
        self.numbers = true;
        // As in Python, true is 1.
        if let b"true" | b"false" = token.text {
            return self.values.int(row, i64::from(token.text == b"true"));
        }
        let whole = if token.is_float() { Err(Anomaly::HugeInteger) } else { token.integer() };
        match whole {
            Ok(value) => self.values.int(row, value),
            Err(Anomaly::HugeInteger) => match token.as_f64() {
                Ok(value) => self.values.float(row, value),
                Err(kind) => anomalies.note(kind),
            },
            Err(kind) => anomalies.note(kind),
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
        if let Some(symbol) = symbol(value, texts) {
            self.symbol(row, symbol, texts);
        }
    }

    #[inline]
    fn symbol(&mut self, row: usize, symbol: u32, texts: &mut Interner) {
        if let Self::Symbols(symbols) = self {
            return symbols.set(row, symbol);
        }
        let mut symbols = std::mem::take(self).written(texts);
        symbols.set(row, symbol);
        *self = Self::Symbols(symbols);
    }

    /// Converts the values to texts.
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

    /// Returns an empty column of the same type.
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

/// Interns a raw value; `None` for null.
#[inline]
pub(crate) fn symbol(value: Raw<'_>, texts: &mut Interner) -> Option<u32> {
    let (bytes, reading) = match value {
        Raw::Null => return None,
        Raw::Text(bytes) | Raw::Token(Token { text: bytes, .. }) => (bytes, RawForm::Text),
        Raw::Nested(bytes) => (bytes, RawForm::Json),
    };
    Some(texts.intern(bytes, reading))
}

/// Parses a number, also from a text that contains one; notes anomalies.
#[inline]
pub(crate) fn number<'a, T>(
    value: Raw<'a>,
    read: impl Fn(&Token<'a>) -> Result<T, Anomaly>,
    anomalies: &mut AnomalyCounts,
) -> Option<T> {
    match value {
        Raw::Token(token) => read(&token).map_err(|kind| anomalies.note(kind)).ok(),
        other => number_in_text(other, read, anomalies),
    }
}

/// Parses a number that is not written as one. Not inlined, so that the code of numbers is short.
#[cold]
#[inline(never)]
fn number_in_text<'a, T>(
    value: Raw<'a>,
    read: impl Fn(&Token<'a>) -> Result<T, Anomaly>,
    anomalies: &mut AnomalyCounts,
) -> Option<T> {
    let result = match value {
        Raw::Null => return None,
        Raw::Token(token) => read(&token),
        Raw::Text(text) => read(&Token::of(text.trim_ascii())).inspect(|_| anomalies.note(Anomaly::NumberAsText)),
        Raw::Nested(_) => Err(Anomaly::NotANumber),
    };
    result.map_err(|kind| anomalies.note(kind)).ok()
}
