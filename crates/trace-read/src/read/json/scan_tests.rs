//! Tests of the scanner: where values end, complete or cut.
#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn strings_end_at_the_first_unescaped_quote() {
    for (text, inner) in [
        (r#""" "#, ""),
        (r#""abc","#, "abc"),
        (r#""a\"b" "#, r#"a\"b"#),
        (r#""ends in a backslash \\","#, r"ends in a backslash \\"),
        (r#""0123456\"89 and much longer than eight bytes"}"#, r#"0123456\"89 and much longer than eight bytes"#),
    ] {
        assert_eq!(Scanner::new(text.as_bytes()).value().unwrap(), Raw::Text(inner.as_bytes()), "{text}");
    }
}

#[test]
fn cut_value_stops_for_more_text() {
    let whole = r#"{"a": [1, {"b\"]": "x\\"}], "c": "}"}"#;
    for cut in 0..whole.len() {
        assert_eq!(Scanner::new(&whole.as_bytes()[..cut]).value(), Err(Stop::More), "{cut}");
    }
    assert_eq!(Scanner::new(whole.as_bytes()).value().unwrap(), Raw::Nested(whole.as_bytes()));
}

#[test]
fn skipped_value_ends_at_the_same_byte_in_any_slices() {
    for whole in [r#"{"a": [1, {"b\"]": "x\\"}], "c": "}"}"#, r#""te\"xt,}""#, "12.5", "[[[]]]"] {
        let text = format!("{whole},more");
        for step in 1..text.len() {
            let mut skipper = Skipper::default();
            let mut used = 0;
            for piece in text.as_bytes().chunks(step) {
                let (taken, done) = skipper.feed(piece);
                used += taken;
                if done {
                    break;
                }
            }
            assert_eq!(used, whole.len(), "{whole} by {step}");
        }
    }
}
