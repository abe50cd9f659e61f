//! Reasons why a method has no answer.

use std::fmt;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A side has fewer values than the method needs.
    TooFew {
        /// Values that each side needs.
        needed: usize,
        /// Values of the smaller side.
        have: usize,
    },
    /// A value is NaN or infinite.
    NotFinite,
    /// A value is zero or negative, so it has no ratio.
    NotPositive,
    /// All values are equal, so they have no spread to compare with.
    NoSpread,
    /// Slices that belong together differ in length, or name an element that is not there.
    Shape,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::TooFew { needed, have } => write!(f, "too few values: {have}, needed are {needed} a side"),
            Error::NotFinite => write!(f, "invalid value: expected finite numbers"),
            Error::NotPositive => write!(f, "invalid value: expected positive numbers, for ratios"),
            Error::NoSpread => write!(f, "cannot compare: all values are equal"),
            Error::Shape => write!(f, "invalid shape: expected slices of equal length"),
        }
    }
}

impl std::error::Error for Error {}

/// Checks that both sides have `needed` finite values.
pub(crate) fn check(sides: [&[f64]; 2], needed: usize) -> Result<(), Error> {
    let have = sides[0].len().min(sides[1].len());
    if have < needed {
        return Err(Error::TooFew { needed, have });
    }
    finite(sides[0])?;
    finite(sides[1])
}

/// Checks that all values are finite, and so small that sums of their squares are finite, too.
pub(crate) fn finite(values: &[f64]) -> Result<(), Error> {
    if values.iter().all(|value| value.abs() < 1e150) { Ok(()) } else { Err(Error::NotFinite) }
}

/// The natural logarithms of positive values.
pub(crate) fn logs(values: &[f64]) -> Result<Vec<f64>, Error> {
    finite(values)?;
    if values.iter().any(|&value| value <= 0.0) {
        return Err(Error::NotPositive);
    }
    Ok(values.iter().map(|value| value.ln()).collect())
}
