//! An exact percentage, as typed for `--fail-over`.

/// A decimal number of percent: `digits` / 10^`decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentage {
    digits: i128,
    decimals: u32,
}

/// More digits are meaningless, and the product would overflow.
const MOST_DIGITS: usize = 15;

impl Percentage {
    /// Parses `5%`, `0.7`, `-2.5 %`; `None` for anything else.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix('%').unwrap_or(text).trim_end();
        let (negative, number) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        let is_number = !number.trim_matches('.').is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        if !is_number || digits.trim_start_matches('0').len() > MOST_DIGITS || fraction.len() > MOST_DIGITS {
            return None;
        }
        let digits: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        Some(Self { digits: if negative { -digits } else { digits }, decimals: u32::try_from(fraction.len()).ok()? })
    }

    /// Returns whether `test` exceeds `control` by more than this percentage; computed without rounding.
    pub fn is_exceeded(self, control: i128, test: i128) -> bool {
        let grown = test
            .checked_sub(control)
            .and_then(|grown| grown.checked_mul(100))
            .and_then(|grown| grown.checked_mul(10_i128.pow(self.decimals)));
        match (grown, control.checked_mul(self.digits)) {
            (Some(grown), Some(allowed)) => grown > allowed,
            // The product overflows only for more than a million years in nanoseconds.
            _ => 100.0 * (test as f64 - control as f64) > self.to_f64() * control as f64,
        }
    }

    /// Returns the percentage as a number: 0.7 for `0.7%`.
    pub fn to_f64(self) -> f64 {
        self.digits as f64 / 10_f64.powi(self.decimals.cast_signed())
    }
}

impl std::fmt::Display for Percentage {
    /// `0.7`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.to_f64())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn read_accepts_common_spellings_and_rejects_the_rest() {
        for (text, shown) in
            [("5%", "5"), ("5", "5"), (" 0.70 % ", "0.7"), ("-2.5%", "-2.5"), (".5", "0.5"), ("5.", "5"), ("0", "0")]
        {
            assert_eq!(Percentage::read(text).unwrap().to_string(), shown, "{text}");
        }
        for invalid in ["", "%", "x", "5%%", "1e1", "inf", ".", "--5", "0.0000000000000000001", "99999999999999999999"]
        {
            assert_eq!(Percentage::read(invalid), None, "{invalid:?}");
        }
    }

    /// For every tenth of a percent up to 200 %, and for many durations.
    #[test]
    fn boundary_is_allowed_and_one_nanosecond_more_exceeds_it() {
        for tenths in 0..2_000_i128 {
            let limit = Percentage::read(&format!("{}.{}%", tenths / 10, tenths % 10)).unwrap();
            for control in [1_000, 700_000, 123_456_000, 987_654_321_000, 1_i128 << 62] {
                let control = control / 1_000 * 1_000;
                let boundary = control + control * tenths / 1_000;
                assert!(!limit.is_exceeded(control, boundary), "{limit} % of {control}");
                assert!(limit.is_exceeded(control, boundary + 1), "{limit} % of {control}");
            }
        }
        assert!(Percentage::read("0.7").unwrap().is_exceeded(i128::MAX / 2, i128::MAX - 1), "larger than any sum");
    }
}
