//! The text of a JSON number → exact integers. Nothing passes through a float on the way.

use super::Odd;

/// Decimal µs → whole nanoseconds, exact; digits beyond the third decimal round half away from zero.
pub(crate) fn nanos(text: &[u8]) -> Result<i64, Odd> {
    let scaled = if let Some(value) = short(text, 3) { value } else { scale(text, 3)?.0 };
    Ok(scaled)
}

/// A whole number.
pub(crate) fn integer(text: &[u8]) -> Result<i64, Odd> {
    if let Some(value) = short(text, 0) {
        return Ok(value);
    }
    match scale(text, 0)? {
        (value, true) => Ok(value),
        (_, false) => Err(Odd::Fraction),
    }
}

/// The nearest double.
pub(crate) fn as_f64(text: &[u8]) -> Result<f64, Odd> {
    let value = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()).ok_or(Odd::NotANumber)?;
    if value.is_finite() { Ok(value) } else { Err(not_digits(text).unwrap_or(Odd::HugeInteger)) }
}

/// Whether Python's json makes a float of it.
pub(crate) fn is_float(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E' | b'N' | b'I'))
}

/// The common case: up to 18 digits, which 64 bits hold, at most `places` of them behind a point, no exponent.
#[inline]
fn short(text: &[u8], places: usize) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        all => (false, all),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut value: i64 = 0;
    let mut point = None;
    for (position, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => value = value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0')),
            b'.' if point.is_none() && position > 0 => point = Some(position),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |point| digits.len() - point - 1);
    // Nineteen may be too many, and have wrapped.
    if digits.len() - usize::from(point.is_some()) > 18 || decimals > places || (point.is_some() && decimals == 0) {
        return None;
    }
    let power = [1, 10, 100, 1000][places - decimals];
    let value = value.checked_mul(power)?;
    Some(if negative { -value } else { value })
}

/// Any JSON number × 10^places as an integer, and whether that is exact.
fn scale(text: &[u8], places: i32) -> Result<(i64, bool), Odd> {
    if let Some(odd) = not_digits(text) {
        return Err(odd);
    }
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    let (mantissa, exponent) = match rest.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&rest[..at], exponent(&rest[at + 1..])?),
        None => (rest, 0),
    };
    let (whole, decimals) = match mantissa.iter().position(|&byte| byte == b'.') {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &[][..]),
    };
    if whole.is_empty() && decimals.is_empty() {
        return Err(Odd::NotANumber);
    }
    // The digits that stand left of the point once it has moved by exponent + places, then the first one right of it.
    let left = whole.len() as i64 + i64::from(exponent) + i64::from(places);
    let mut digits = whole.iter().chain(decimals);
    let total = (whole.len() + decimals.len()) as i64;
    let mut value: i128 = 0;
    for position in 0..left.min(total) {
        let _ = position;
        let Some(&byte) = digits.next() else { break };
        if !byte.is_ascii_digit() {
            return Err(Odd::NotANumber);
        }
        value = value * 10 + i128::from(byte - b'0');
        if value > i128::from(i64::MAX) + 1 {
            return Err(Odd::HugeInteger);
        }
    }
    for _ in total..left {
        value *= 10;
        if value == 0 {
            break;
        }
        if value > i128::from(i64::MAX) + 1 {
            return Err(Odd::HugeInteger);
        }
    }
    let mut exact = true;
    if left >= 0 {
        for (position, &byte) in digits.enumerate() {
            if !byte.is_ascii_digit() {
                return Err(Odd::NotANumber);
            }
            exact &= byte == b'0';
            if position == 0 && byte >= b'5' {
                value += 1;
            }
        }
    } else {
        exact = digits.all(|&byte| byte == b'0');
    }
    let value = if negative { -value } else { value };
    i64::try_from(value).map(|value| (value, exact)).map_err(|_| Odd::HugeInteger)
}

fn exponent(text: &[u8]) -> Result<i32, Odd> {
    let text = std::str::from_utf8(text).map_err(|_| Odd::NotANumber)?;
    let value: i64 = text.strip_prefix('+').unwrap_or(text).parse().map_err(|_| Odd::NotANumber)?;
    Ok(value.clamp(-1_000_000, 1_000_000) as i32)
}

/// Why a token that starts like no number is none; `None` for one that may be.
fn not_digits(text: &[u8]) -> Option<Odd> {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    match unsigned.first() {
        Some(b'0'..=b'9' | b'.' | b'+') => None,
        Some(b'N' | b'I' | b'i' | b'n') if unsigned != b"null" => Some(Odd::NotFinite),
        _ => Some(Odd::NotANumber),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_become_nanoseconds_digit_by_digit() {
        for (text, expected) in [
            ("0", 0),
            ("-0", 0),
            ("5", 5_000),
            ("-5", -5_000),
            ("4203669604595.407", 4_203_669_604_595_407),
            ("1716423327123456.789", 1_716_423_327_123_456_789),
            ("340.024", 340_024),
            ("0.001", 1),
            ("-0.001", -1),
            ("1.5", 1_500),
            ("1.50", 1_500),
            ("1.5e3", 1_500_000),
            ("15E-1", 1_500),
            ("1e-3", 1),
            ("0.0005", 1),
            ("0.00049", 0),
            ("-0.0005", -1),
            ("1e-9", 0),
            ("1.7e15", 1_700_000_000_000_000_000),
            ("1661203462598738", 1_661_203_462_598_738_000),
            ("9223372036854775.807", i64::MAX),
            ("-9223372036854775.808", i64::MIN),
        ] {
            assert_eq!(nanos(text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_says_so() {
        for (text, odd) in [
            ("NaN", Odd::NotFinite),
            ("Infinity", Odd::NotFinite),
            ("-Infinity", Odd::NotFinite),
            ("9223372036854775.808", Odd::HugeInteger),
            ("123456789012345678901234567890", Odd::HugeInteger),
            ("1e300", Odd::HugeInteger),
            ("1e999999999999", Odd::HugeInteger),
            ("true", Odd::NotANumber),
            ("1x", Odd::NotANumber),
            ("1.2.3", Odd::NotANumber),
            ("", Odd::NotANumber),
            ("-", Odd::NotANumber),
            ("0x0", Odd::NotANumber),
        ] {
            assert_eq!(nanos(text.as_bytes()), Err(odd), "{text}");
        }
        assert_eq!(nanos(b"0e999999999999"), Ok(0));
    }

    #[test]
    fn whole_numbers_may_be_written_with_a_point() {
        assert_eq!(integer(b"4294967295"), Ok(4_294_967_295));
        assert_eq!(integer(b"-1"), Ok(-1));
        assert_eq!(integer(b"3.0"), Ok(3));
        assert_eq!(integer(b"3e2"), Ok(300));
        assert_eq!(integer(b"3.5"), Err(Odd::Fraction));
        assert_eq!(integer(b"9223372036854775807"), Ok(i64::MAX));
        assert_eq!(integer(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(integer(b"9223372036854775808"), Err(Odd::HugeInteger));
    }
}
