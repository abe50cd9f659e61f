//! Reasons why a GPU event is in no call tree.

use serde::{Deserialize, Serialize};

/// Reason why a GPU event is in no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reason {
    /// Its launch is outside of all steps.
    OutsideOfSteps,
    /// It has no launch in the recording, and begins outside of all steps.
    LaunchedBefore,
    /// Another iteration launched it, which is not selected.
    AnotherIteration,
    /// One of the first iterations launched it, which do not count.
    WarmUp,
    /// Another rank ran it, which is not selected.
    AnotherRank,
    /// The filter of events leaves it out.
    Filtered,
    /// An iteration launched it whose phase, or request shape, the other side has no more of.
    OtherPhase,
    /// An iteration of a phase launched it that is not compared.
    AnotherPhase,
}

impl Reason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::OutsideOfSteps,
        Self::LaunchedBefore,
        Self::AnotherIteration,
        Self::WarmUp,
        Self::AnotherRank,
        Self::Filtered,
        Self::OtherPhase,
        Self::AnotherPhase,
    ];

    /// Returns the words that tables and files use.
    pub fn word(self) -> &'static str {
        match self {
            Self::OutsideOfSteps => "outside of the steps",
            Self::LaunchedBefore => "launched before the recording",
            Self::AnotherIteration => "another iteration",
            Self::WarmUp => "warm-up",
            Self::AnotherRank => "another rank",
            Self::Filtered => "filtered out",
            Self::OtherPhase => "no iteration of its phase on the other side",
            Self::AnotherPhase => "another phase",
        }
    }
}
