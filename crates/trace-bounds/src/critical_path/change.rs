//! A change to try out: what would take another time, and by which factor.

use crate::error::WhereReason;
use crate::filter::Where;
use crate::{Error, Result};
use causal::BoundBy;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A change to try out: `name ~ "gemm" x 0.5`.
///
/// The condition is one of the language of [`Where`]: on the columns of events, on `rank`, and on `bound_by`, the word of
/// the tables of a critical path. A condition that does not name `bound_by` chooses events, of which only the own time changes: the
/// time of a kernel, of an operator without what is inside it, inside a call. One that does also chooses launches, gaps, waits and time
/// without an event: `bound_by = "python" x 0`.
///
/// A condition on `short_run` chooses of runs of kernels below 10 µs what one launch would replace: `launch`, the calls but the first
/// and the latency of their kernels; `host`, what the launching thread does in between; `gap`, the time between the kernels.
///
/// A condition may be short: a [`SHORT_FORMS`] word, a class of `bound_by`, or a name. `communication x 0` is `bound_by =
/// "gpu_communication_bound" x 0`, `aten::mm x 0.5` is `name = "aten::mm" x 0.5`; a plain word is searched in names, `gemm x 0.5` is
/// `name ~ "gemm" x 0.5`.
///
/// The factor is a number from 0 on, or a percentage; `x`, `×` or `*` stands before it.
///
/// # Errors
/// [`Error::BadWhere`] gives the reason and marks the position.
///
/// # Example
/// ```
/// let change: trace::TimeChange = "name ~ 'gemm' x 0.5".parse()?;
/// assert_eq!(change.factor(), 0.5);
/// # Ok::<(), trace::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TimeChange {
    text: String,
    condition: Where,
    factor: f64,
}

/// The largest factor: larger ones would leave the range of times.
const LARGEST: f64 = 1e6;
/// How to end a change.
const FIX: &str = "end with `x` and a factor, as in `name ~ \"gemm\" x 0.5`";

/// Short conditions, each with what it stands for. `idle` is all time in which the GPU, on the path, does nothing; `graphs` is what one
/// launch in place of each run of short kernels replaces, `fusion` what one kernel does.
pub const SHORT_FORMS: [(&str, &str); 6] = [
    ("communication", "bound_by = \"gpu_communication_bound\""),
    ("compute", "bound_by = \"gpu_compute_bound\""),
    ("memory", "bound_by = \"gpu_memory_bound\""),
    ("idle", "bound_by not in (\"gpu_compute_bound\", \"gpu_communication_bound\", \"gpu_memory_bound\")"),
    ("graphs", "short_run in (\"launch\", \"host\")"),
    ("fusion", "short_run in (\"launch\", \"host\", \"gap\")"),
];

/// Returns what a short condition stands for; `None` for one that is written out.
fn written_out(condition: &str) -> Option<String> {
    let condition = condition.trim();
    if let Some((_, long)) = SHORT_FORMS.iter().find(|(short, _)| condition.eq_ignore_ascii_case(short)) {
        return Some((*long).to_owned());
    }
    if BoundBy::ALL.iter().any(|class| class.word() == condition) {
        return Some(format!("bound_by = \"{condition}\""));
    }
    // Names of kernels contain `<`, `=` and brackets, but a condition has a space, a quote or an operator behind its column.
    let is_word = |c: char| c.is_alphanumeric() || "_:.#".contains(c);
    let is_keyword = ["not", "and", "or", "in", "is", "null", "true", "false"].contains(&condition);
    if condition.is_empty() || is_keyword || !condition.chars().all(is_word) {
        return None;
    }
    let operator = if condition.contains("::") || condition.contains('#') { "=" } else { "~" };
    Some(format!("name {operator} \"{condition}\""))
}

impl TimeChange {
    /// Changes the time of what meets a condition by a factor.
    ///
    /// # Errors
    /// [`Error::BadWhere`] if the factor is negative, not finite, or above a million.
    pub fn new(condition: Where, factor: f64) -> Result<Self> {
        let text = format!("{condition} x {factor}");
        if !(0.0..=LARGEST).contains(&factor) {
            let at = condition.to_string().len() + 3..text.len();
            return Err(wrong(&text, at, "invalid factor: expected a number from 0 to 1,000,000"));
        }
        Ok(Self { text, condition, factor })
    }

    /// Returns what changes.
    pub fn condition(&self) -> &Where {
        &self.condition
    }

    /// Returns by which factor the time is multiplied.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Returns the change of the same condition by another factor.
    ///
    /// # Errors
    /// As [`TimeChange::new`].
    pub fn with_factor(&self, factor: f64) -> Result<Self> {
        Self::new(self.condition.clone(), factor)
    }
}

