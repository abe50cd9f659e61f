//! Segments of a cell: Rust and magic lines.
//!
//! # When a line is a magic
//! Never inside a string, a comment or a bracket. Elsewhere its form decides, whether or not such a magic exists, so that a
//! misspelt name gets its own message:
//!
//! * `%name …` at the first column;
//! * `%name …` after blanks, where a statement may start: at the start of the cell, after `;`, after a magic. Elsewhere it
//!   continues an expression, as rustfmt indents it: `a` ⏎ `    % b`;
//! * `x = %name …` and `let x = %name …`, which are never Rust;
//! * `%name?`, `?%name` and `?name`, at the same positions as `%name`;
//! * `%%name …` on the first line that is not blank: the rest of the cell is its body.
//!
//! The name is a word directly after the `%`, followed by a blank, a `;` or the end of the line. So `% b` at the first column
//! is Rust. A command of the engine (`:dep …`) is Rust, and a statement may start after it.

use super::engine_commands::is_command;
use super::token_walk::{TokenClass, TokenWalk};
use std::ops::Range;

/// A segment of a cell. All text is borrowed from the cell, so that its offset, and with it the line number, can be computed from
/// its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'cell> {
    /// Rust and `:commands` of the engine, unchanged.
    Rust(&'cell str),
    /// `%name args`; `bind` is the variable of `let bind = %name args`.
    Line {
        /// The variable that gets the result.
        bind: Option<&'cell str>,
        /// The magic, without its `%`. Starts with `%` if `%%name` is below the first line, where it is invalid.
        name: &'cell str,
        /// The text after the name.
        args: &'cell str,
    },
    /// `%%name args` on the first line, and the rest of the cell.
    Cell {
        /// The magic, without its `%%`.
        name: &'cell str,
        /// The text after the name, on its line.
        args: &'cell str,
        /// The lines below.
        body: &'cell str,
    },
    /// `%name?` or `?name`.
    Help {
        /// The name to explain, without `%`.
        name: &'cell str,
    },
}

/// Returns the segments of a cell in order, without Rust that is only blanks and comments.
pub fn segments(code: &str) -> Vec<Segment<'_>> {
    segment_spans(code)
        .into_iter()
        .filter(|span| span.head.is_some() || !is_trivia(span.text(code)))
        .map(|span| span.segment(code))
        .collect()
}

/// A segment as byte ranges. The spans of a cell are consecutive, without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SegmentSpan {
    pub(super) range: Range<usize>,
    /// The magic line; `None` for Rust.
    pub(super) head: Option<MagicHead>,
}

/// The parts of a magic line, as byte ranges of the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MagicHead {
    pub(super) form: MagicForm,
    pub(super) bind: Option<Range<usize>>,
    /// Start of the `%`, `%%` or `?%`.
    pub(super) sigil: usize,
    /// Empty while only the `%` is typed.
    pub(super) name: Range<usize>,
    pub(super) args: Range<usize>,
}

/// Form of a magic line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MagicForm {
    /// `%name args`
    Line,
    /// `%%name args`
    Cell,
    /// `%name?`
    Help,
}

impl SegmentSpan {
    fn text<'cell>(&self, code: &'cell str) -> &'cell str {
        &code[self.range.clone()]
    }

    fn segment<'cell>(&self, code: &'cell str) -> Segment<'cell> {
        let Some(head) = &self.head else { return Segment::Rust(self.text(code)) };
        let (name, args) = (&code[head.name.clone()], &code[head.args.clone()]);
        match head.form {
            MagicForm::Help => Segment::Help { name },
            MagicForm::Line => Segment::Line { bind: head.bind.clone().map(|bind| &code[bind]), name, args },
            MagicForm::Cell => {
                let body = &code[head.args.end..self.range.end];
                let body = body.split_once('\n').map_or("", |(_, below)| below);
                Segment::Cell { name, args, body }
            }
        }
    }
}

/// Returns the spans of a cell; a lone `%` is Rust.
pub(super) fn segment_spans(code: &str) -> Vec<SegmentSpan> {
    split(code, |head| !head.name.is_empty())
}

/// Returns the spans of a cell that is being typed: a lone `%` is a magic without a name yet.
pub(super) fn segment_spans_while_typing(code: &str) -> Vec<SegmentSpan> {
    split(code, |_| true)
}

