//! JSON strings: the text between two quotes → a string, whatever the text contains.

use super::quotes::string_end;
use crate::read::{Anomaly, AnomalyCounts};
use std::borrow::Cow;

/// Unescapes a text; invalid UTF-8, lone surrogates and unknown escapes are repaired and counted.
#[inline]
pub fn decode<'a>(raw: &'a [u8], anomalies: &mut AnomalyCounts) -> Cow<'a, str> {
    if !raw.contains(&b'\\') {
        return lossy(raw, anomalies);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut broken = false;
    let mut rest = raw;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        bytes.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let plain = match rest.first() {
            Some(b'"') => b'"',
            Some(b'\\') => b'\\',
            Some(b'/') => b'/',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let (character, used) = unicode(rest);
                broken |= character.is_none();
                let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[used..];
                continue;
            }
            // `C:\path`: keep the backslash.
            _ => {
                broken = true;
                bytes.push(b'\\');
                continue;
            }
        };
        bytes.push(plain);
        rest = &rest[1..];
    }
    bytes.extend_from_slice(rest);
    if broken {
        anomalies.note(Anomaly::BadEscape);
    }
    Cow::Owned(owned(bytes, anomalies))
}

/// Returns the text of a JSON value on one line: outside texts, white space is one blank after each comma and colon.
#[inline]
pub fn compact(raw: &[u8], anomalies: &mut AnomalyCounts) -> String {
    // Kineto writes most lists in this form.
    if is_compact(raw) {
        return lossy(raw, anomalies).into_owned();
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b',' | b':' => bytes.extend_from_slice(&[byte, b' ']),
            b'"' => {
                let (text, after) = after.split_at(text_length(after));
                bytes.push(b'"');
                bytes.extend_from_slice(text);
                rest = after;
            }
            other => bytes.push(other),
        }
    }
    owned(bytes, anomalies)
}

/// Tells whether JSON has blanks where [`compact`] writes them, and no other white space.
#[inline]
fn is_compact(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => return false,
            b',' | b':' => match after.split_first() {
                Some((b' ', after)) => rest = after,
                _ => return false,
            },
            b'"' => rest = &after[text_length(after)..],
            _ => {}
        }
    }
    true
}

/// Returns the bytes of a text from behind its first quote, with its last quote; all that is left if it has none.
#[inline]
fn text_length(raw: &[u8]) -> usize {
    string_end(raw, 0).map_or(raw.len(), |(last, _)| last + 1)
}

/// Returns a text; invalid UTF-8 is repaired and counted.
#[inline]
fn lossy<'a>(bytes: &'a [u8], anomalies: &mut AnomalyCounts) -> Cow<'a, str> {
    // Faster than the repair is where nothing is to be repaired.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(repaired(bytes, anomalies)),
    }
}

/// Returns a text like [`lossy`], without a copy.
#[inline]
fn owned(bytes: Vec<u8>, anomalies: &mut AnomalyCounts) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| repaired(error.as_bytes(), anomalies))
}

#[cold]
fn repaired(bytes: &[u8], anomalies: &mut AnomalyCounts) -> String {
    anomalies.note(Anomaly::InvalidUtf8);
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the character of `uXXXX`, or of a surrogate pair of two, and the number of bytes used.
#[inline]
fn unicode(text: &[u8]) -> (Option<char>, usize) {
    let Some(first) = hex(text) else { return (None, 1) };
    if let Some(character) = char::from_u32(first) {
        return (Some(character), 5);
    }
    let second = text.get(5).filter(|&&byte| byte == b'\\').and_then(|_| hex(&text[6..]));
    match second {
        Some(low @ 0xDC00..=0xDFFF) if first < 0xDC00 => {
            (char::from_u32(0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00)), 11)
        }
        _ => (None, 5),
    }
}

/// Returns the number in `uXXXX`.
#[inline]
fn hex(text: &[u8]) -> Option<u32> {
    let digits = text.get(1..5).filter(|_| text[0] == b'u')?;
    digits.iter().try_fold(0, |value, &byte| Some(value * 16 + char::from(byte).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::Random;

    fn read(raw: &[u8]) -> (String, bool) {
        let mut anomalies = AnomalyCounts::default();
        let text = decode(raw, &mut anomalies).into_owned();
        (text, anomalies != AnomalyCounts::default())
    }

    #[test]
    fn valid_text_equals_serde_json() {
        for raw in [r"plain", r"a\nb\t\/\\\u0041\u00e9", r"\ud83d\ude00 x", "é"] {
            let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
            assert_eq!(read(raw.as_bytes()), (expected, false), "{raw}");
        }
    }

    #[test]
    fn invalid_text_is_kept_as_far_as_readable() {
        assert_eq!(read(br"C:\path"), (r"C:\path".to_owned(), true));
        assert_eq!(read(br"\ud83d x"), ("\u{fffd} x".to_owned(), true));
        assert_eq!(read(br"\ud83d\u0041"), ("\u{fffd}A".to_owned(), true));
        assert_eq!(read(br"\u12"), ("\u{fffd}12".to_owned(), true));
        assert_eq!(read(b"a\xffb"), ("a\u{fffd}b".to_owned(), true));
    }

    #[test]
    fn lists_become_one_line() {
        let mut anomalies = AnomalyCounts::default();
        assert_eq!(compact(b"[\n  [1,2 ],\t[ \"a b, \\\"c\" ]]", &mut anomalies), r#"[[1, 2], ["a b, \"c"]]"#);
    }

    /// Writes bytes one by one as [`compact`] does.
    fn by_bytes(raw: &[u8]) -> String {
        let (mut bytes, mut in_text, mut escaped) = (Vec::new(), false, false);
        for &byte in raw {
            match byte {
                _ if in_text => bytes.push(byte),
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b',' | b':' => bytes.extend([byte, b' ']),
                _ => bytes.push(byte),
            }
            let is_open = if in_text { escaped || byte != b'"' } else { byte == b'"' };
            escaped = in_text && !escaped && byte == b'\\';
            in_text = is_open;
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn any_bytes_become_one_line() {
        let mut random = Random::new(1);
        let mut already = 0;
        for round in 0..40_000 {
            let alphabet: &[u8] = if round % 2 == 0 { b"\"\\,: 1[" } else { b"[]{},: \t\n\"\\1a\xff" };
            let mut raw: Vec<u8> = (0..random.below(14)).map(|_| alphabet[random.below(alphabet.len())]).collect();
            if round % 4 == 0 {
                raw = by_bytes(&raw).into_bytes();
            }
            already += usize::from(is_compact(&raw));
            let expected = by_bytes(&raw);
            let mut anomalies = AnomalyCounts::default();
            assert_eq!(compact(&raw, &mut anomalies), expected, "{:?}", String::from_utf8_lossy(&raw));
            let is_repaired = anomalies != AnomalyCounts::default();
            assert_eq!(is_repaired, expected.contains(char::REPLACEMENT_CHARACTER), "{raw:?}");
        }
        assert!((10_000..30_000).contains(&already), "{already}");
    }
}
