//! Numbers: the text of a JSON number → exact integers, without a detour through floats.

use super::bytes::ends_token;
use crate::read::Anomaly;

/// A number or a word, as it is in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// As it is written.
    pub text: &'a [u8],
    pub(super) decimal: Decimal,
}

/// Value of a short number: `mantissa` / 10^`decimals`. Sixteen bytes without padding, which fit into two registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    mantissa: i64,
    /// [`UNREAD`] unless the text is such a number.
    decimals: u32,
    /// Length of the text, in bytes.
    length: u32,
}

const UNREAD: u32 = u32::MAX;

impl Default for Decimal {
    #[inline]
    fn default() -> Self {
        Self::UNREAD
    }
}

impl Decimal {
    pub(super) const UNREAD: Self = Self { mantissa: 0, decimals: UNREAD, length: 0 };

    /// Whether the number was parsed: all but [`Self::UNREAD`].
    #[inline]
    pub(super) fn is_read(self) -> bool {
        self.decimals != UNREAD
    }

    /// Returns the length of the text, in bytes.
    #[inline]
    pub(super) fn length(self) -> usize {
        self.length as usize
    }
}

const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < 19 {
        powers[at] = 10 * powers[at - 1];
        at += 1;
    }
    powers
};

/// Bytes of text that are examined: enough for any short number and the byte after it.
const EXAMINED: usize = 40;

/// Parses the number at the start of a text that continues after it: digits with at most one point, within 64 bits.
/// [`Decimal::UNREAD`] for any other number, and near the end of the text.
#[inline(always)]
pub(super) fn decimal(text: &[u8]) -> Decimal {
    let small = small(text);
    if small.is_read() { small } else { long(text).unwrap_or(Decimal::UNREAD) }
}

#[inline(never)]
fn long(text: &[u8]) -> Option<Decimal> {
    let text: &[u8; EXAMINED] = text.first_chunk()?;
    let sign = usize::from(text[0] == b'-');
    let (mut mantissa, mut digits) = up_to_eight_digits(word(text, sign)?);
    if digits == 8 {
        let (more, count) = up_to_eight_digits(word(text, sign + 8)?);
        (mantissa, digits) = (mantissa * POWERS[count] + more, 8 + count);
        if count == 8 {
            let (more, count) = up_to_eight_digits(word(text, sign + 16)?);
            (mantissa, digits) = (mantissa.checked_mul(POWERS[count])?.checked_add(more)?, 16 + count);
        }
    }
    let (mut length, mut decimals) = (sign + digits, 0);
    if text[length] == b'.' {
        let (fraction, count) = up_to_eight_digits(word(text, length + 1)?);
        mantissa = mantissa.checked_mul(POWERS[count])?.checked_add(fraction)?;
        (length, decimals) = (length + 1 + count, count);
        if matches!(decimals, 0 | 8) {
            return None;
        }
    }
    let mantissa = if sign == 1 { -mantissa } else { mantissa };
    let ended = digits > 0 && ends_token(text[length]);
    ended.then_some(Decimal { mantissa, decimals: decimals as u32, length: length as u32 })
}

/// Parses the unsigned integer of up to seven digits at the start of a text that continues after it.
#[inline(always)]
fn small(text: &[u8]) -> Decimal {
    let Some(word) = text.first_chunk() else { return Decimal::UNREAD };
    let word = u64::from_le_bytes(*word);
    let (mantissa, digits) = up_to_eight_digits(word);
    if ended(word, digits) { Decimal { mantissa, decimals: 0, length: digits as u32 } } else { Decimal::UNREAD }
}

/// Returns the length of the unsigned integer of up to seven digits at the start of a text.
#[inline(always)]
pub(super) fn small_length(text: &[u8]) -> Option<usize> {
    let word = u64::from_le_bytes(*text.first_chunk()?);
    let digits = leading_digits(word ^ ZEROS);
    ended(word, digits).then_some(digits)
}

/// Whether a number of `digits` digits ends within the word.
#[inline(always)]
fn ended(word: u64, digits: usize) -> bool {
    (1..8).contains(&digits) && ends_token((word >> (8 * digits)) as u8)
}

#[inline]
fn word(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

/// The bytes `00000000`.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Returns how many bytes, from the lowest on, are below ten.
#[inline]
const fn leading_digits(word: u64) -> usize {
    // Only a byte that is not a digit carries into the next one.
    let non_digits = (word.wrapping_add(0x0606_0606_0606_0606) | word) & 0xf0f0_f0f0_f0f0_f0f0;
    non_digits.trailing_zeros() as usize / 8
}

/// Parses the digits at the start of eight bytes: returns their value and their count. Combines neighbours, then pairs, then
/// fours.
#[inline]
fn up_to_eight_digits(text: u64) -> (i64, usize) {
    let word = text ^ ZEROS;
    let digits = leading_digits(word);
    // Shifts leading zeros in. Without digits the result is meaningless, and the last line drops it.
    let word = word << ((64 - 8 * digits as u32) & 63);
    let pairs = word.wrapping_mul(10 * 256 + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 * 65_536 + 1) >> 16 & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000 * 4_294_967_296 + 1) >> 32;
    (if digits == 0 { 0 } else { eight as i64 }, digits)
}

