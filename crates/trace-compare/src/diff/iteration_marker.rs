//! Source of the iterations of a comparison: the profiler's steps, calls that a marker names, or calls that are found.

use crate::error::ParameterReason;
use crate::{Error, Result};
use regex::Regex;
use std::str::FromStr;

/// The word for no marker.
const NO_MARKER: &str = "none";

/// Source of iterations. Made from a regular expression: `"^forward".parse::<IterationMarker>()?`, or from a `Regex`; the word `none` is
/// [`Recorded`](Self::Recorded).
#[derive(Debug, Clone, Default)]
pub enum IterationMarker {
    /// The profiler's steps. Where no run has some, the call that repeats and launches most of the work, if it is exactly one; else the
    /// whole recording is one iteration. `TraceDiff` looks for no call.
    #[default]
    Found,
    /// The profiler's steps. A recording without some is one iteration, even where one call repeats.
    Recorded,
    /// Annotations, operators and modules whose names match.
    Named(Regex),
}

impl FromStr for IterationMarker {
    type Err = Error;

    fn from_str(names: &str) -> Result<Self> {
        let invalid = |_| ParameterReason::Invalid {
            name: "marker",
            value: names.to_owned(),
            expected: "a regular expression, or none".to_owned(),
        };
        match names {
            NO_MARKER => Ok(Self::Recorded),
            names => match Regex::new(names).map_err(invalid) {
                Ok(names) => Ok(Self::Named(names)),
                Err(reason) => Err(Error::WrongParameter { analysis: "iterations", reason }),
            },
        }
    }
}

impl From<Regex> for IterationMarker {
    fn from(names: Regex) -> Self {
        Self::Named(names)
    }
}

impl From<&Regex> for IterationMarker {
    fn from(names: &Regex) -> Self {
        names.clone().into()
    }
}

impl IterationMarker {
    /// Returns the names that mark iterations; `None` for the profiler's steps, and before calls are looked for.
    pub(crate) fn names(&self) -> Option<&Regex> {
        if let Self::Named(names) = self { Some(names) } else { None }
    }
}
