//! A compiler error at the lines and columns of the user's cell, without the code that was written around it.

use crate::cell::unpaired;
use crate::engine::patching::edits::Edits;
use ::evcxr::CompilationError;
use serde_json::Value;

const BOLD_RED: &str = "\u{1b}[1;31m";
const BOLD: &str = "\u{1b}[1m";
const BLUE: &str = "\u{1b}[1;34m";
const RESET: &str = "\u{1b}[0m";

/// One error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::engine) struct Diagnostic {
    /// rustc's number, `E0308`.
    pub(super) code: Option<String>,
    /// The first line.
    pub(in crate::engine) message: String,
    /// Texts at spans of the cell.
    pub(super) labels: Vec<Label>,
    /// Advice without a span.
    pub(super) help: Vec<String>,
}

/// A span of the cell, and the text shown there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(in crate::engine) span: Span,
    pub(in crate::engine) text: String,
}

/// A range of characters in one line of the cell. Lines and columns count from 1; `to` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(in crate::engine) line: usize,
    pub(in crate::engine) from: usize,
    pub(in crate::engine) to: usize,
}

impl Diagnostic {
    /// Converts an error of evcxr, whose positions are in the edited cell; `edits` map them to the user's text.
    pub(super) fn from_evcxr(error: &CompilationError, code: &str, edits: &Edits) -> Self {
        let mut read =
            Self { code: error.code().map(str::to_owned), message: shorten_paths(&error.message()), ..Self::default() };
        let mut inserted = false;
        for spanned in error.spanned_messages().iter().chain(error.help_spanned()) {
            // Without a span it is in code that was written around the cell.
            let Some(span) = &spanned.span else { continue };
            // evcxr repeats the first line where rustc has no label.
            let text = shorten_paths(if spanned.label.starts_with("error: ") { "" } else { &spanned.label });
            let one_line = span.end_line == span.start_line;
            // Labels on insertions of ours mean nothing to the user; advice follows below.
            if one_line && edits.is_inserted(code, span.start_line, span.start_column, span.end_column) {
                inserted = true;
                continue;
            }
            let to = if one_line { edits.column(code, span.end_line, span.end_column) } else { usize::MAX };
            let from = edits.column(code, span.start_line, span.start_column);
            read.add_label(Label { span: Span { line: span.start_line, from, to }, text });
        }
        if read.labels.is_empty() {
            read.labels.extend(read.import_label(code));
        }
        if read.labels.is_empty() && !inserted && error.is_from_user_code() {
            read.add_help("the error is in an item of an earlier cell, which every cell is compiled with");
        }
        for help in error.help() {
            let (advice, replacement) = help.split_once("\n\n").unwrap_or((&help, ""));
            let advice = shorten_paths(advice);
            let known = |label: &Label| label.text.contains(&advice);
            if !read.labels.iter().any(known) {
                read.add_help(&with_replacement(&advice, replacement));
            }
        }
        read
    }

    /// Adds a label, unless it is empty or known.
    fn add_label(&mut self, label: Label) {
        if !is_about_user_code(&label.text) {
            return;
        }
        match self.labels.iter_mut().find(|known| known.span == label.span) {
            Some(known) if known.text.is_empty() => known.text = label.text,
            Some(known) if label.text.is_empty() || known.text == label.text => {}
            _ => self.labels.push(label),
        }
    }

    /// Adds advice that has no span in the cell.
    fn add_help(&mut self, advice: &str) {
        let lists = advice.starts_with("the following other types implement");
        if !advice.is_empty() && !lists && is_about_user_code(advice) && !self.help.iter().any(|known| known == advice)
        {
            self.help.push(advice.to_owned());
        }
    }

