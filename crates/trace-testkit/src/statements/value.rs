//! Known facts of the values of an expression.

use super::ColumnKind;
use std::collections::HashMap;
use std::sync::Arc;

/// Literals in the range of an expression's values, drawn from the rows.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) literals: Vec<String>,
    /// Samples, those that are NULL included.
    pub(super) count: usize,
}

impl Samples {
    pub(super) fn of(literals: &[&str]) -> Arc<Self> {
        let literals: Vec<String> = literals.iter().map(|&literal| literal.into()).collect();
        Arc::new(Self { count: literals.len(), literals })
    }

    fn counts(&self) -> HashMap<&str, usize> {
        let mut counts = HashMap::new();
        for literal in &self.literals {
            *counts.entry(literal.as_str()).or_insert(0) += 1;
        }
        counts
    }

    /// The share of rows with the most frequent value, rounded up.
    pub(super) fn largest_share(&self) -> f64 {
        rounded_up(self.counts().into_values().max().unwrap_or(0), self.count)
    }

    /// The share of pairs of rows with equal values, rounded up.
    pub(super) fn share_of_equal(&self, other: &Self) -> f64 {
        let counts = self.counts();
        let pairs: usize = other.literals.iter().filter_map(|literal| counts.get(literal.as_str())).sum();
        rounded_up(pairs, self.count * other.count)
    }

    /// The share of rows whose value `is_wanted`, rounded up.
    pub(super) fn share(&self, is_wanted: impl Fn(&str) -> bool) -> f64 {
        rounded_up(self.literals.iter().filter(|literal| is_wanted(literal)).count(), self.count)
    }
}

/// A share that samples without a match do not make zero.
fn rounded_up(found: usize, count: usize) -> f64 {
    (found + 1) as f64 / (count + 1) as f64
}

/// An expression: a column, or what is computed from columns.
#[derive(Debug, Clone)]
pub(super) struct Value {
    /// What a statement writes; binary operators are in parentheses.
    pub(super) text: String,
    pub(super) kind: ColumnKind,
    /// Integers are below two to the power of this, positive and negative.
    pub(super) bits: u32,
    pub(super) is_ascii: bool,
    pub(super) is_nonnegative: bool,
    pub(super) samples: Arc<Samples>,
    /// Whether it is a column as the table contains it, which joins can use.
    pub(super) is_stored: bool,
}

impl Value {
    /// The same facts of an expression computed from this one.
    pub(super) fn computed(&self, text: String) -> Self {
        Self { text, is_stored: false, ..self.clone() }
    }

    /// The value under another name.
    pub(super) fn renamed(&self, text: String) -> Self {
        Self { text, ..self.clone() }
    }

    /// An expression with the values of this one or of `other`.
    pub(super) fn or(&self, other: &Self, text: String) -> Self {
        Self {
            bits: self.bits.max(other.bits),
            is_ascii: self.is_ascii && other.is_ascii,
            is_nonnegative: self.is_nonnegative && other.is_nonnegative,
            ..self.computed(text)
        }
    }

    /// The value itself, or its remainder if it may have more than `bits` bits.
    pub(super) fn within(&self, bits: u32) -> Self {
        if self.kind != ColumnKind::Int || self.bits <= bits {
            return self.clone();
        }
        Self { bits: 10, ..self.computed(format!("({} % 1000)", self.text)) }
    }
}

/// Bits that integers near `samples` need.
pub(super) fn bits_of(samples: &Samples) -> u32 {
    /// Larger values may be among the rows that are no samples.
    const MARGIN: u32 = 4;
    let sizes = samples.literals.iter().filter_map(|literal| literal.parse::<i64>().ok());
    let largest = sizes.map(i64::unsigned_abs).max().unwrap_or(1 << 40);
    (u64::BITS - largest.leading_zeros() + MARGIN).min(63)
}

/// A literal of a real number that SQLite and DuckDB read as a 64-bit number, not as a decimal or an integer.
pub(super) fn as_double(literal: &str) -> String {
    if literal.contains(['e', 'E']) { literal.into() } else { format!("{literal}e0") }
}
