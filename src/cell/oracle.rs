//! What holds of any text that is typed: the judge of the tests and of the fuzzer.
#![allow(missing_docs, clippy::unwrap_used)]

use super::segment::{Form, Stretch, stretches, stretches_while_typing};
use super::words::lex;
use super::{Completeness, Piece, Spot, Unclosed, caret, is_complete, segments, words};

/// Holds the splitter, the search for the magic under the cursor and the answer to "is it complete?" to what they promise.
pub fn cell(code: &str) {
    let cut = stretches(code);
    for stretches in [&cut, &stretches_while_typing(code)] {
        lie_side_by_side(code, stretches);
    }
    assert!(segments(code).len() <= cut.len());
    for Stretch { range, head } in &cut {
        let Some(head) = head else { continue };
        let name = &code[head.name.clone()];
        assert!(head.sigil <= head.name.start && head.name.end <= head.args.start, "{head:?}");
        assert!(!name.is_empty() && !name.contains(char::is_whitespace), "{name:?}");
        assert!(!code[head.args.clone()].contains('\n'), "arguments stand on one line");
        // A magic line is one wherever it stands, but for `%%`, which is another thing on the first line.
        if head.form == Form::Line && !name.starts_with('%') {
            let alone = stretches(&code[range.clone()]);
            let [Stretch { head: Some(again), .. }] = alone.as_slice() else { panic!("{alone:?}") };
            assert_eq!(&code[range.clone()][again.name.clone()], name);
        }
    }
    if let Completeness::Incomplete { indent } = is_complete(code) {
        assert!(indent.chars().all(|blank| matches!(blank, ' ' | '\t')), "{indent:?}");
    }
    for at in cursors(code) {
        cursor(code, at);
    }
}

/// Every byte of a short text; of a long one the ends, since each place costs as much as the text is long.
fn cursors(code: &str) -> impl Iterator<Item = usize> {
    let step = 1 + code.len() / 64;
    (0..=code.len() + 1).step_by(step).chain(code.len().saturating_sub(4)..=code.len())
}

fn lie_side_by_side(code: &str, stretches: &[Stretch]) {
    let mut at = 0;
    for Stretch { range, head } in stretches {
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
    let Some(found) = caret(code, at) else { return };
    let at = (0..=at.min(code.len())).rev().find(|&at| code.is_char_boundary(at)).unwrap();
    match found.spot {
        Spot::Name { start, typed } => assert_eq!(&code[start..at], typed),
        Spot::Argument { start, typed, open, .. } => {
            assert_eq!(&code[start..at], typed);
            if let Some(Unclosed { open, at }) = open {
                assert!(typed[at..].starts_with(open), "{open:?} at {at} of {typed:?}");
            }
        }
    }
}

/// Holds the words of a magic line to what they promise.
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
            assert_eq!(text, &line[word.range.clone()], "bare text is as typed");
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