    /// Returns a label for a name that cannot be imported: evcxr moves imports out of the cell, so the error has no span.
    fn import_label(&self, code: &str) -> Option<Label> {
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
            let span = Span { line: index + 1, from, to: from + name.chars().count() };
            Some(Label { span, text: String::new() })
        })
    }

    /// Parses a message of rustc about the source that `syntax` writes, with `above` lines before the cell. Positions behind the
    /// cell become its end.
    pub(super) fn from_rustc(json: &Value, code: &str, above: usize) -> Option<Self> {
        if json["level"] != "error" {
            return None;
        }
        let message = json["message"].as_str()?;
        if message.starts_with("aborting due to") {
            return None;
        }
        let end = end_of(code);
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let cell_span = |span: &Value| {
            let (first, last) = (number(&span["line_start"])?, number(&span["line_end"])?);
            let line = first.checked_sub(above).filter(|line| *line > 0)?;
            if line > end.line {
                return Some(end);
            }
            let to = if last == first { number(&span["column_end"])? } else { usize::MAX };
            Some(Span { line, from: number(&span["column_start"])?, to })
        };
        let spans = |of: &Value| of["spans"].as_array().cloned().unwrap_or_default();
        let mut labels: Vec<Label> = Vec::new();
        // The primary span, where the error is, comes first.
        let (primary, secondary): (Vec<_>, Vec<_>) =
            spans(json).into_iter().partition(|span| span["is_primary"] == true);
        for span in primary.iter().chain(&secondary) {
            let Some(span_of_cell) = cell_span(span) else { continue };
            // At the end of the cell the first line says everything.
            if span_of_cell == end && !labels.is_empty() {
                continue;
            }
            let label = Label { span: span_of_cell, text: name_end(span["label"].as_str().unwrap_or_default()) };
            let repeats = label.text.is_empty() && labels.iter().any(|known| known.span == span_of_cell);
            if !repeats && !labels.contains(&label) {
                labels.push(label);
            }
        }
        let children = json["children"].as_array().cloned().unwrap_or_default();
        let mut help = Vec::new();
        for child in children.iter().filter(|child| child["level"] == "help") {
            let Some(text) = child["message"].as_str() else { continue };
            let replacement =
                spans(child).first().and_then(|span| span["suggested_replacement"].as_str().map(str::to_owned));
            help.push(with_replacement(text, replacement.as_deref().unwrap_or_default()));
        }
        let code = json["code"]["code"].as_str().map(str::to_owned);
        Some(Self { code, message: name_end(message), labels, help })
    }

    /// Returns the lines of the error with ANSI colours; `code` is the cell.
    pub(in crate::engine) fn lines(&self, code: &str, hint: Option<&str>) -> Vec<String> {
        let number = self.code.as_ref().map(|code| format!("[{code}]")).unwrap_or_default();
        let mut lines = vec![format!("{BOLD_RED}error{number}{RESET}{BOLD}: {}{RESET}", self.message)];
        for label in &self.labels {
            lines.extend(excerpt(code, label));
        }
        lines.extend(self.help.iter().map(|help| format!("  {BLUE}={RESET} help: {help}")));
        lines.extend(hint.map(|hint| format!("  {BLUE}={RESET} hint: {hint}")));
        lines
    }

    /// Returns the line of the cell that the first label points at.
    pub(in crate::engine) fn line<'code>(&self, code: &'code str) -> &'code str {
        let line = self.labels.first().map_or(0, |label| label.span.line);
        line.checked_sub(1).and_then(|line| code.lines().nth(line)).unwrap_or_default()
    }
}

/// Returns the line of the cell that a label points at, with carets below it.
fn excerpt(code: &str, label: &Label) -> [String; 3] {
    let Label { span: Span { line, from, to }, text: label } = label;
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

/// Returns the span behind the last character of the cell that is not a blank.
fn end_of(code: &str) -> Span {
    let text = code.trim_end();
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Span { line, from: column, to: column + 1 }
}

/// Returns advice of rustc, with its replacement if that is short and new.
fn with_replacement(advice: &str, replacement: &str) -> String {
    let replacement = replacement.trim().replace("use crate::", "use ");
    let says_more = !replacement.is_empty()
        && !replacement.contains('\n')
        && unpaired(&replacement).is_none()
        && !advice.contains(&format!("`{replacement}`"));
    if says_more { format!("{advice}: `{replacement}`") } else { advice.to_owned() }
}

/// Replaces the brace behind the cell in a message of the parser by the end of the cell.
fn name_end(text: &str) -> String {
    text.replace("found `}`", "found the end of the cell")
        .replace("unexpected token: `}`", "unexpected end of the cell")
}

/// Whether a text is about the user's code only, and mentions nothing that is written around a cell.
pub(super) fn is_about_user_code(text: &str) -> bool {
    !["evcxr", "Evcxr", "tracebook_bundles", "cells::value", "cells::rt", "run_user_code"]
        .iter()
        .any(|part| text.contains(part))
}

/// The first segments of paths to types that every cell has in scope.
const IN_SCOPE: &[&str] = &[
    "cells",
    "trace",
    "trace_analysis",
    "trace_base",
    "trace_bounds",
    "trace_compare",
    "trace_data",
    "trace_events",
    "trace_read",
    "trace_sql",
    "trace_timeline",
    "trace_view",
    "plotly",
    "polars",
];

/// Shortens the paths of types that every cell has in scope: `cells::trace::TraceSet` becomes `TraceSet`.
fn shorten_paths(text: &str) -> String {
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

/// Returns the end of the path that a text starts with.
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
    fn paths_of_types_in_scope_are_shortened() {
        assert_eq!(
            shorten_paths("expected `&cells::prelude::TraceSet`, found `Vec<polars_core::frame::DataFrame>`"),
            "expected `&TraceSet`, found `Vec<DataFrame>`"
        );
        for text in ["`trace::filter::nam`", "use polars::prelude::DataFrame;", "std::fmt::Debug", "größe::X a::b"] {
            assert_eq!(shorten_paths(text), text);
        }
    }

    #[test]
    fn brace_behind_the_cell_is_its_end() {
        let message = json!({"level": "error", "message": "expected `;`, found `}`", "code": null,
            "spans": [
                {"line_start": 2, "line_end": 2, "column_start": 10, "column_end": 10, "is_primary": true, "label": null},
                {"line_start": 3, "line_end": 3, "column_start": 1, "column_end": 2, "is_primary": false, "label": "unexpected token"}],
            "children": [{"level": "help", "message": "add `;` here", "spans": []}]});
        let read = Diagnostic::from_rustc(&message, "let x = 5", 1).unwrap();
        assert_eq!(read.message, "expected `;`, found the end of the cell");
        assert_eq!(read.labels[0].span, Span { line: 1, from: 10, to: 10 });
        let lines = read.lines("let x = 5", Some("x")).join("\n");
        assert!(
            lines.contains("line 1, column 10") && lines.contains("add `;` here") && !lines.contains('}'),
            "{lines}"
        );
    }
}
