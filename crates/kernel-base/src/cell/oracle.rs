//! Oracle of the tests and the fuzzer: invariants that hold for any cell and any magic line.
#![allow(missing_docs, clippy::unwrap_used)]

use super::segment::{MagicForm, SegmentSpan, segment_spans, segment_spans_while_typing};
use super::words::lex;
use super::{Completeness, CursorPosition, Piece, Unclosed, is_complete, magic_cursor, segments, words};

/// Checks segments, the magic at each cursor, and completeness of a cell.
pub fn cell(code: &str) {
    let spans = segment_spans(code);
    for spans in [&spans, &segment_spans_while_typing(code)] {
        are_consecutive(code, spans);
    }
    assert!(segments(code).len() <= spans.len());
    for SegmentSpan { range, head } in &spans {
        let Some(head) = head else { continue };
        let name = &code[head.name.clone()];
        assert!(head.sigil <= head.name.start && head.name.end <= head.args.start, "{head:?}");
        assert!(!name.is_empty() && !name.contains(char::is_whitespace), "{name:?}");
        assert!(!code[head.args.clone()].contains('\n'), "arguments are on one line");
        // A magic line alone in a cell is the same magic line, except `%%`, whose meaning depends on the line.
        if head.form == MagicForm::Line && !name.starts_with('%') {
            let alone = segment_spans(&code[range.clone()]);
            let [SegmentSpan { head: Some(again), .. }] = alone.as_slice() else { panic!("{alone:?}") };
            assert_eq!(&code[range.clone()][again.name.clone()], name);
        }
    }
    if let Completeness::Incomplete { indent } = is_complete(code, &|name| name == "trace_sql") {
        assert!(indent.chars().all(|blank| matches!(blank, ' ' | '\t')), "{indent:?}");
    }
    for at in cursors(code) {
        cursor(code, at);
    }
}

/// Returns every offset of a short text, and a sample with the ends of a long one: each check takes time linear in its length.
fn cursors(code: &str) -> impl Iterator<Item = usize> {
    let step = 1 + code.len() / 64;
    (0..=code.len() + 1).step_by(step).chain(code.len().saturating_sub(4)..=code.len())
}

fn are_consecutive(code: &str, spans: &[SegmentSpan]) {
    let mut at = 0;
    for SegmentSpan { range, head } in spans {
        assert_eq!(range.start, at, "a gap or an overlap");
        assert!(!range.is_empty() && code.is_char_boundary(range.end), "{range:?}");
        if let Some(head) = head {
            assert!(range.start <= head.sigil && head.args.end <= range.end, "{head:?} in {range:?}");
        }
        at = range.end;
    }
    assert_eq!(at, code.len(), "the end is missing");
}

fn cursor(code: &str, at: usize) {
    let Some(found) = magic_cursor(code, at) else { return };
    let at = (0..=at.min(code.len())).rev().find(|&at| code.is_char_boundary(at)).unwrap();
    match found.position {
        CursorPosition::Name { start, typed } => assert_eq!(&code[start..at], typed),
        CursorPosition::Argument { start, typed, open, .. } => {
            assert_eq!(&code[start..at], typed);
            if let Some(Unclosed { open, at }) = open {
                assert!(typed[at..].starts_with(open), "{open:?} at {at} of {typed:?}");
            }
        }
    }
}

/// Checks the words of a magic line.
pub fn line(line: &str) {
    let (found, unclosed) = lex(line);
    assert_eq!(words(line).err(), unclosed);
    let mut at = 0;
    for word in &found {
        assert!(at <= word.range.start && word.range.start < word.range.end, "{:?}", word.range);
        assert!(line[at..word.range.start].trim().is_empty(), "text between two words");
        at = word.range.end;
        let _ = word.as_flag();
        if let [Piece::Text { text, quoted: false }] = word.pieces.as_slice()
            && !line[word.range.clone()].contains('\\')
        {
            assert_eq!(text, &line[word.range.clone()], "bare text is unchanged");
        }
    }
    assert!(matches!(line[at..].trim(), "" | ";"), "text behind the last word");
    if let Some(Unclosed { open, at }) = unclosed {
        assert!(line[at..].starts_with(open));
    }
    let text = line.replace('\'', "");
    let quoted = words(&format!("a '{text}' b")).unwrap();
    assert_eq!(quoted.len(), 3);
    assert_eq!(quoted[1].pieces, [Piece::Text { text, quoted: true }]);
}
