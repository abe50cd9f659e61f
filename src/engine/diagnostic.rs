//! An error of the compiler as the user of a cell reads it: at the lines and columns of the cell, without code that the
//! user did not write.

use super::edits::Edits;
use crate::cell::unpaired;
use ::evcxr::CompilationError;
use serde_json::Value;

const BOLD_RED: &str = "\u{1b}[1;31m";
const BOLD: &str = "\u{1b}[1m";
const BLUE: &str = "\u{1b}[1;34m";
const RESET: &str = "\u{1b}[0m";

/// One error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Diagnostic {
    /// rustc's number, `E0308`.
    pub(super) code: Option<String>,
    /// The headline.
    pub(super) message: String,
    /// What stands at places of the cell.
    pub(super) labels: Vec<Label>,
    /// What would mend it, without a place.
    pub(super) help: Vec<String>,
}

/// A place of the cell, and what is said there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) place: Place,
    pub(super) text: String,
}

/// Characters of one line of the cell, all numbers from 1; `to` is the first one behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Diagnostic {
    /// Reads an error that evcxr has led back to the edited cell; `edits` lead back to the user's text.
    pub(super) fn of_evcxr(error: &CompilationError, code: &str, edits: &Edits) -> Self {
        let mut read =
            Self { code: error.code().map(str::to_owned), message: readable(&error.message()), ..Self::default() };
        let mut inserted = false;
        for spanned in error.spanned_messages().iter().chain(error.help_spanned()) {
            // What stands in code that was written around the cell means nothing to its user.
            let Some(span) = &spanned.span else { continue };
            // evcxr repeats the headline where rustc has no label.
            let text = readable(if spanned.label.starts_with("error: ") { "" } else { &spanned.label });
            let one_line = span.end_line == span.start_line;
            // Of what was written into the cell, only advice is for its user; it follows below.
            if one_line && edits.inserted(code, span.start_line, span.start_column, span.end_column) {
                inserted = true;
                continue;
            }
            let to = if one_line { edits.column(code, span.end_line, span.end_column) } else { usize::MAX };
            let from = edits.column(code, span.start_line, span.start_column);
            read.label(Label { place: Place { line: span.start_line, from, to }, text });
        }
        if read.labels.is_empty() {
            read.labels.extend(read.import(code));
        }
        if read.labels.is_empty() && !inserted && error.is_from_user_code() {
            read.advise("the error is in an item of an earlier cell, which every cell is compiled with");
        }
        for help in error.help() {
            let (advice, replacement) = help.split_once("\n\n").unwrap_or((&help, ""));
            let advice = readable(advice);
            let known = |label: &Label| label.text.contains(&advice);
            if !read.labels.iter().any(known) {
                read.advise(&advised(&advice, replacement));
            }
        }
        read
    }

    /// Adds a label, unless it is there or says nothing new.
    fn label(&mut self, label: Label) {
        if !is_of_the_user(&label.text) {
            return;
        }
        match self.labels.iter_mut().find(|known| known.place == label.place) {
            Some(known) if known.text.is_empty() => known.text = label.text,
            Some(known) if label.text.is_empty() || known.text == label.text => {}
            _ => self.labels.push(label),
        }
    }

    /// Adds advice for which there is no place in the cell.
    fn advise(&mut self, advice: &str) {
        let lists = advice.starts_with("the following other types implement");
        if !advice.is_empty() && !lists && is_of_the_user(advice) && !self.help.iter().any(|known| known == advice) {
            self.help.push(advice.to_owned());
        }
    }

    /// The place of a name that cannot be imported: evcxr takes imports out of the cell.
    fn import(&self, code: &str) -> Option<Label> {
        if !self.code.as_deref().is_some_and(|code| code.starts_with("E043")) {
            return None;
        }
        let name = self.message.split('`').nth(1)?;
        let name = name.rsplit("::").next().unwrap_or(name);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        code.lines().enumerate().find_map(|(index, text)| {
            let mut found = text
                .match_indices(name)
                .filter(|(at, _)| !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word));
            let from = text[..found.next()?.0].chars().count() + 1;
            let place = Place { line: index + 1, from, to: from + name.chars().count() };
            Some(Label { place, text: String::new() })
        })
    }

    /// Reads a message of rustc about the cell alone, as `syntax` writes it for the parser: `above` lines stand before the
    /// cell. What lies behind the cell is its end.
    pub(super) fn of_rustc(json: &Value, code: &str, above: usize) -> Option<Self> {
        if json["level"] != "error" {
            return None;
        }
        let message = json["message"].as_str()?;
        if message.starts_with("aborting due to") {
            return None;
        }
        let end = end_of(code);
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let place = |span: &Value| {
            let (first, last) = (number(&span["line_start"])?, number(&span["line_end"])?);
            let line = first.checked_sub(above).filter(|line| *line > 0)?;
            if line > end.line {
                return Some(end);
            }
            let to = if last == first { number(&span["column_end"])? } else { usize::MAX };
            Some(Place { line, from: number(&span["column_start"])?, to })
        };
        let spans = |of: &Value| of["spans"].as_array().cloned().unwrap_or_default();
        let mut labels: Vec<Label> = Vec::new();
        // The primary place first: where the error is.
        let (primary, secondary): (Vec<_>, Vec<_>) =
            spans(json).into_iter().partition(|span| span["is_primary"] == true);
        for span in primary.iter().chain(&secondary) {
            let Some(place) = place(span) else { continue };
            // At the end of the cell the headline says it all.
            if place == end && !labels.is_empty() {
                continue;
            }
            let label = Label { place, text: at_the_end(span["label"].as_str().unwrap_or_default()) };
            let same_place = labels.iter().any(|known| known.place == place);
            let says_nothing = same_place && label.text.is_empty();
            if !says_nothing && !labels.contains(&label) {
                labels.push(label);
            }
        }
        let children = json["children"].as_array().cloned().unwrap_or_default();
        let mut help = Vec::new();
        for child in children.iter().filter(|child| child["level"] == "help") {
            let Some(text) = child["message"].as_str() else { continue };
            let replacement =
                spans(child).first().and_then(|span| span["suggested_replacement"].as_str().map(str::to_owned));
            help.push(advised(text, replacement.as_deref().unwrap_or_default()));
        }
        let code = json["code"]["code"].as_str().map(str::to_owned);
        Some(Self { code, message: at_the_end(message), labels, help })
    }

    /// The error line by line, as a terminal shows it; `code` is the cell.
    pub(super) fn lines(&self, code: &str, hint: Option<&str>) -> Vec<String> {
        let number = self.code.as_ref().map(|code| format!("[{code}]")).unwrap_or_default();
        let mut lines = vec![format!("{BOLD_RED}error{number}{RESET}{BOLD}: {}{RESET}", self.message)];
        for label in &self.labels {
            lines.extend(excerpt(code, label));
        }
        lines.extend(self.help.iter().map(|help| format!("  {BLUE}={RESET} help: {help}")));
        lines.extend(hint.map(|hint| format!("  {BLUE}={RESET} hint: {hint}")));
        lines
    }

    /// The line of the cell at which the error points first.
    pub(super) fn line<'code>(&self, code: &'code str) -> &'code str {
        let line = self.labels.first().map_or(0, |label| label.place.line);
        line.checked_sub(1).and_then(|line| code.lines().nth(line)).unwrap_or_default()
    }
}

