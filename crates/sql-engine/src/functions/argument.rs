//! Arguments of functions, read as SQLite reads them.

use crate::value;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Error, Result};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The largest text that a function makes, in bytes.
const LARGEST: usize = 10_000_000;

/// A call of a function: its name and its arguments.
pub(super) struct Call<'c> {
    pub(super) name: &'static str,
    pub(super) context: &'c Context<'c>,
}

impl<'c> Call<'c> {
    /// Returns an argument. There are as many as the row of the table says.
    pub(super) fn value(&self, index: usize) -> ValueRef<'c> {
        self.context.get_raw(index)
    }

    /// Returns an argument as a text, as SQLite casts it.
    pub(super) fn text(&self, index: usize) -> Cow<'c, str> {
        as_text(self.value(index))
    }

    /// Returns an argument that is a number, or a text that reads as one.
    pub(super) fn number(&self, index: usize) -> Option<Number> {
        Number::of(self.value(index))
    }

    pub(super) fn real(&self, index: usize) -> Option<f64> {
        self.number(index).map(Number::real)
    }

    /// Returns an argument as an integer. Fractions are dropped, as in SQLite's `substr`.
    pub(super) fn integer(&self, index: usize) -> Result<i64> {
        match self.number(index) {
            Some(Number::Int(int)) => Ok(int),
            Some(Number::Real(real)) => Ok(real as i64),
            None => Err(self.refusal(&format!("expected an integer, found {}", shown(self.value(index))))),
        }
    }

    /// Returns an argument of a numeric aggregate; none for NULL.
    pub(super) fn numeric(&self, index: usize) -> Result<Option<Number>> {
        match (self.number(index), self.value(index)) {
            (None, ValueRef::Null) => Ok(None),
            (None, value) => Err(self.refusal(&format!("expected numbers, found {}", shown(value)))),
            (number, _) => Ok(number),
        }
    }

    /// Refuses a text of more than 10 MB.
    pub(super) fn check_size(&self, bytes: usize) -> Result<()> {
        if bytes > LARGEST {
            return Err(self.refusal("the result is larger than the limit of 10 MB"));
        }
        Ok(())
    }

    pub(super) fn refusal(&self, reason: &str) -> Error {
        Error::UserFunctionError(format!("{}: {reason}", self.name).into())
    }
}

/// A number of SQL.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Real(f64),
}

impl Number {
    /// Reads a number, also from a text where SQLite does. NaN is no value of SQL.
    pub(super) fn of(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Integer(int) => Some(Self::Int(int)),
            ValueRef::Real(real) => Some(Self::Real(real)),
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text).ok()?.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
                // Rust reads `inf` and `nan` too, SQLite does not.
                let is_numeric = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
                let int = text.parse().ok().map(Self::Int);
                int.or_else(|| text.parse().ok().map(Self::Real)).filter(|_| is_numeric)
            }
            ValueRef::Null | ValueRef::Blob(_) => None,
        }
    }

    pub(super) fn real(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Real(real) => real,
        }
    }

    /// Compares two numbers exactly; of equal ones, the integer is first.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let value = |number: &Self| match *number {
            Self::Int(int) => value::Value::Int(int),
            Self::Real(real) => value::Value::Real(real),
        };
        let is_real = |number: &Self| matches!(number, Self::Real(_));
        value(self).compare(value(other)).then_with(|| is_real(self).cmp(&is_real(other)))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(int) => Self::Integer(int),
            Number::Real(real) => Self::Real(real),
        }
    }
}

/// Compares two values as SQLite does: NULL, numbers, texts by their bytes, blobs.
pub(super) fn compare(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    let sortable = |value| match value {
        ValueRef::Null => (0, None, &[][..]),
        ValueRef::Integer(int) => (1, Some(Number::Int(int)), &[][..]),
        ValueRef::Real(real) => (1, Some(Number::Real(real)), &[][..]),
        ValueRef::Text(text) => (2, None, text),
        ValueRef::Blob(blob) => (3, None, blob),
    };
    let (class, number, bytes) = sortable(a);
    let (other_class, other_number, other_bytes) = sortable(b);
    let numbers = || number.zip(other_number).map_or(Ordering::Equal, |(x, y)| x.compare(&y));
    class.cmp(&other_class).then_with(numbers).then_with(|| bytes.cmp(other_bytes))
}

