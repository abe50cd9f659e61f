//! Cuts a cell into Rust and magic lines.
//!
//! # When a line is a magic
//! Never inside a string, a comment or a bracket. Elsewhere by the form of the line alone, so that a misspelt name is
//! a magic too and gets its own message:
//!
//! * `%name …` at the first column;
//! * `%name …` behind blanks, if a statement may start there: at the start of the cell, after `;`, after a magic.
//!   After anything else it is the rest of an expression, as rustfmt indents it: `a` ⏎ `    % b`;
//! * `x = %name …` and `let x = %name …`, which are never Rust;
//! * `%name?`, `?%name` and `?name`, placed as `%name`;
//! * `%%name …` on the first line that is not blank: the rest of the cell is its body.
//!
//! The name is a word, directly behind the `%`, with a blank, a `;` or the end of the line behind it. So `% b` at the
//! first column stays Rust. A line of evcxr's own (`:dep …`) is Rust, and a statement may start behind it.

use super::token_walk::{Step, Walk};
use std::ops::Range;

/// One stretch of a cell, in the order it was typed. All text is borrowed from the cell, so that its place, and with it
/// the line number, can be computed from its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'cell> {
    /// Rust, and evcxr's own `:commands`, passed on untouched.
    Rust(&'cell str),
    /// `%name args`; `bind` is the variable of `let bind = %name args`.
    Line {
        /// The variable that takes the result.
        bind: Option<&'cell str>,
        /// The magic, without its `%`. Starts with `%` if `%%name` stands behind the first line, where it cannot work.
        name: &'cell str,
        /// What follows the name.
        args: &'cell str,
    },
    /// `%%name args` on the first line: the magic owns the body.
    Cell {
        /// The magic, without its `%%`.
        name: &'cell str,
        /// What follows the name on its line.
        args: &'cell str,
        /// The lines below.
        body: &'cell str,
    },
    /// `%name?` or `?name`.
    Help {
        /// What help is asked about, without `%`.
        name: &'cell str,
    },
}

/// The stretches of a cell. Rust that is only blanks and comments is left out: there is nothing to run in it.
pub fn segments(code: &str) -> Vec<Segment<'_>> {
    stretches(code)
        .into_iter()
        .filter(|stretch| stretch.head.is_some() || !is_trivia(stretch.text(code)))
        .map(|stretch| stretch.segment(code))
        .collect()
}

/// A stretch by its place. The stretches of a cell follow each other without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) range: Range<usize>,
    /// The magic that the stretch is; `None` for Rust.
    pub(super) head: Option<Head>,
}

/// Where the pieces of a magic line stand in the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) form: Form,
    pub(super) bind: Option<Range<usize>>,
    /// Where the `%`, `%%` or `?%` starts.
    pub(super) sigil: usize,
    /// Empty while the person has typed no more than the `%`.
    pub(super) name: Range<usize>,
    pub(super) args: Range<usize>,
}

/// What a magic line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `%name args`
    Line,
    /// `%%name args`
    Cell,
    /// `%name?`
    Help,
}

impl Stretch {
    fn text<'cell>(&self, code: &'cell str) -> &'cell str {
        &code[self.range.clone()]
    }

    fn segment<'cell>(&self, code: &'cell str) -> Segment<'cell> {
        let Some(head) = &self.head else { return Segment::Rust(self.text(code)) };
        let (name, args) = (&code[head.name.clone()], &code[head.args.clone()]);
        match head.form {
            Form::Help => Segment::Help { name },
            Form::Line => Segment::Line { bind: head.bind.clone().map(|bind| &code[bind]), name, args },
            Form::Cell => {
                let body = &code[head.args.end..self.range.end];
                let body = body.split_once('\n').map_or("", |(_, below)| below);
                Segment::Cell { name, args, body }
            }
        }
    }
}

/// The cell as stretches without gaps; a lone `%` is Rust.
pub(super) fn stretches(code: &str) -> Vec<Stretch> {
    cut(code, |head| !head.name.is_empty())
}

/// [`stretches`], with a lone `%` as a magic whose name is still to be typed.
pub(super) fn stretches_while_typing(code: &str) -> Vec<Stretch> {
    cut(code, |_| true)
}