impl FromStr for TimeChange {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let whole = text.trim_end();
        let at_end = || whole.len()..whole.len();
        let word = whole.rsplit(char::is_whitespace).next().unwrap_or_default();
        let before = whole[..whole.len() - word.len()].trim_end();
        // `x 0.5`, or `x0.5` in one word.
        let (condition, factor) = match before.strip_suffix(['x', 'X', '×', '*']) {
            Some(condition) if condition.is_empty() || condition.ends_with(char::is_whitespace) => (condition, word),
            _ => match word.strip_prefix(['x', 'X', '×', '*']) {
                Some(factor) if factor.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+')) => {
                    (before, factor)
                }
                Some("") => return Err(wrong(text, at_end(), "expected a factor: 0.5 is twice as fast, 0 is free")),
                _ => return Err(wrong(text, at_end(), &format!("expected a factor; {FIX}"))),
            },
        };
        let at = whole.len() - factor.len()..whole.len();
        if condition.trim().is_empty() {
            return Err(wrong(text, 0..0, &format!("expected a condition before the factor; {FIX}")));
        }
        let number = number(factor).filter(|number| (0.0..=LARGEST).contains(number));
        let Some(number) = number else {
            let reason = "invalid factor: expected a number from 0 to 1,000,000 (0.5 is twice as fast, 0 is free)";
            return Err(wrong(text, at, reason));
        };
        if let Some(long) = written_out(condition) {
            return Self::new(long.parse()?, number);
        }
        let condition = condition.trim_end().parse().map_err(|error| match error {
            Error::BadWhere { at, reason, .. } => Error::BadWhere { text: text.to_owned(), at, reason },
            error => error,
        })?;
        Ok(Self { text: text.trim().to_owned(), condition, factor: number })
    }
}

impl fmt::Display for TimeChange {
    /// The text as written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Parses `0.5` or `50%`.
fn number(text: &str) -> Option<f64> {
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+');
    if digits.is_empty() || !digits.chars().all(is_number) {
        return None;
    }
    digits.parse::<f64>().ok().map(|number| number / scale)
}

fn wrong(text: &str, at: Range<usize>, reason: &str) -> Error {
    Error::BadWhere { text: text.to_owned(), at, reason: WhereReason::Syntax(reason.to_owned()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(text: &str) -> (String, f64) {
        let change: TimeChange = text.parse().unwrap();
        (change.condition().to_string(), change.factor())
    }

    fn message(text: &str) -> String {
        text.parse::<TimeChange>().unwrap_err().to_string()
    }

    #[test]
    fn change_is_a_condition_and_a_factor() {
        for text in ["name ~ \"gemm\" x 0.5", "name ~ \"gemm\" x0.5", "name ~ \"gemm\" × 50%", "name ~ \"gemm\" * .5"]
        {
            assert_eq!(parsed(text), ("name ~ \"gemm\"".to_owned(), 0.5), "{text}");
        }
        assert_eq!(parsed("bound_by in (\"python\", cpu_bound) x 0").1, 0.0);
        assert_eq!(parsed("name == x x 2"), ("name == x".to_owned(), 2.0));
    }

    #[test]
    fn short_conditions_stand_for_long_ones() {
        for (short, long) in [
            ("communication x 0", "bound_by = \"gpu_communication_bound\" x 0"),
            ("Compute x 50%", "bound_by = \"gpu_compute_bound\" x 0.5"),
            (
                "idle x0",
                "bound_by not in (\"gpu_compute_bound\", \"gpu_communication_bound\", \"gpu_memory_bound\") x 0",
            ),
            ("graphs x 0", "short_run in (\"launch\", \"host\") x 0"),
            ("python x 0", "bound_by = \"python\" x 0"),
            ("aten::mm x 2", "name = \"aten::mm\" x 2"),
            ("nccl x 0", "name ~ \"nccl\" x 0"),
        ] {
            assert_eq!(short.parse::<TimeChange>().unwrap().to_string(), long);
        }
        for text in ["name ~ x", "not x 2", "dur > 5 x 2", "() x 1"] {
            assert!(text.parse::<TimeChange>().is_err(), "{text}");
        }
    }

    #[test]
    fn mistakes_are_marked_where_they_are() {
        assert_eq!(
            message("name ~ \"gemm\""),
            "expected a factor; end with `x` and a factor, as in `name ~ \"gemm\" x 0.5`\n  name ~ \"gemm\"\n               ^"
        );
        let factor = message("name ~ \"gemm\" x -1");
        assert!(factor.starts_with("invalid factor: expected a number from 0 to 1,000,000"), "{factor}");
        assert!(factor.ends_with("\n                  ^^"), "{factor}");
        assert!(message("x 0.5").starts_with("expected a condition before the factor"), "{}", message("x 0.5"));
        assert!(message("dur > 5 x 0.5").starts_with("`dur` is a time: add a unit"), "{}", message("dur > 5 x 0.5"));
        for text in ["", "x", "name ~ a x", "name ~ a x nan", "name ~ a x inf", "name ~ a x 1e99", "é ~ × 1", "× ×"]
        {
            assert!(text.parse::<TimeChange>().is_err(), "{text}");
        }
    }
}