impl<'a> Token<'a> {
    /// Creates the token of a text that was not parsed yet.
    #[inline]
    pub fn of(text: &'a [u8]) -> Self {
        Self { text, decimal: Decimal::UNREAD }
    }

    /// Converts decimal µs to whole nanoseconds, exactly; digits beyond the third decimal round half away from zero.
    #[inline]
    pub fn nanos(&self) -> Result<i64, Anomaly> {
        let Decimal { mantissa, decimals, .. } = self.decimal;
        if decimals <= 3
            && let Some(nanos) = mantissa.checked_mul(POWERS[3 - decimals as usize])
        {
            return Ok(nanos);
        }
        self.nanos_of_text()
    }

    /// Converts what [`Decimal`] cannot hold.
    #[cold]
    fn nanos_of_text(&self) -> Result<i64, Anomaly> {
        Ok(scale(self.text, 3)?.0)
    }

    /// Returns the value of an integer.
    #[inline]
    pub fn integer(&self) -> Result<i64, Anomaly> {
        if self.decimal.decimals == 0 {
            return Ok(self.decimal.mantissa);
        }
        self.integer_of_text()
    }

    /// Returns the value of an integer that [`Decimal`] cannot hold.
    #[cold]
    fn integer_of_text(&self) -> Result<i64, Anomaly> {
        match scale(self.text, 0)? {
            (value, true) => Ok(value),
            (_, false) => Err(Anomaly::Fraction),
        }
    }

    /// Returns the nearest double.
    #[inline]
    pub fn as_f64(&self) -> Result<f64, Anomaly> {
        let Decimal { mantissa, decimals, .. } = self.decimal;
        // Both are exact doubles, so that the quotient is rounded only once.
        if decimals != UNREAD && mantissa.unsigned_abs() < 1 << 53 && mantissa != 0 {
            return Ok(mantissa as f64 / POWERS[decimals as usize] as f64);
        }
        let text = self.text;
        let value =
            std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()).ok_or(Anomaly::NotANumber)?;
        if value.is_finite() { Ok(value) } else { Err(anomaly_at_start(text).unwrap_or(Anomaly::HugeInteger)) }
    }

    /// Whether Python's json would parse it as a float.
    #[inline]
    pub fn is_float(&self) -> bool {
        match self.decimal.decimals {
            UNREAD => self.text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E' | b'N' | b'I')),
            decimals => decimals > 0,
        }
    }
}

