//! Verdicts, and reasons for having none.

use std::fmt;

/// Fewest samples a side with a verdict: the smallest p of 3 against 3 is 0.10, of 4 against 4 0.029.
pub const FEWEST: usize = 4;

/// Fewest pairs with a verdict: the smallest p of a signed-rank test of 5 pairs is 0.063, of 6 pairs 0.031.
pub const FEWEST_PAIRS: usize = 6;

/// What can be said of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Test takes relevantly more.
    Regression,
    /// Test takes relevantly less.
    Improvement,
    /// Whatever changed is too small to matter.
    NoRelevantChange,
    /// Neither can be said.
    Inconclusive(Inconclusive),
}

/// Why nothing can be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inconclusive {
    /// Fewer than four samples a side, or six pairs.
    TooFew {
        /// Samples that each side needs.
        needed: usize,
        /// Samples of the smaller side.
        have: usize,
    },
    /// One sample a side.
    NoiseUnknown,
    /// One recording a side cannot tell programs apart.
    OneRecording,
    /// The recordings differ as a whole.
    NotComparable,
    /// Too few unchanged regions to know how much recordings differ by themselves.
    NoControls,
    /// A side has no time at all: a fact, which needs no test. Which sides have time: control, test.
    Absent([bool; 2]),
    /// Some values are zero, so there is no ratio to judge.
    NoRatio,
    /// The change, if there is one, is too small for these samples.
    Noise {
        /// The smallest change that they could have shown, as a share of control.
        smallest: f64,
    },
}

impl Verdict {
    /// The verdict with the roles of control and test exchanged.
    pub(crate) fn mirrored(self) -> Verdict {
        match self {
            Verdict::Regression => Verdict::Improvement,
            Verdict::Improvement => Verdict::Regression,
            Verdict::Inconclusive(Inconclusive::Absent([control, test])) => {
                Verdict::Inconclusive(Inconclusive::Absent([test, control]))
            }
            other => other,
        }
    }

    /// Whether it is a regression or an improvement.
    pub fn is_change(self) -> bool {
        matches!(self, Verdict::Regression | Verdict::Improvement)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Regression => write!(f, "regression"),
            Verdict::Improvement => write!(f, "improvement"),
            Verdict::NoRelevantChange => write!(f, "no relevant change"),
            Verdict::Inconclusive(why) => write!(f, "inconclusive: {why}"),
        }
    }
}

impl fmt::Display for Inconclusive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inconclusive::TooFew { needed, have } => write!(f, "too few: {have} a side, {needed} needed"),
            Inconclusive::NoiseUnknown => write!(f, "noise unknown: one sample a side, {FEWEST} needed"),
            Inconclusive::OneRecording => {
                write!(f, "one recording a side; record {FEWEST} + {FEWEST} fresh processes in mixed order")
            }
            Inconclusive::NotComparable => write!(f, "these recordings are not comparable"),
            Inconclusive::NoControls => write!(f, "noise between recordings unknown: too few unchanged regions"),
            Inconclusive::Absent([false, false]) => write!(f, "no values on either side"),
            Inconclusive::Absent(_) => write!(f, "no values on one side"),
            Inconclusive::NoRatio => write!(f, "some values are zero, so there is no ratio"),
            Inconclusive::Noise { smallest } => {
                write!(f, "the smallest change that could have been shown is {:.1} %", 100.0 * smallest)
            }
        }
    }
}
