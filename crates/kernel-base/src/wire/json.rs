//! A lenient JSON reader: replaces unpaired surrogates, which JavaScript writes for half an emoji, and bytes that are not UTF-8 by
//! U+FFFD.

use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// Parses JSON text with the replacements of this module.
///
/// # Errors
/// If the text is not JSON.
pub(super) fn read<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    match serde_json::from_slice(text) {
        Ok(value) => Ok(value),
        // Nearly all messages are valid, so only an invalid one is parsed twice.
        Err(error) => match repaired(text) {
            Cow::Borrowed(_) => Err(error),
            Cow::Owned(text) => serde_json::from_str(&text),
        },
    }
}

/// Replaces bytes that are not UTF-8 and unpaired surrogates by U+FFFD; returns the text borrowed if it has neither.
pub(super) fn repaired(text: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(text);
    let mut whole = String::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        match unit(&text[at..]) {
            Some(0xD800..=0xDBFF) if matches!(unit(&text[at + 6..]), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                whole.push_str(&text[from..at]);
                whole.push_str("\\ufffd");
                at += 6;
                from = at;
            }
            _ => {
                // Skips the escaped character, which may be a backslash.
                let escaped = text[at + 1..].chars().next().map_or(0, char::len_utf8);
                at += 1 + escaped;
            }
        }
    }
    if from == 0 {
        return text;
    }
    whole.push_str(&text[from..]);
    Cow::Owned(whole)
}

/// Returns the UTF-16 unit of an escape like `\u00e9` at the start of `text`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    fn read(text: impl AsRef<[u8]>) -> Value {
        super::read(text.as_ref()).unwrap()
    }

    #[test]
    fn unpaired_surrogates_are_replaced() {
        assert_eq!(read(r#"{"a": "x \ud83d y"}"#), json!({"a": "x \u{fffd} y"}));
        assert_eq!(read(r#"["\ud83d\ude00\ud83d", "\uDE00\ud83d"]"#), json!(["\u{1f600}\u{fffd}", "\u{fffd}\u{fffd}"]));
        assert_eq!(read(r#"{"\ud83d": "\\ud83d \ud83d\\"}"#), json!({"\u{fffd}": "\\ud83d \u{fffd}\\"}));
        assert_eq!(read(r#"["\ud83d\u0041", "\ud83dé"]"#), json!(["\u{fffd}A", "\u{fffd}é"]));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(read(b"{\"a\": \"x\xffy\"}"), json!({"a": "x\u{fffd}y"}));
        assert_eq!(read(b"[\"\\ud83d\xed\xa0\xbd\"]")[0].as_str().unwrap().replace('\u{fffd}', ""), "");
    }

    #[test]
    fn invalid_json_stays_an_error() {
        for text in [&b"{"[..], b"\xff", br#"["\ud83"]"#, br#"["\u"#, br#"["\"#, br#"["\ud83d"#, br#"{"a": \ud83d}"#] {
            assert!(super::read::<Value>(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn valid_text_is_borrowed() {
        assert!(matches!(repaired(r#"["\ud83d\ude00 é \\ud83d"]"#.as_bytes()), Cow::Borrowed(_)));
    }
}
