//! Conditions on a column, as SQLite hands them to a table.

use crate::column::{Column, Dictionary};
use crate::like::like;
use crate::value::{Kind, OwnedValue, Value};
use regex::Regex;
use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// How a column is compared with an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    IsNull,
    IsNotNull,
    /// `IS`: equal, or both without a value.
    Is,
    /// `IS NOT`.
    IsNot,
    /// `IN`, with all values at once.
    In,
    Like,
    Regexp,
}

impl Test {
    /// Whether the test has an operand.
    pub(crate) fn has_operand(self) -> bool {
        !matches!(self, Self::IsNull | Self::IsNotNull)
    }

    /// Whether it bounds the values of the column from below or from above.
    pub(crate) fn is_bound(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual)
    }

    fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal | Self::Is => ordering.is_eq(),
            Self::NotEqual | Self::IsNot => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
            Self::IsNull | Self::IsNotNull | Self::In | Self::Like | Self::Regexp => true,
        }
    }
}

/// A condition of a plan.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) column: usize,
    pub(crate) test: Test,
    /// The position of its operand among the arguments of a scan.
    pub(crate) argument: Option<usize>,
    /// The texts of a dictionary that pass a pattern, once it was tried.
    pub(crate) matches: Mutex<Option<(usize, Arc<[bool]>)>>,
}

/// The right side of a condition while a scan runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    One(OwnedValue),
    Many(Vec<OwnedValue>),
}

/// Whether a comparison of a column of this kind with this value is the one of SQLite, without conversions between numbers and texts.
pub(crate) fn is_comparable(kind: Kind, value: Value<'_>) -> bool {
    match kind {
        Kind::Int | Kind::Real => matches!(value, Value::Int(_) | Value::Real(_)),
        Kind::Text => matches!(value, Value::Text(_)),
    }
}

/// A condition with its operand and its column: which rows pass.
pub(crate) enum Check<'c> {
    /// No row passes.
    Never,
    /// The rows whose value compares so.
    Compare(&'c dyn Column, Test, Value<'c>),
    /// The rows with or without a value.
    HasValue(&'c dyn Column, bool),
    /// The rows with this code.
    Code(&'c dyn Column, u32),
    /// The rows whose code is marked.
    Codes(&'c dyn Column, Arc<[bool]>),
    /// The rows with one of these values.
    Among(&'c dyn Column, &'c [OwnedValue]),
    /// The rows whose text passes.
    Pattern(&'c dyn Column, Pattern),
}

/// A pattern of `LIKE` or `REGEXP`.
pub(crate) enum Pattern {
    Like(String),
    Regexp(Regex),
}

impl Pattern {
    fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Like(pattern) => like(pattern, text),
            Self::Regexp(pattern) => pattern.is_match(text),
        }
    }
}

impl Condition {
    /// Returns which rows of a column pass, or `None` if SQLite alone can tell.
    pub(crate) fn check<'c>(
        &self,
        kind: Kind,
        column: Option<&'c dyn Column>,
        operand: Option<&'c Operand>,
    ) -> Option<Check<'c>> {
        // A column without values is NULL in all rows.
        let Some(column) = column else {
            let passes = match (self.test, operand) {
                (Test::IsNull, _) => true,
                (Test::Is, Some(Operand::One(value))) => value.borrowed() == Value::Null,
                (Test::IsNot, Some(Operand::One(value))) => value.borrowed() != Value::Null,
                _ => false,
            };
            return (!passes).then_some(Check::Never);
        };
        let value = match (self.test, operand) {
            (Test::IsNull, _) => return Some(Check::HasValue(column, false)),
            (Test::IsNotNull, _) => return Some(Check::HasValue(column, true)),
            (Test::In, Some(Operand::Many(values))) => {
                let is_known = |value: &OwnedValue| *value == OwnedValue::Null || is_comparable(kind, value.borrowed());
                return values.iter().all(is_known).then(|| among(column, values));
            }
            (_, Some(Operand::One(value))) => value.borrowed(),
            _ => return None,
        };
        match (self.test, value) {
            (Test::Is, Value::Null) => return Some(Check::HasValue(column, false)),
            (Test::IsNot, Value::Null) => return Some(Check::HasValue(column, true)),
            (_, Value::Null) => return Some(Check::Never),
            _ => {}
        }
        if !is_comparable(kind, value) {
            return None;
        }
        match (self.test, value, column.dictionary()) {
            (Test::Like | Test::Regexp, Value::Text(text), dictionary) => {
                let pattern = match self.test {
                    Test::Like => Pattern::Like(text.to_owned()),
                    _ => Pattern::Regexp(Regex::new(text).ok()?),
                };
                Some(match dictionary {
                    Some(dictionary) => Check::Codes(column, self.matching(dictionary, &pattern)),
                    None => Check::Pattern(column, pattern),
                })
            }
            (Test::Like | Test::Regexp, ..) => None,
            (Test::Equal | Test::Is, Value::Text(text), Some(dictionary)) => {
                Some(dictionary.code(text).map_or(Check::Never, |code| Check::Code(column, code)))
            }
            (test, value, _) => Some(Check::Compare(column, test, value)),
        }
    }

    /// Returns which texts of a dictionary pass a pattern, which is always the same for a condition.
    fn matching(&self, dictionary: &Arc<dyn Dictionary>, pattern: &Pattern) -> Arc<[bool]> {
        let mut known = self.matches.lock().unwrap_or_else(PoisonError::into_inner);
        let (address, size) = (Arc::as_ptr(dictionary).cast::<()>() as usize, dictionary.size());
        match &*known {
            Some((of, marks)) if *of == address && marks.len() == size => Arc::clone(marks),
            _ => {
                let marks: Arc<[bool]> = (0..size as u32).map(|code| pattern.accepts(dictionary.text(code))).collect();
                *known = Some((address, Arc::clone(&marks)));
                marks
            }
        }
    }
}