/// Returns a value as a text, as SQLite casts it.
pub(super) fn as_text(value: ValueRef<'_>) -> Cow<'_, str> {
    match value {
        ValueRef::Null => Cow::Borrowed(""),
        ValueRef::Integer(int) => Cow::Owned(int.to_string()),
        ValueRef::Real(real) => Cow::Owned(real_text(real)),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes),
    }
}

/// Writes a number as SQLite does: `1.5`, `2.0`, `1.0e+20`, with the fewest digits that read as the same number.
/// SQLite writes some numbers of more than 13 digits with 17.
fn real_text(real: f64) -> String {
    if real.is_infinite() {
        return if real > 0.0 { "Inf".to_owned() } else { "-Inf".to_owned() };
    }
    // SQLite has no negative zero.
    let real = if real == 0.0 { 0.0 } else { real };
    let scientific = format!("{real:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (mut text, suffix) = if (-4..17).contains(&exponent) {
        (real.to_string(), String::new())
    } else {
        (digits.to_owned(), format!("e{exponent:+03}"))
    };
    if !text.contains('.') {
        text.push_str(".0");
    }
    text + &suffix
}

/// Returns a copy of a value.
pub(super) fn owned(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(int) => Value::Integer(int),
        ValueRef::Real(real) => Value::Real(real),
        ValueRef::Text(_) => Value::Text(as_text(value).into_owned()),
        ValueRef::Blob(blob) => Value::Blob(blob.to_vec()),
    }
}

/// Says what a value is, for errors.
pub(super) fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(_) | ValueRef::Real(_) => as_text(value).into_owned(),
        ValueRef::Text(_) => format!("the text '{}'", as_text(value)),
        ValueRef::Blob(_) => "a blob".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{database, refused, select};
    use super::*;

    #[test]
    fn numbers_of_13_digits_are_written_as_by_sqlite() {
        let connection = database();
        let mut statement = connection.prepare("SELECT CAST(?1 AS TEXT), left(?1, 99)").unwrap();
        let mut assert_written = |real: f64| {
            let texts: (String, String) = statement.query_row([real], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            assert_eq!(texts.0, texts.1);
        };
        for real in [0.0, 1.0, -2.5, 0.1, 1e15, 1e16, 1e17, 1e18, 1e-3, 1e-4, 1e-5, 123456.789, 1e300] {
            assert_written(real);
            assert_written(-real);
        }
        assert_written(f64::INFINITY);
        assert_written(f64::NEG_INFINITY);
        let mut bits = 1_u64;
        for _ in 0..2_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            assert_written((bits % 10_000_000_000_000) as f64 / 1e6);
        }
    }

    #[test]
    fn texts_are_numbers_where_sqlite_reads_them_so() {
        let of = |text: &str| Number::of(ValueRef::Text(text.as_bytes()));
        assert_eq!(of(" 12\n"), Some(Number::Int(12)));
        assert_eq!(of("-1.5e3"), Some(Number::Real(-1500.0)));
        assert_eq!(of("9223372036854775808"), Some(Number::Real(9_223_372_036_854_775_808.0)));
        for text in ["", "abc", "12a", "inf", "nan", "0x10", "e", "+-1", "."] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(Number::of(ValueRef::Text(b"\xff")), None);
        assert_eq!(Number::of(ValueRef::Blob(b"1")), None);
    }

    #[test]
    fn values_are_compared_in_the_order_of_sqlite() {
        let ascending = [
            ValueRef::Null,
            ValueRef::Real(f64::NEG_INFINITY),
            ValueRef::Integer(9_007_199_254_740_992),
            ValueRef::Integer(9_007_199_254_740_993),
            ValueRef::Real(9_007_199_254_740_994.0),
            ValueRef::Text(b"10"),
            ValueRef::Text(b"9"),
            ValueRef::Blob(b"10"),
        ];
        assert!(ascending.is_sorted_by(|&a, &b| compare(a, b).is_lt()));
    }

    #[test]
    fn integers_are_cut_and_other_texts_refused() {
        let text = |text: &str| vec![Value::Text(text.to_owned())];
        assert_eq!(select("left('hello', 2.9)"), text("he"));
        assert_eq!(select("left('hello', '2')"), text("he"));
        assert_eq!(select("left('hello', 1e300)"), text("hello"));
        assert_eq!(select("left('hello', -1e300)"), text(""));
        assert_eq!(refused("left('hello', 'x')"), "left: expected an integer, found the text 'x'");
        assert_eq!(refused("left('hello', x'00')"), "left: expected an integer, found a blob");
    }
}