/// The line of the cell that a label points at, with carets below it.
fn excerpt(code: &str, label: &Label) -> [String; 3] {
    let Label { place: Place { line, from, to }, text: label } = label;
    let text = code.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let length = text.chars().count();
    let from = (*from).clamp(1, length + 1);
    let carets = (*to).min(length + 1).saturating_sub(from).max(1);
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let carets = format!("{}{BOLD_RED}{} {label}{RESET}", " ".repeat(from - 1), "^".repeat(carets));
    [
        format!("{margin}{BLUE}-->{RESET} cell, line {line}, column {from}"),
        format!("{BLUE}{number} |{RESET} {text}"),
        format!("{margin} {BLUE}|{RESET} {carets}"),
    ]
}

/// The place behind the last character of the cell that is no blank.
fn end_of(code: &str) -> Place {
    let text = code.trim_end();
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Place { line, from: column, to: column + 1 }
}

/// Advice of rustc with what it would write, if that is short and new.
fn advised(advice: &str, replacement: &str) -> String {
    let replacement = replacement.trim().replace("use crate::", "use ");
    let says_more = !replacement.is_empty()
        && !replacement.contains('\n')
        && unpaired(&replacement).is_none()
        && !advice.contains(&format!("`{replacement}`"));
    if says_more { format!("{advice}: `{replacement}`") } else { advice.to_owned() }
}

