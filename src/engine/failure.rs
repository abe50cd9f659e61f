//! How errors of a Rust cell read: the compiler's message at the user's own line and column, a panic at its line.

use super::edits::Edits;
use super::pump::Panic;
use crate::Failure;
use ::evcxr::CompilationError;
use std::collections::BTreeMap;

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
        let pointed: Vec<&str> = error.help_spanned().iter().map(|spanned| spanned.label.as_str()).collect();
        let new =
            |help: &String| !pointed.iter().any(|label| help.lines().next().is_some_and(|first| label.contains(first)));
        let help = error.help().into_iter().filter(new);
        traceback.extend(help.map(|help| format!("  {BLUE}={RESET} help: {help}")));
        if let Some(hint) = error.evcxr_extra_hint() {
            traceback.push(format!("  {BLUE}={RESET} {hint}"));
        }
    }
    let first = errors.first().map(CompilationError::message);
    let first = first.map(|message| not_shown(&message).map_or(message.clone(), no_text));
    let first = first.unwrap_or_else(|| "the cell does not compile".to_owned());
    Failure::coloured("CompileError", &first, &traceback)
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

/// evcxr knows a variable's type from the cell only; what it could not be told there says what it is. `types` are those
/// that the compiler named.
pub(super) fn of_kept(mut failure: Failure, types: &BTreeMap<String, String>) -> Failure {
    let unknown = failure.evalue.split_once("determine type of variable `").and_then(|(_, rest)| rest.split_once('`'));
    let Some((name, type_name)) = unknown.and_then(|(name, _)| types.get_key_value(name)) else { return failure };
    let braces = "or wrap the code in braces, so that the variable ends with the cell";
    failure.evalue = if type_name.contains('\'') {
        format!(
            "`{name}` is a `{type_name}`, which borrows from another value; variables that later cells can see own what they hold. \
             Make an owned value of it (`.collect::<Vec<_>>()`, `.to_owned()`), {braces}"
        )
    } else {
        format!(
            "`{name}` is a `{type_name}`, a type that cannot be written down. Give the variable a type that can, {braces}"
        )
    };
    failure
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
        None if compiled.is_none() && !panic.file.is_empty() => {
            traceback.push(format!("  {BLUE}-->{RESET} {}:{}", panic.file, panic.line))
        }
        None => {}
    }
    Failure::coloured("Panic", &panic.message, &traceback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_kept_is_explained() {
        let evcxr =
            |name: &str| Failure::new("Error", format!("Couldn't automatically determine type of variable `{name}`."));
        let types = [("v", "std::slice::Iter<'_, i32>"), ("g", "fn(i32) {f::<i32>}")];
        let types = types.map(|(name, type_name)| (name.to_owned(), type_name.to_owned())).into();
        assert!(of_kept(evcxr("v"), &types).evalue.contains("Iter<'_, i32>`, which borrows"));
        assert!(of_kept(evcxr("g"), &types).evalue.contains("cannot be written"));
        assert_eq!(of_kept(evcxr("other"), &types).evalue, evcxr("other").evalue);
    }

    #[test]
    fn what_cannot_be_shown_is_named() {
        let message =
            "the method `evcxr_display` exists for struct `Value<'_, Vec<fn() -> Foo>>`, but its trait bounds";
        assert_eq!(not_shown(message), Some("Vec<fn() -> Foo>"));
        assert_eq!(not_shown("mismatched types"), None);
    }
}
