//! Texts of other programs in messages: bounded, on the screen as text, and without secrets.

use trace_core::without_secrets;

/// The most characters of a text that a message repeats.
const MOST: usize = 600;
/// The most bytes that are looked at: a hidden secret is longer than `…`.
const LOOKED_AT: usize = 16 << 10;

/// Returns the start of a text.
pub(super) fn quoted(text: &str) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(LOOKED_AT);
    let shown = shown(&text[..end]);
    match shown.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", shown[..at].trim_end()),
        None => shown,
    }
}

/// Returns the end of a text: errors of Python say there what they are.
pub(super) fn quoted_end(text: &str) -> String {
    let text = text.trim();
    let start = text.ceil_char_boundary(text.len().saturating_sub(LOOKED_AT));
    // A secret whose name is cut away would not be known: no half line is shown.
    let cut = if start > 0 { text[start..].find('\n').map_or(start, |line| start + line + 1) } else { 0 };
    let shown = shown(&text[cut..]);
    match shown.char_indices().rev().nth(MOST) {
        Some((at, c)) => format!("…{}", shown[at + c.len_utf8()..].trim_start()),
        None => shown,
    }
}

fn shown(text: &str) -> String {
    let safe = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { char::REPLACEMENT_CHARACTER } else { c };
    without_secrets(text).chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_safe() {
        assert_eq!(quoted(" a\u{1b}[31mb\n"), "a\u{fffd}[31mb");
        let long = "é".repeat(100_000);
        for text in [quoted(&long), quoted_end(&long)] {
            assert_eq!(text.chars().count(), MOST + 1, "{text}");
        }
        let lines: String = (0..10_000).map(|line| format!("line {line}\n")).collect();
        assert!(quoted(&lines).starts_with("line 0\n") && quoted_end(&lines).ends_with("line 9999"));
        assert_eq!(quoted_end("short"), "short");
    }

    #[test]
    fn secrets_are_hidden_before_a_text_is_cut() {
        let text = format!("{}token=abcdefgh{}", "x".repeat(MOST - 10), "y".repeat(MOST));
        assert!(!quoted(&text).contains("abc"), "{}", quoted(&text));
        let text = format!("token=abcdefgh{}", "y".repeat(MOST - 4));
        assert!(!quoted_end(&text).contains("abc"));
        let line = format!("password={}\nlast", "p".repeat(2 * LOOKED_AT));
        assert_eq!(quoted_end(&line), "last");
    }
}