/// What the parser says of the brace that stands behind the cell.
fn at_the_end(text: &str) -> String {
    text.replace("found `}`", "found the end of the cell")
        .replace("unexpected token: `}`", "unexpected end of the cell")
}

/// Whether a text speaks of the user's code, and not of what is written around a cell.
pub(super) fn is_of_the_user(text: &str) -> bool {
    !["evcxr", "Evcxr", "tracebook_bundles", "cells::value", "cells::rt", "run_user_code"]
        .iter()
        .any(|part| text.contains(part))
}

/// The first words of paths that lead to types which every cell has in scope.
const IN_SCOPE: &[&str] = &["cells", "trace", "trace_view", "plotly", "polars"];

/// A text with the paths of types left out that every cell has in scope: `cells::trace::TraceSet` becomes `TraceSet`.
fn readable(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, path) = rest.split_at(start);
        result.push_str(before);
        let end = path_end(path);
        let (path, behind) = path.split_at(end);
        let (first, last) = (path.split("::").next().unwrap_or(path), path.rsplit("::").next().unwrap_or(path));
        let known = IN_SCOPE.contains(&first) || first.starts_with("polars_");
        let is_type = last.starts_with(char::is_uppercase);
        let imported = result.ends_with("use ");
        result.push_str(if known && is_type && !imported { last } else { path });
        rest = behind;
    }
    result.push_str(rest);
    result
}

/// Where the path ends with which a text starts.
fn path_end(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    loop {
        let word = text[end..].find(|c: char| !is_word(c)).unwrap_or(text.len() - end);
        end += word;
        let next = text[end..].strip_prefix("::").filter(|next| next.starts_with(is_word));
        if word == 0 || next.is_none() {
            return end;
        }
        end += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_of_types_in_scope_are_left_out() {
        assert_eq!(
            readable("expected `&cells::prelude::TraceSet`, found `Vec<polars_core::frame::DataFrame>`"),
            "expected `&TraceSet`, found `Vec<DataFrame>`"
        );
        for text in ["`trace::filter::nam`", "use polars::prelude::DataFrame;", "std::fmt::Debug", "größe::X a::b"] {
            assert_eq!(readable(text), text);
        }
    }

    #[test]
    fn brace_behind_the_cell_is_its_end() {
        let message = json!({"level": "error", "message": "expected `;`, found `}`", "code": null,
            "spans": [
                {"line_start": 2, "line_end": 2, "column_start": 10, "column_end": 10, "is_primary": true, "label": null},
                {"line_start": 3, "line_end": 3, "column_start": 1, "column_end": 2, "is_primary": false, "label": "unexpected token"}],
            "children": [{"level": "help", "message": "add `;` here", "spans": []}]});
        let read = Diagnostic::of_rustc(&message, "let x = 5", 1).unwrap();
        assert_eq!(read.message, "expected `;`, found the end of the cell");
        assert_eq!(read.labels[0].place, Place { line: 1, from: 10, to: 10 });
        let lines = read.lines("let x = 5", Some("x")).join("\n");
        assert!(
            lines.contains("line 1, column 10") && lines.contains("add `;` here") && !lines.contains('}'),
            "{lines}"
        );
    }
}