fn cut(code: &str, accept: impl Fn(&Head) -> bool) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let mut rust_from = 0;
    let mut line = 0;
    let mut walk = Walk::new(code, 0);
    // One turn per line that starts outside brackets, strings and comments.
    loop {
        let end = code[line..].find('\n').map_or(code.len(), |length| line + length + 1);
        let text = &code[line..end];
        if let Some(head) = head(text, line, walk.at_statement()).filter(&accept) {
            let first = found.is_empty() && code[..line].trim().is_empty();
            let (head, end) = settle(head, first, end, code.len());
            if rust_from < line {
                found.push(Stretch { range: rust_from..line, head: None });
            }
            found.push(Stretch { range: line..end, head: Some(head) });
            (rust_from, line) = (end, end);
            walk = Walk::new(code, end);
        } else if walk.at_statement() && text.trim_start().starts_with(':') && !text.trim_start().starts_with("::") {
            line = end;
            walk = Walk::new(code, end);
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
        found.push(Stretch { range: rust_from..code.len(), head: None });
    }
    found
}

/// Walks to the next line that starts outside brackets, strings and comments.
fn next_line(code: &str, walk: &mut Walk<'_>) -> Option<usize> {
    loop {
        let (step, start, end) = walk.step()?;
        // Only a token of blanks has a line break at which a line starts anew; the last one counts, since the lines
        // before it are blank.
        if step == Step::Trivia && walk.balanced() {
            let blank = &code[start..end];
            if let Some(at) = blank.rfind('\n').filter(|_| blank.trim().is_empty()) {
                return Some(start + at + 1);
            }
        }
    }
}

/// `%%name` takes the rest of the cell on the first line; below it is a line that keeps one `%` in its name.
fn settle(mut head: Head, first: bool, line_end: usize, code_end: usize) -> (Head, usize) {
    match head.form {
        Form::Cell if first => (head, code_end),
        Form::Cell => {
            head.form = Form::Line;
            head.name.start -= 1;
            (head, line_end)
        }
        _ => (head, line_end),
    }
}

/// The magic that `line` (which starts at byte `offset` of the cell) is by its form.
fn head(line: &str, offset: usize, at_statement: bool) -> Option<Head> {
    let text = line.trim_end();
    let start = text.len() - text.trim_start().len();
    let placed = start == 0 || at_statement;
    let mut scan = Scan { text, at: start };
    let mut bind = None;
    let mut asked = false;
    if scan.peek() == Some('?') && placed {
        asked = true;
        scan.take_while(|c| c == '?');
    } else if scan.peek() != Some('%') {
        bind = Some(scan.binding()?);
    } else if !placed {
        return None;
    }
    let sigil = scan.at;
    let percents = scan.take_while(|c| c == '%').len();
    if percents > 2 || (percents == 0 && !asked) || (percents == 2 && bind.is_some()) {
        return None;
    }
    let name = scan.word();
    let rest = &text[scan.at..];
    let range = |range: Range<usize>| offset + range.start..offset + range.end;
    let form = if asked {
        // `?` alone says nothing, and anything behind the name makes it no question.
        if !rest.is_empty() || (name.is_empty() && percents == 0) {
            return None;
        }
        Form::Help
    } else if !rest.is_empty() && rest.chars().all(|c| c == '?') && bind.is_none() && !name.is_empty() {
        Form::Help
    } else if !(rest.is_empty() || rest.starts_with([';', ' ', '\t'])) || (name.is_empty() && !rest.is_empty()) {
        return None;
    } else if percents == 2 {
        Form::Cell
    } else {
        Form::Line
    };
    let args_start = text.len() - rest.trim_start().len();
    Some(Head {
        form,
        bind: bind.map(range),
        sigil: offset + sigil,
        name: range(name),
        args: range(args_start..text.len()),
    })
}

/// A place in a line that moves to the right.
struct Scan<'line> {
    text: &'line str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
        start..self.at
    }

    /// A word that could be a name; may be empty.
    fn word(&mut self) -> Range<usize> {
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.at..self.at;
        }
        self.take_while(|c| c == '_' || c.is_alphanumeric())
    }

    /// `x =` or `let x =`, up to the `%`: where `x` stands.
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

/// Whether Rust text holds nothing to run: only blanks and comments.
fn is_trivia(text: &str) -> bool {
    let mut walk = Walk::new(text, 0);
    std::iter::from_fn(|| walk.step()).all(|(step, ..)| step == Step::Trivia)
}

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
