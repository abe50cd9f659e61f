//! How errors of a Rust cell read: the compiler's message at the user's own line and column, a panic at its line.

use super::edits::Edits;
use super::pump::Panic;
use crate::Failure;
use ::evcxr::CompilationError;

const BOLD_RED: &str = "\u{1b}[1;31m";
const BOLD: &str = "\u{1b}[1m";
const BLUE: &str = "\u{1b}[1;34m";
const RESET: &str = "\u{1b}[0m";

/// The compiler's errors as one failure: the first one's message, all of them in the traceback. `edits` is what was
/// written into the cell before it was compiled.
pub(super) fn of_compiler(errors: &[CompilationError], code: &str, edits: &Edits) -> Failure {
    let mut traceback = Vec::new();
    for error in errors {
        if let Some(type_name) = not_shown(&error.message()) {
            let message = no_text(type_name);
            traceback.push(format!("{BOLD_RED}error{RESET}{BOLD}: {message}{RESET}"));
            continue;
        }
        let code_of_error = error.code().map(|code| format!("[{code}]")).unwrap_or_default();
        let message = error.message();
        traceback.push(format!("{BOLD_RED}error{code_of_error}{RESET}{BOLD}: {message}{RESET}"));
        for spanned in error.spanned_messages().iter().chain(error.help_spanned()) {
            let place = spanned.span.as_ref().map(|span| Place {
                line: span.start_line,
                from: edits.column(code, span.start_line, span.start_column),
                to: if span.end_line == span.start_line {
                    edits.column(code, span.end_line, span.end_column)
                } else {
                    usize::MAX
                },
            });
            traceback.extend(excerpt(code, place, &spanned.label));
        }
        traceback.extend(error.help().into_iter().map(|help| format!("  {BLUE}={RESET} help: {help}")));
        if let Some(hint) = error.evcxr_extra_hint() {
            traceback.push(format!("  {BLUE}={RESET} {hint}"));
        }
    }
    let first = errors.first().map(CompilationError::message);
    let first = first.map(|message| not_shown(&message).map_or(message.clone(), no_text));
    let first = first.unwrap_or_else(|| "the cell does not compile".to_owned());
    Failure { ename: "CompileError".to_owned(), evalue: first, traceback }
}

/// The type of the last expression, if the message says that it cannot be shown.
fn not_shown(message: &str) -> Option<&str> {
    if !message.contains("evcxr_display") && !message.contains("tracebook_bundles") {
        return None;
    }
    let inner = message.split_once("Value<'_, ")?.1;
    let mut depth = 1;
    let end = inner.char_indices().find(|&(at, c)| {
        depth += match c {
            '<' => 1,
            // Not the arrow of a function.
            '>' if !inner[..at].ends_with('-') => -1,
            _ => 0,
        };
        depth == 0
    });
    inner.get(..end?.0)
}

fn no_text(type_name: &str) -> String {
    format!(
        "a value of the type `{type_name}` cannot be shown: it has no debug text (`#[derive(Debug)]` gives one). End the \
         cell with `;`, or show a part of it"
    )
}

#[derive(Clone, Copy)]
struct Place {
    line: usize,
    from: usize,
    to: usize,
}

/// The line of the cell that a message points at, with carets below it.
fn excerpt(code: &str, place: Option<Place>, label: &str) -> Vec<String> {
    let Some(Place { line, from, to }) = place else {
        return if label.is_empty() { Vec::new() } else { vec![format!("  {BLUE}={RESET} {label}")] };
    };
    let text = code.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let length = text.chars().count();
    let from = from.clamp(1, length + 1);
    let carets = to.min(length + 1).saturating_sub(from).max(1);
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    vec![
        format!("{margin}{BLUE}-->{RESET} cell, line {line}, column {from}"),
        format!("{BLUE}{number} |{RESET} {text}"),
        format!("{margin} {BLUE}|{RESET} {}{BOLD_RED}{} {label}{RESET}", " ".repeat(from - 1), "^".repeat(carets)),
    ]
}

/// A panic, at the user's line if it happened there. `source` is what was compiled.
pub(super) fn of_panic(panic: &Panic, source: &str, code: &str, edits: &Edits) -> Failure {
    let mut traceback = vec![format!("{BOLD_RED}panic{RESET}: {}", panic.message)];
    let compiled =
        panic.file.ends_with("src/lib.rs").then(|| source.lines().nth((panic.line as usize).saturating_sub(1)));
    let edited = edits.apply(code);
    let line = compiled.flatten().map(str::trim).filter(|line| !line.is_empty()).and_then(|line| {
        // evcxr compiles the statements of one line on lines of their own.
        let whole = edited.lines().position(|own| own.trim() == line);
        whole.or_else(|| edited.lines().position(|own| own.contains(line)))
    });
    match line {
        Some(index) => {
            let text = code.lines().nth(index).unwrap_or_default();
            traceback.push(format!("  {BLUE}-->{RESET} cell, line {}", index + 1));
            traceback.push(format!("{BLUE}{} |{RESET} {text}", index + 1));
        }
        None if compiled.is_none() => traceback.push(format!("  {BLUE}-->{RESET} {}:{}", panic.file, panic.line)),
        None => {}
    }
    Failure { ename: "Panic".to_owned(), evalue: panic.message.clone(), traceback }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_shown_is_named() {
        let message =
            "the method `evcxr_display` exists for struct `Value<'_, Vec<fn() -> Foo>>`, but its trait bounds";
        assert_eq!(not_shown(message), Some("Vec<fn() -> Foo>"));
        assert_eq!(not_shown("mismatched types"), None);
    }
}
