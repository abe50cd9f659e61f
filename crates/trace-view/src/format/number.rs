//! Numbers as text: thousands separators, equal decimals in a column, a real minus sign.

/// The text of an absent value.
pub const DASH: &str = "—";

/// Numbers from here on are written with an exponent.
const TOO_LONG: f64 = 1e16;
const MOST_DECIMALS: i32 = 12;
/// The most decimals of a value that has a smaller unit.
const MOST_READABLE: i32 = 4;

/// Returns the number of decimals for all of `values`: none if all are whole, else about four significant digits of the largest,
/// but no more than the values have.
pub fn decimals(values: impl Iterator<Item = f64>) -> usize {
    let (mut largest, mut needed) = (0.0_f64, 0);
    for value in values.filter(|value| value.is_finite()) {
        largest = largest.max(value.abs());
        while needed < MOST_DECIMALS && !has_decimals(value, needed) {
            needed += 1;
        }
    }
    if needed == 0 {
        return 0;
    }
    let before_the_point = largest.log10().floor() as i32 + 1;
    let wanted = if before_the_point > 0 { 4 - before_the_point } else { 3 - before_the_point };
    wanted.clamp(1, needed) as usize
}

/// Tells whether a value has no more than `decimals` decimals.
fn has_decimals(value: f64, decimals: i32) -> bool {
    let scaled = value.abs() * 10.0_f64.powi(decimals);
    (scaled - scaled.round()).abs() <= scaled * f64::EPSILON * 4.0
}

/// Formats `value` with `decimals` decimals: `−2,698.1`; a dash if it is not finite. A value that would be rounded to zero gets as
/// many decimals as show two of its digits.
pub fn float(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    let magnitude = value.abs();
    let digits = if magnitude >= TOO_LONG {
        format!("{magnitude:.3e}")
    } else {
        let digits = format!("{magnitude:.decimals$}");
        if magnitude == 0.0 || has_nonzero_digit(&digits) { digits } else { small(magnitude) }
    };
    signed(value < 0.0 && magnitude > 0.0, &digits)
}

/// Tells whether [`float`] would write so many zeros in front of a value that nobody counts them.
pub fn is_tiny(value: f64, decimals: usize) -> bool {
    let magnitude = value.abs();
    let is_small = magnitude > 0.0 && magnitude < 1.0 && !has_nonzero_digit(&format!("{magnitude:.decimals$}"));
    is_small && decimals_of_small(magnitude) > MOST_READABLE
}

fn has_nonzero_digit(digits: &str) -> bool {
    digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit))
}

fn small(magnitude: f64) -> String {
    let decimals = decimals_of_small(magnitude);
    if decimals > MOST_DECIMALS { format!("{magnitude:.1e}") } else { format!("{magnitude:.0$}", decimals as usize) }
}

/// Returns the decimals that show two digits.
fn decimals_of_small(magnitude: f64) -> i32 {
    1 - magnitude.log10().floor() as i32
}

/// Formats `value` exactly, with `decimals` zeros after the point, to align with its column.
pub fn int(value: i64, decimals: usize) -> String {
    let digits = value.unsigned_abs().to_string();
    let zeros = "0".repeat(decimals);
    signed(value < 0, &if decimals == 0 { digits } else { format!("{digits}.{zeros}") })
}

/// Formats a count: `1,284`.
pub fn grouped(number: impl TryInto<i64>) -> String {
    int(number.try_into().unwrap_or(i64::MAX), 0)
}

/// Adds arrow and sign to the text of a difference: `▲ +1,307.7`, `▼ −2,698.1`, `0.0`.
pub fn difference(value: f64, text: String) -> String {
    if value > 0.0 {
        format!("▲ +{text}")
    } else if value < 0.0 {
        format!("▼ −{}", text.trim_start_matches('−'))
    } else {
        text
    }
}

fn signed(negative: bool, digits: &str) -> String {
    let whole = digits.find(['.', 'e']).unwrap_or(digits.len());
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 3);
    if negative {
        text.push('−');
    }
    for (index, digit) in digits[..whole].char_indices() {
        if index > 0 && (whole - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(&digits[whole..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        assert_eq!(grouped(0_u64), "0");
        assert_eq!(grouped(999_u64), "999");
        assert_eq!(grouped(1_234_567_usize), "1,234,567");
        assert_eq!(grouped(u64::MAX), "9,223,372,036,854,775,807");
    }

    #[test]
    fn thousands_are_separated_and_minus_is_real() {
        assert_eq!(float(1307.74, 1), "1,307.7");
        assert_eq!(float(-2698.06, 1), "−2,698.1");
        assert_eq!(float(999.0, 0), "999");
        assert_eq!(int(1_284, 0), "1,284");
        assert_eq!(int(1_284, 2), "1,284.00");
    }

    #[test]
    fn extreme_numbers_are_formatted() {
        assert_eq!(int(i64::MIN, 0), "−9,223,372,036,854,775,808");
        assert_eq!(int(i64::MAX, 0), "9,223,372,036,854,775,807");
        assert_eq!(float(1e15, 0), "1,000,000,000,000,000");
        assert_eq!(float(-1.5e300, 1), "−1.500e300");
        assert_eq!(float(1e-9, 11), "0.00000000100");
    }

    #[test]
    fn only_zero_is_zero_and_nan_is_dash() {
        assert_eq!(float(-0.0, 1), "0.0");
        assert_eq!(float(-0.04, 1), "−0.040");
        assert_eq!(float(0.05, 1), "0.1");
        assert_eq!(float(0.002_17, 1), "0.0022");
        assert_eq!(float(0.25, 0), "0.25");
        assert_eq!(float(1.2e-16, 1), "1.2e-16");
        assert_eq!(float(f64::NAN, 1), DASH);
        assert_eq!(float(f64::NEG_INFINITY, 1), DASH);
    }

    #[test]
    fn decimals_follow_largest_value() {
        assert_eq!(decimals([1.0, 2e9].into_iter()), 0);
        assert_eq!(decimals([1307.7, 0.004].into_iter()), 1);
        assert_eq!(decimals([12.34].into_iter()), 2);
        assert_eq!(decimals([0.512_345].into_iter()), 3);
        assert_eq!(decimals([1.234e-9].into_iter()), 11);
        assert_eq!(decimals([f64::NAN, f64::INFINITY].into_iter()), 0);
        assert_eq!(decimals([5e-324].into_iter()), 12);
        // HTA rounds to two decimals: a third would be made up.
        assert_eq!(decimals([4.83, 8.93].into_iter()), 2);
        assert_eq!(decimals([0.39, 1.0].into_iter()), 2);
    }

    #[test]
    fn difference_has_arrow_and_sign() {
        assert_eq!(difference(1307.7, float(1307.7, 1)), "▲ +1,307.7");
        assert_eq!(difference(-2698.1, float(-2698.1, 1)), "▼ −2,698.1");
        assert_eq!(difference(-0.01, float(-0.01, 1)), "▼ −0.010");
        assert_eq!(difference(0.0, float(0.0, 1)), "0.0");
    }
}
