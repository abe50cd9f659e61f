//! Compatibility mode: exact, or bit-exact with HTA.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Whether times and iterations are exact or those of HTA.
///
/// Chosen when a trace is loaded; kept in its `TraceSet`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Compat {
    /// Exact nanoseconds; kernels on stream 0 belong to their launch's iteration.
    #[default]
    Exact,
    /// Bit-exact with HTA 0.6.1: traces with fractional time stamps are rounded to whole µs (start up, end down, so that
    /// short events may last −1 µs), and kernels on stream 0 have no iteration.
    Hta,
}

/// A word that is not a compatibility mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown compatibility mode `{word}`: expected exact or hta")]
pub struct UnknownCompat {
    /// The word.
    pub word: String,
}

impl Compat {
    /// Returns the duration that counts, in ns: 0 for an event that ends before it starts (its clock was set back).
    /// Differs from HTA: there it counts as negative.
    #[doc(hidden)]
    #[inline]
    pub fn counted(self, dur: i64) -> i64 {
        match self {
            Self::Exact => dur.max(0),
            Self::Hta => dur,
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Hta => "hta",
        })
    }
}

impl FromStr for Compat {
    type Err = UnknownCompat;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::Exact, Self::Hta]
            .into_iter()
            .find(|compat| compat.to_string().eq_ignore_ascii_case(word))
            .ok_or_else(|| UnknownCompat { word: word.to_owned() })
    }
}
