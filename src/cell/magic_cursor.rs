//! Where the cursor stands in a magic line: what completion and inspection start from.

use super::segment::{Head, stretches_while_typing};
use super::words::{Unclosed, Word, lex};

/// The magic line that the cursor stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caret<'cell> {
    /// The name as typed so far, without `%`.
    pub name: &'cell str,
    /// The place of the cursor.
    pub spot: Spot<'cell>,
}

/// The place of the cursor in a magic line. All offsets are bytes of the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot<'cell> {
    /// In the `%name`.
    Name {
        /// Where the `%` stands, or the name if it has none (`?name`).
        start: usize,
        /// The text from there to the cursor.
        typed: &'cell str,
    },
    /// Behind the name.
    Argument {
        /// The words before the one at the cursor.
        before: Vec<Word>,
        /// Where the word at the cursor starts; the cursor itself if it stands behind a blank.
        start: usize,
        /// The text from there to the cursor, quotes included.
        typed: &'cell str,
        /// The quote or brace that is open at the cursor, its place counted from `start`.
        open: Option<Unclosed>,
    },
}

/// The magic line around byte `at` of the cell; `None` if Rust stands there.
pub fn caret(code: &str, at: usize) -> Option<Caret<'_>> {
    let at = (0..=at.min(code.len())).rev().find(|&at| code.is_char_boundary(at))?;
    let head = stretches_while_typing(code)
        .into_iter()
        .filter_map(|stretch| stretch.head)
        .find(|head| head.sigil <= at && at <= line_end(code, head))?;
    let name = &code[head.name.clone()];
    if at <= head.name.end {
        return Some(Caret { name, spot: Spot::Name { start: head.sigil, typed: &code[head.sigil..at] } });
    }
    let base = head.name.end;
    let text = &code[base..at];
    let (mut before, open) = lex(text);
    let current = before.pop_if(|last| last.range.end == text.len() && (open.is_some() || !ends_blank(text)));
    let start = current.map_or(text.len(), |word| word.range.start);
    let open = open.map(|open| Unclosed { at: open.at - start, ..open });
    Some(Caret { name, spot: Spot::Argument { before, start: base + start, typed: &text[start..], open } })
}

fn ends_blank(text: &str) -> bool {
    text.ends_with(char::is_whitespace)
}

/// The end of the line that the magic stands on, without the line break.
fn line_end(code: &str, head: &Head) -> usize {
    code[head.sigil..].find('\n').map_or(code.len(), |length| head.sigil + length)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Words before, what is typed, where it starts, the open quote.
    type Typed = (usize, String, usize, Option<char>);

    /// The caret at the `|` of `code`.
    fn spot(code: &str) -> Option<(String, Option<Typed>)> {
        let at = code.find('|').unwrap();
        let code = code.replacen('|', "", 1);
        caret(&code, at).map(|caret| {
            let spot = match caret.spot {
                Spot::Name { .. } => None,
                Spot::Argument { before, start, typed, open } => {
                    Some((before.len(), typed.to_owned(), start, open.map(|open| open.open)))
                }
            };
            (caret.name.to_owned(), spot)
        })
    }

    #[test]
    fn a_name_is_typed_from_its_percent() {
        assert_eq!(spot("%|"), Some((String::new(), None)));
        assert_eq!(spot("%tra|ce"), Some(("trace".into(), None)));
        assert_eq!(spot("let df = %comp|"), Some(("comp".into(), None)));
        assert_eq!(spot("?%tra|"), Some(("tra".into(), None)));
        assert_eq!(spot("let x = 1;\n%a|"), Some(("a".into(), None)));
    }

    #[test]
    fn arguments_are_counted_up_to_the_cursor() {
        assert_eq!(spot("%m |"), Some(("m".into(), Some((0, String::new(), 3, None)))));
        assert_eq!(spot("%m a b|c d"), Some(("m".into(), Some((1, "b".into(), 5, None)))));
        assert_eq!(spot("%m a --f=x|"), Some(("m".into(), Some((1, "--f=x".into(), 5, None)))));
        assert_eq!(spot("%m \"a b|"), Some(("m".into(), Some((0, "\"a b".into(), 3, Some('"'))))));
        assert_eq!(spot("%m x{a.|"), Some(("m".into(), Some((0, "x{a.".into(), 3, Some('{'))))));
        assert_eq!(spot("%m \"a |"), Some(("m".into(), Some((0, "\"a ".into(), 3, Some('"'))))));
    }

    #[test]
    fn rust_is_none_of_its_business() {
        assert_eq!(spot("let x = a|;"), None);
        assert_eq!(spot("let x = \"\n%a|\";"), None);
        assert_eq!(spot("%m a\nlet |"), None);
        assert_eq!(spot("le|t df = %m"), None);
        assert_eq!(spot("%%m a\nbo|dy"), None);
    }

    #[test]
    fn any_offset_is_answered() {
        let code = "%é ä\n\"ö\n%x";
        for at in 0..code.len() + 3 {
            caret(code, at);
        }
    }
}
