//! Values of rows, compared as SQLite compares them.

use std::cmp::Ordering;

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'v> {
    /// No value.
    Null,
    /// An integer.
    Int(i64),
    /// A floating-point number; NaN is no value of SQL and becomes NULL.
    Real(f64),
    /// A text.
    Text(&'v str),
}

/// The type of a column, as SQLite declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Integers.
    Int,
    /// Floating-point numbers.
    Real,
    /// Texts.
    Text,
}

impl Kind {
    /// Returns the declared type.
    pub(crate) fn declared(self) -> &'static str {
        match self {
            Self::Int => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
        }
    }
}

impl Value<'_> {
    /// Compares two values in SQLite's order: NULL, numbers, texts by their bytes.
    pub fn compare(self, other: Value<'_>) -> Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(&b),
            (Value::Real(a), Value::Real(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Value::Int(a), Value::Real(b)) => int_with_real(a, b),
            (Value::Real(a), Value::Int(b)) => int_with_real(b, a).reverse(),
            (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (a, b) => a.class().cmp(&b.class()),
        }
    }

    fn class(self) -> u8 {
        match self {
            Value::Null => 0,
            Value::Int(_) | Value::Real(_) => 1,
            Value::Text(_) => 2,
        }
    }

    /// Returns a copy that owns its text.
    pub(crate) fn to_owned(self) -> OwnedValue {
        match self {
            Value::Null => OwnedValue::Null,
            Value::Int(value) => OwnedValue::Int(value),
            Value::Real(value) => OwnedValue::Real(value),
            Value::Text(text) => OwnedValue::Text(text.to_owned()),
        }
    }
}

/// Compares an integer with a number as they are, without rounding the integer.
fn int_with_real(int: i64, real: f64) -> Ordering {
    if real.is_nan() {
        return Ordering::Greater;
    }
    // 2^63 and above, and below -2^63, are no integers of 64 bits.
    if real >= 9_223_372_036_854_775_808.0 {
        return Ordering::Less;
    }
    if real < -9_223_372_036_854_775_808.0 {
        return Ordering::Greater;
    }
    let whole = real.trunc() as i64;
    int.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&real.fract()).unwrap_or(Ordering::Equal))
}

/// A value that owns its text.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnedValue {
    /// No value.
    Null,
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// A text.
    Text(String),
}

impl OwnedValue {
    /// Returns the value without its ownership.
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Int(value) => Value::Int(*value),
            Self::Real(value) => Value::Real(*value),
            Self::Text(text) => Value::Text(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_exactly() {
        let compare = |a: i64, b: f64| Value::Int(a).compare(Value::Real(b));
        assert_eq!(compare(i64::MAX, 9_223_372_036_854_775_807.0), Ordering::Less);
        assert_eq!(compare(i64::MIN, -9_223_372_036_854_775_808.0), Ordering::Equal);
        assert_eq!(compare(9_007_199_254_740_993, 9_007_199_254_740_992.0), Ordering::Greater);
        assert_eq!(compare(-2, -1.5), Ordering::Less);
        assert_eq!(compare(-1, -1.5), Ordering::Greater);
        assert_eq!(compare(1, 1.5), Ordering::Less);
        assert_eq!(compare(3, f64::INFINITY), Ordering::Less);
        assert_eq!(Value::Text("2").compare(Value::Int(10)), Ordering::Greater);
        assert_eq!(Value::Null.compare(Value::Int(i64::MIN)), Ordering::Less);
    }
}