/// Returns any JSON number × 10^power as an integer, and whether that is exact.
#[inline]
fn scale(text: &[u8], power: i32) -> Result<(i64, bool), Anomaly> {
    if let Some(anomaly) = anomaly_at_start(text) {
        return Err(anomaly);
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
        return Err(Anomaly::NotANumber);
    }
    // The digits left of the point once it has moved by exponent + power, then the first one right of it.
    let left = whole.len() as i64 + i64::from(exponent) + i64::from(power);
    let mut digits = whole.iter().chain(decimals);
    let total = (whole.len() + decimals.len()) as i64;
    let mut value: i128 = 0;
    for position in 0..left.min(total) {
        let _ = position;
        let Some(&byte) = digits.next() else { break };
        if !byte.is_ascii_digit() {
            return Err(Anomaly::NotANumber);
        }
        value = value * 10 + i128::from(byte - b'0');
        if value > i128::from(i64::MAX) + 1 {
            return Err(Anomaly::HugeInteger);
        }
    }
    for _ in total..left {
        value *= 10;
        if value == 0 {
            break;
        }
        if value > i128::from(i64::MAX) + 1 {
            return Err(Anomaly::HugeInteger);
        }
    }
    let mut exact = true;
    if left >= 0 {
        for (position, &byte) in digits.enumerate() {
            if !byte.is_ascii_digit() {
                return Err(Anomaly::NotANumber);
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
    i64::try_from(value).map(|value| (value, exact)).map_err(|_| Anomaly::HugeInteger)
}

#[inline]
fn exponent(text: &[u8]) -> Result<i32, Anomaly> {
    let text = std::str::from_utf8(text).map_err(|_| Anomaly::NotANumber)?;
    let value: i64 = text.strip_prefix('+').unwrap_or(text).parse().map_err(|_| Anomaly::NotANumber)?;
    Ok(value.clamp(-1_000_000, 1_000_000) as i32)
}

/// Returns the anomaly of a token that does not start like a number; `None` for one that may be a number.
#[inline]
fn anomaly_at_start(text: &[u8]) -> Option<Anomaly> {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    match unsigned.first() {
        Some(b'0'..=b'9' | b'.' | b'+') => None,
        Some(b'N' | b'I' | b'i' | b'n') if unsigned != b"null" => Some(Anomaly::NotFinite),
        _ => Some(Anomaly::NotANumber),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies `read` to the scanned token and to its text alone, which must give the same.
    fn scanned_and_parsed<T: PartialEq + std::fmt::Debug>(text: &[u8], read: impl Fn(&Token<'_>) -> T) -> T {
        let value = read(&Token::of(text));
        for suffix in [",", "} ", ", \"dur\": 12345678", "\n0000000000"] {
            let whole = [text, suffix.as_bytes(), &[b' '; EXAMINED]].concat();
            let decimal = decimal(&whole);
            if decimal != Decimal::UNREAD {
                assert_eq!(decimal.length(), text.len(), "{}", String::from_utf8_lossy(&whole));
                assert_eq!(read(&Token { text, decimal }), value, "{}", String::from_utf8_lossy(&whole));
            }
        }
        value
    }

    fn nanos(text: &[u8]) -> Result<i64, Anomaly> {
        scanned_and_parsed(text, |token| token.nanos())
    }

    fn integer(text: &[u8]) -> Result<i64, Anomaly> {
        scanned_and_parsed(text, |token| token.integer())
    }

    #[test]
    fn short_numbers_are_parsed_while_scanning() {
        for (text, mantissa, decimals) in [
            ("0", 0, 0),
            ("12345678", 12_345_678, 0),
            ("123456789", 123_456_789, 0),
            ("-7", -7, 0),
            ("0.5", 5, 1),
            ("5349821034512.347", 5_349_821_034_512_347, 3),
            ("1716423327123456.789", 1_716_423_327_123_456_789, 3),
            ("999999999999999999", 999_999_999_999_999_999, 0),
            ("9223372036854775807", i64::MAX, 0),
            ("-9223372036854775807", -i64::MAX, 0),
        ] {
            let whole = format!("{text}, \"dur\": 5{:EXAMINED$}", "");
            let length = text.len() as u32;
            assert_eq!(decimal(whole.as_bytes()), Decimal { mantissa, decimals, length }, "{text}");
        }
        for text in [
            "1e3",
            "1.",
            ".5",
            "-",
            "+1",
            "9223372036854775808",
            "9223372036854775.808",
            "1.23456789",
            "12x",
            "NaN",
            "1.2.3",
        ] {
            let whole = format!("{text}, \"dur\": 5{:EXAMINED$}", "");
            assert_eq!(decimal(whole.as_bytes()), Decimal::UNREAD, "{text}");
        }
    }

    #[test]
    fn doubles_equal_those_of_the_standard_library() {
        let mut random = trace_testkit::Random::new(5);
        for _ in 0..20_000 {
            let mantissa = random.next() as i64 >> random.below(64);
            let decimals = random.below(19);
            let sign = if mantissa < 0 { "-" } else { "" };
            let digits = format!("{:0>width$}", mantissa.unsigned_abs(), width = decimals + 1);
            let (whole, fraction) = digits.split_at(digits.len() - decimals);
            let text = if decimals == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
            let double = scanned_and_parsed(text.as_bytes(), |token| token.as_f64().map(f64::to_bits));
            assert_eq!(double, Ok(text.parse::<f64>().unwrap().to_bits()), "{text}");
        }
    }

    #[test]
    fn microseconds_become_exact_nanoseconds() {
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
    fn invalid_numbers_are_anomalies() {
        for (text, anomaly) in [
            ("NaN", Anomaly::NotFinite),
            ("Infinity", Anomaly::NotFinite),
            ("-Infinity", Anomaly::NotFinite),
            ("9223372036854775.808", Anomaly::HugeInteger),
            ("123456789012345678901234567890", Anomaly::HugeInteger),
            ("1e300", Anomaly::HugeInteger),
            ("1e999999999999", Anomaly::HugeInteger),
            ("true", Anomaly::NotANumber),
            ("1x", Anomaly::NotANumber),
            ("1.2.3", Anomaly::NotANumber),
            ("", Anomaly::NotANumber),
            ("-", Anomaly::NotANumber),
            ("0x0", Anomaly::NotANumber),
        ] {
            assert_eq!(nanos(text.as_bytes()), Err(anomaly), "{text}");
        }
        assert_eq!(nanos(b"0e999999999999"), Ok(0));
    }

    #[test]
    fn integers_may_have_a_point_or_an_exponent() {
        assert_eq!(integer(b"4294967295"), Ok(4_294_967_295));
        assert_eq!(integer(b"-1"), Ok(-1));
        assert_eq!(integer(b"3.0"), Ok(3));
        assert_eq!(integer(b"3e2"), Ok(300));
        assert_eq!(integer(b"3.5"), Err(Anomaly::Fraction));
        assert_eq!(integer(b"9223372036854775807"), Ok(i64::MAX));
        assert_eq!(integer(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(integer(b"9223372036854775808"), Err(Anomaly::HugeInteger));
    }
}
