//! A share in percent, exactly as it was written.

/// A decimal number of percent: `digits` / 10^`places`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentage {
    digits: i128,
    places: u32,
}

/// More digits than this mean nothing, and would not leave room to multiply.
const MOST_DIGITS: usize = 15;

impl Percentage {
    /// `5%`, `0.7`, `-2.5 %`; `None` of anything else.
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
        Some(Self { digits: if negative { -digits } else { digits }, places: u32::try_from(fraction.len()).ok()? })
    }

    /// Whether `test` is more than this share above `control`; both are whole, and nothing is rounded.
    pub fn is_exceeded(self, control: i128, test: i128) -> bool {
        let grown = test
            .checked_sub(control)
            .and_then(|grown| grown.checked_mul(100))
            .and_then(|grown| grown.checked_mul(10_i128.pow(self.places)));
        match (grown, control.checked_mul(self.digits)) {
            (Some(grown), Some(allowed)) => grown > allowed,
            // Sums of more than a million years.
            _ => 100.0 * (test as f64 - control as f64) > self.to_f64() * control as f64,
        }
    }

    fn to_f64(self) -> f64 {
        self.digits as f64 / 10_f64.powi(self.places.cast_signed())
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
    fn shares_are_read_as_people_write_them() {
        for (text, shown) in
            [("5%", "5"), ("5", "5"), (" 0.70 % ", "0.7"), ("-2.5%", "-2.5"), (".5", "0.5"), ("5.", "5"), ("0", "0")]
        {
            assert_eq!(Percentage::read(text).unwrap().to_string(), shown, "{text}");
        }
        for odd in ["", "%", "x", "5%%", "1e1", "inf", ".", "--5", "0.0000000000000000001", "99999999999999999999"] {
            assert_eq!(Percentage::read(odd), None, "{odd:?}");
        }
    }

    /// The boundary itself is not exceeded, one nanosecond above it is: of every share in tenths, and of many sizes.
    #[test]
    fn the_boundary_is_exact_to_a_nanosecond() {
        for tenths in 0..2_000_i128 {
            let share = Percentage::read(&format!("{}.{}%", tenths / 10, tenths % 10)).unwrap();
            for control in [1_000, 700_000, 123_456_000, 987_654_321_000, 1_i128 << 62] {
                let control = control / 1_000 * 1_000;
                let boundary = control + control * tenths / 1_000;
                assert!(!share.is_exceeded(control, boundary), "{share} % of {control}");
                assert!(share.is_exceeded(control, boundary + 1), "{share} % of {control}");
            }
        }
        assert!(Percentage::read("0.7").unwrap().is_exceeded(i128::MAX / 2, i128::MAX - 1), "larger than any sum");
    }
}