fn among<'c>(column: &'c dyn Column, values: &'c [OwnedValue]) -> Check<'c> {
    let Some(dictionary) = column.dictionary() else { return Check::Among(column, values) };
    let mut marks = vec![false; dictionary.size()];
    for value in values {
        if let OwnedValue::Text(text) = value
            && let Some(mark) = dictionary.code(text).and_then(|code| marks.get_mut(code as usize))
        {
            *mark = true;
        }
    }
    Check::Codes(column, marks.into())
}

impl Check<'_> {
    /// Whether a row passes.
    pub(crate) fn passes(&self, row: usize) -> bool {
        match self {
            Self::Never => false,
            Self::Compare(column, test, value) => match column.value(row) {
                Value::Null => *test == Test::IsNot,
                found => test.accepts(found.compare(*value)),
            },
            Self::HasValue(column, has) => (column.value(row) != Value::Null) == *has,
            Self::Code(column, code) => column.code(row) == Some(*code),
            Self::Codes(column, marks) => {
                column.code(row).is_some_and(|code| marks.get(code as usize).copied().unwrap_or(false))
            }
            Self::Among(column, values) => match column.value(row) {
                Value::Null => false,
                found => values.iter().any(|value| value.borrowed().compare(found).is_eq()),
            },
            Self::Pattern(column, pattern) => match column.value(row) {
                Value::Text(text) => pattern.accepts(text),
                _ => false,
            },
        }
    }
}

/// Whether a value of all rows of a part passes; `None` if SQLite alone can tell.
pub(crate) fn passes_fixed(kind: Kind, test: Test, value: Value<'_>, operand: Option<&Operand>) -> Option<bool> {
    let column: [OwnedValue; 1] = [value.to_owned()];
    let column = One(&column[0]);
    let condition = Condition { column: 0, test, argument: None, matches: Mutex::new(None) };
    Some(condition.check(kind, Some(&column), operand)?.passes(0))
}

/// A column of one row.
struct One<'v>(&'v OwnedValue);

impl Column for One<'_> {
    fn value(&self, _: usize) -> Value<'_> {
        self.0.borrowed()
    }
}
