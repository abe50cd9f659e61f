//! Words of verdicts and samples: the same in tables, frames, JSON and Markdown.

use statistics::{FEWEST, Inconclusive, Verdict};

/// What the samples of a comparison are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleKind {
    /// Iterations, the ranks of each averaged.
    Iterations,
    /// The ranks of one iteration, in pairs of control and test.
    Ranks,
    /// Runs, each a fresh process.
    Runs,
}

impl SampleKind {
    /// `iterations`, `ranks` or `runs`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Ranks => "ranks",
            Self::Runs => "runs",
        }
    }
}

/// Meaning of a column of verdicts.
pub const VERDICTS: &str = "regression, improvement, no relevant change, inconclusive, or too few samples; added or deleted if one side has no time";

/// The verdict in the words of tables and files. Nothing where neither side has time.
pub fn verdict_word(verdict: Verdict) -> Option<String> {
    let word = match verdict {
        Verdict::Regression => "regression",
        Verdict::Improvement => "improvement",
        Verdict::NoRelevantChange => "no relevant change",
        Verdict::Inconclusive(Inconclusive::TooFew { needed, .. }) => return Some(format!("too few, {needed} needed")),
        Verdict::Inconclusive(Inconclusive::NoiseUnknown | Inconclusive::OneRecording) => {
            return Some(format!("too few, {FEWEST} needed"));
        }
        Verdict::Inconclusive(Inconclusive::Absent([false, false])) => return None,
        Verdict::Inconclusive(Inconclusive::Absent([false, true])) => "added",
        Verdict::Inconclusive(Inconclusive::Absent(_)) => "deleted",
        Verdict::Inconclusive(_) => "inconclusive",
    };
    Some(word.to_owned())
}

/// The level of tests and intervals: there is no verdict from a larger q.
pub const ALPHA: f64 = 0.05;

/// The verdict in the words of a row, which stands beside its interval: an inconclusive one says why.
pub fn verdict_in_row(verdict: Verdict, q: Option<f64>) -> Option<String> {
    let why = match verdict {
        Verdict::Inconclusive(Inconclusive::Noise { .. }) if q.is_none_or(|q| q > ALPHA) => "q above 0.05",
        Verdict::Inconclusive(Inconclusive::Noise { .. }) => "may be too small to matter",
        Verdict::Inconclusive(Inconclusive::NotComparable) => "the recordings differ as a whole",
        Verdict::Inconclusive(Inconclusive::NoControls) => "too few unchanged regions",
        Verdict::Inconclusive(Inconclusive::NoRatio) => "some values are zero",
        other => return verdict_word(other),
    };
    Some(format!("inconclusive: {why}"))
}

/// The smallest change that the samples could have shown, as a share, where the verdict is inconclusive for their noise.
pub fn smallest(verdict: Verdict) -> Option<f64> {
    match verdict {
        Verdict::Inconclusive(Inconclusive::Noise { smallest }) => Some(smallest),
        _ => None,
    }
}

/// A share in percent, with two or three digits: `1.25 %`, `12.5 %`, `131 %`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = match percent.abs() {
        size if size < 9.995 => 2,
        size if size < 99.95 => 1,
        _ => 0,
    };
    format!("{percent:.digits$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_one_word_each() {
        let why = |why| verdict_word(Verdict::Inconclusive(why));
        assert_eq!(verdict_word(Verdict::Regression).as_deref(), Some("regression"));
        assert_eq!(why(Inconclusive::TooFew { needed: 6, have: 2 }).as_deref(), Some("too few, 6 needed"));
        assert_eq!(why(Inconclusive::NoiseUnknown).as_deref(), Some("too few, 4 needed"));
        assert_eq!(why(Inconclusive::Noise { smallest: 0.1 }).as_deref(), Some("inconclusive"));
        assert_eq!(why(Inconclusive::NotComparable).as_deref(), Some("inconclusive"));
        assert_eq!(why(Inconclusive::Absent([false, false])), None);
        assert_eq!(why(Inconclusive::Absent([false, true])).as_deref(), Some("added"));
        assert_eq!(why(Inconclusive::Absent([true, false])).as_deref(), Some("deleted"));
    }

    #[test]
    fn percentages_have_two_or_three_digits() {
        for (share, text) in [(0.0125, "1.25 %"), (0.125, "12.5 %"), (1.314, "131 %"), (-0.002, "-0.20 %")] {
            assert_eq!(percent(share), text);
        }
    }
}