fn split(code: &str, accept: impl Fn(&MagicHead) -> bool) -> Vec<SegmentSpan> {
    let mut found: Vec<SegmentSpan> = Vec::new();
    let mut rust_from = 0;
    let mut line = 0;
    let mut walk = TokenWalk::new(code, 0);
    // One iteration per line that starts outside brackets, strings and comments.
    loop {
        let end = code[line..].find('\n').map_or(code.len(), |length| line + length + 1);
        let text = &code[line..end];
        if let Some(head) = magic_head(text, line, walk.at_statement()).filter(&accept) {
            let first = found.is_empty() && code[..line].trim().is_empty();
            let (head, end) = resolve_cell_magic(head, first, end, code.len());
            if rust_from < line {
                found.push(SegmentSpan { range: rust_from..line, head: None });
            }
            found.push(SegmentSpan { range: line..end, head: Some(head) });
            (rust_from, line) = (end, end);
            walk = TokenWalk::new(code, end);
        } else if walk.at_statement() && is_command(text) {
            line = end;
            walk = TokenWalk::new(code, end);
        } else {
            match next_line(code, &mut walk) {
                Some(start) => line = start,
                None => break,
            }
        }
        if line >= code.len() {
            break;
        }
    }
    if rust_from < code.len() {
        found.push(SegmentSpan { range: rust_from..code.len(), head: None });
    }
    found
}

/// Moves to the next line that starts outside brackets, strings and comments; returns its offset.
fn next_line(code: &str, walk: &mut TokenWalk<'_>) -> Option<usize> {
    loop {
        let (class, start, end) = walk.next_token()?;
        // Lines start after a line break in a token of blanks; the last break counts, since the lines before it are blank.
        if class == TokenClass::Trivia && walk.balanced() {
            let blank = &code[start..end];
            if let Some(at) = blank.rfind('\n').filter(|_| blank.trim().is_empty()) {
                return Some(start + at + 1);
            }
        }
    }
}

/// Returns the head and the end of its segment: `%%name` on the first line owns the rest of the cell; below it becomes a line
/// magic with one `%` in its name.
fn resolve_cell_magic(mut head: MagicHead, first: bool, line_end: usize, code_end: usize) -> (MagicHead, usize) {
    match head.form {
        MagicForm::Cell if first => (head, code_end),
        MagicForm::Cell => {
            head.form = MagicForm::Line;
            head.name.start -= 1;
            (head, line_end)
        }
        _ => (head, line_end),
    }
}

/// Parses `line`, which starts at byte `offset` of the cell, as a magic; `None` if it has another form.
fn magic_head(line: &str, offset: usize, at_statement: bool) -> Option<MagicHead> {
    let text = line.trim_end();
    let start = text.len() - text.trim_start().len();
    let may_start = start == 0 || at_statement;
    let mut scan = LineScanner { text, at: start };
    let mut bind = None;
    let mut is_query = false;
    if scan.peek() == Some('?') && may_start {
        is_query = true;
        scan.take_while(|c| c == '?');
    } else if scan.peek() != Some('%') {
        bind = Some(scan.binding()?);
    } else if !may_start {
        return None;
    }
    let sigil = scan.at;
    let percents = scan.take_while(|c| c == '%').len();
    if percents > 2 || (percents == 0 && !is_query) || (percents == 2 && bind.is_some()) {
        return None;
    }
    let name = scan.word();
    let rest = &text[scan.at..];
    let range = |range: Range<usize>| offset + range.start..offset + range.end;
    let form = if is_query {
        // `?` alone, or text after the name, is Rust.
        if !rest.is_empty() || (name.is_empty() && percents == 0) {
            return None;
        }
        MagicForm::Help
    } else if !rest.is_empty() && rest.chars().all(|c| c == '?') && bind.is_none() && !name.is_empty() {
        MagicForm::Help
    } else if !(rest.is_empty() || rest.starts_with([';', ' ', '\t'])) || (name.is_empty() && !rest.is_empty()) {
        return None;
    } else if percents == 2 {
        MagicForm::Cell
    } else {
        MagicForm::Line
    };
    let args_start = text.len() - rest.trim_start().len();
    Some(MagicHead {
        form,
        bind: bind.map(range),
        sigil: offset + sigil,
        name: range(name),
        args: range(args_start..text.len()),
    })
}

/// Left-to-right scanner over one line.
struct LineScanner<'line> {
    text: &'line str,
    at: usize,
}

impl LineScanner<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
        start..self.at
    }

    /// Reads a name; empty if there is none.
    fn word(&mut self) -> Range<usize> {
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.at..self.at;
        }
        self.take_while(|c| c == '_' || c.is_alphanumeric())
    }

    /// Reads `x =` or `let x =` before a `%`; returns the range of `x`.
    fn binding(&mut self) -> Option<Range<usize>> {
        let mut name = self.word();
        let mut blanks = self.take_while(|c| c == ' ' || c == '\t');
        for keyword in ["let", "mut"] {
            if &self.text[name.clone()] == keyword && !blanks.is_empty() && self.peek() != Some('=') {
                name = self.word();
                blanks = self.take_while(|c| c == ' ' || c == '\t');
            }
        }
        if name.is_empty() || self.peek() != Some('=') {
            return None;
        }
        self.at += 1;
        self.take_while(|c| c == ' ' || c == '\t');
        (self.peek() == Some('%')).then_some(name)
    }
}

/// Whether Rust is only blanks and comments.
fn is_trivia(text: &str) -> bool {
    let mut walk = TokenWalk::new(text, 0);
    std::iter::from_fn(|| walk.next_token()).all(|(class, ..)| class == TokenClass::Trivia)
}

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
