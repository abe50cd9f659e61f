//! Cursor in a magic line, for completion and inspection.

use super::segment::{MagicForm, MagicHead, segment_spans_while_typing};
use super::words::{Unclosed, Word, lex};

/// A magic line with the cursor in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MagicCursor<'cell> {
    /// The name as typed so far, without `%`.
    pub name: &'cell str,
    /// Where in the line the cursor is.
    pub position: CursorPosition<'cell>,
}

/// Position of the cursor in a magic line. All offsets are bytes of the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CursorPosition<'cell> {
    /// In the `%name`.
    Name {
        /// Offset of the `%`, or of the name if it has none (`?name`).
        start: usize,
        /// The text from there to the cursor.
        typed: &'cell str,
    },
    /// In the arguments.
    Argument {
        /// Words before the one at the cursor.
        before: Vec<Word>,
        /// Start of the word at the cursor; after a blank, the cursor.
        start: usize,
        /// The text from there to the cursor, quotes included.
        typed: &'cell str,
        /// Quote or brace that is open at the cursor; its offset counts from `start`.
        open: Option<Unclosed>,
    },
}

/// Returns the magic line around byte `at` of the cell; `None` in Rust.
pub fn magic_cursor(code: &str, at: usize) -> Option<MagicCursor<'_>> {
    let at = (0..=at.min(code.len())).rev().find(|&at| code.is_char_boundary(at))?;
    let head = segment_spans_while_typing(code)
        .into_iter()
        .filter_map(|segment| segment.head)
        .find(|head| head.sigil <= at && at <= line_end(code, head))?;
    let name = &code[head.name.clone()];
    if at <= head.name.end {
        return Some(MagicCursor {
            name,
            position: CursorPosition::Name { start: head.sigil, typed: &code[head.sigil..at] },
        });
    }
    let base = head.name.end;
    let text = &code[base..at];
    let (mut before, open) = lex(text);
    let current = before.pop_if(|last| last.range.end == text.len() && (open.is_some() || !ends_blank(text)));
    let start = current.map_or(text.len(), |word| word.range.start);
    let open = open.map(|open| Unclosed { at: open.at - start, ..open });
    Some(MagicCursor {
        name,
        position: CursorPosition::Argument { before, start: base + start, typed: &text[start..], open },
    })
}

/// The text of a magic that owns it: what follows its name, on its line and on the lines below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnedText<'cell> {
    /// The magic, without its `%`.
    pub name: &'cell str,
    /// The text after the name.
    pub text: &'cell str,
    /// The byte of the cell at which it begins.
    pub start: usize,
}

/// Returns the text of the magic in whose arguments, or lines below, byte `at` of the cell is.
pub fn owned_text(code: &str, at: usize) -> Option<OwnedText<'_>> {
    let spans = segment_spans_while_typing(code).into_iter();
    let (head, end) = spans.filter_map(|span| Some((span.head?, span.range.end))).find(|(head, end)| {
        let end = if head.form == MagicForm::Cell { *end } else { line_end(code, head) };
        head.form != MagicForm::Help && head.name.end < at && at <= end
    })?;
    let end = if head.form == MagicForm::Cell { end } else { line_end(code, &head) };
    let start = head.name.end;
    Some(OwnedText { name: &code[head.name.clone()], text: &code[start..end], start })
}

fn ends_blank(text: &str) -> bool {
    text.ends_with(char::is_whitespace)
}

/// Returns the end of the magic's line, without the line break.
fn line_end(code: &str, head: &MagicHead) -> usize {
    code[head.sigil..].find('\n').map_or(code.len(), |length| head.sigil + length)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Number of words before, the text of the current word, its start, the open quote.
    type Typed = (usize, String, usize, Option<char>);

    /// The magic and the position of the `|` in `code`.
    fn cursor(code: &str) -> Option<(String, Option<Typed>)> {
        let at = code.find('|').unwrap();
        let code = code.replacen('|', "", 1);
        magic_cursor(&code, at).map(|found| {
            let position = match found.position {
                CursorPosition::Name { .. } => None,
                CursorPosition::Argument { before, start, typed, open } => {
                    Some((before.len(), typed.to_owned(), start, open.map(|open| open.open)))
                }
            };
            (found.name.to_owned(), position)
        })
    }

    #[test]
    fn name_starts_at_its_percent_sign() {
        assert_eq!(cursor("%|"), Some((String::new(), None)));
        assert_eq!(cursor("%tra|ce"), Some(("trace".into(), None)));
        assert_eq!(cursor("let df = %comp|"), Some(("comp".into(), None)));
        assert_eq!(cursor("?%tra|"), Some(("tra".into(), None)));
        assert_eq!(cursor("let x = 1;\n%a|"), Some(("a".into(), None)));
    }

    #[test]
    fn arguments_before_the_cursor_are_counted() {
        assert_eq!(cursor("%m |"), Some(("m".into(), Some((0, String::new(), 3, None)))));
        assert_eq!(cursor("%m a b|c d"), Some(("m".into(), Some((1, "b".into(), 5, None)))));
        assert_eq!(cursor("%m a --f=x|"), Some(("m".into(), Some((1, "--f=x".into(), 5, None)))));
        assert_eq!(cursor("%m \"a b|"), Some(("m".into(), Some((0, "\"a b".into(), 3, Some('"'))))));
        assert_eq!(cursor("%m x{a.|"), Some(("m".into(), Some((0, "x{a.".into(), 3, Some('{'))))));
        assert_eq!(cursor("%m \"a |"), Some(("m".into(), Some((0, "\"a ".into(), 3, Some('"'))))));
    }

    #[test]
    fn cursor_in_rust_is_none() {
        assert_eq!(cursor("let x = a|;"), None);
        assert_eq!(cursor("let x = \"\n%a|\";"), None);
        assert_eq!(cursor("%m a\nlet |"), None);
        assert_eq!(cursor("le|t df = %m"), None);
        assert_eq!(cursor("%%m a\nbo|dy"), None);
    }

    #[test]
    fn text_of_a_magic_goes_to_the_end_of_its_cell() {
        let owned = |code: &str, at: &str| {
            owned_text(code, code.find(at).unwrap()).map(|owned| (owned.name.to_owned(), owned.text.to_owned()))
        };
        let of = |name: &str, text: &str| Some((name.to_owned(), text.to_owned()));
        assert_eq!(owned("%%m --x 1\nSELECT a\nFROM b", "b"), of("m", " --x 1\nSELECT a\nFROM b"));
        assert_eq!(owned("%m SELECT a\nlet b = 1;", "a"), of("m", " SELECT a"));
        assert_eq!(owned("%m SELECT a\nlet b = 1;", "b"), None);
        assert_eq!(owned("%%m x", "m"), None);
    }

    #[test]
    fn any_offset_is_accepted() {
        let code = "%é ä\n\"ö\n%x";
        for at in 0..code.len() + 3 {
            magic_cursor(code, at);
            owned_text(code, at);
        }
    }
}
