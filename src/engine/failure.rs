//! How errors of a Rust cell read: the compiler's message at the user's own line and column, a panic at its line.

use super::diagnostic::Diagnostic;
use super::edits::Edits;
use super::hints;
use super::pump::Panic;
use crate::Failure;
use ::evcxr::CompilationError;

const BOLD_RED: &str = "\u{1b}[1;31m";
const BLUE: &str = "\u{1b}[1;34m";
const RESET: &str = "\u{1b}[0m";

/// The compiler's errors as one failure: the first one's message, all of them in the traceback. `edits` is what was
/// written into the cell before it was compiled; `hint` knows what the rules of `hints` cannot.
pub(super) fn of_compiler(
    errors: &[CompilationError],
    code: &str,
    edits: &Edits,
    hint: impl Fn(&Diagnostic) -> Option<String>,
) -> Failure {
    // What only keeping a variable causes is left to errors of the user's own.
    let (kept, own): (Vec<_>, Vec<_>) = errors.iter().partition(|error| is_of_keeping(error));
    let shown = if own.is_empty() { kept } else { own };
    let diagnostics: Vec<Diagnostic> =
        shown.into_iter().map(|error| unshown(Diagnostic::of_evcxr(error, code, edits))).collect();
    of_diagnostics(&diagnostics, code, hint)
}

/// The same of errors that are read already.
pub(super) fn of_diagnostics(
    errors: &[Diagnostic],
    code: &str,
    hint: impl Fn(&Diagnostic) -> Option<String>,
) -> Failure {
    let mut traceback = Vec::new();
    let mut said = Vec::new();
    let mut first_hint = None;
    for (index, error) in errors.iter().enumerate() {
        // One mistake may make several errors: its hint stands once.
        let hint = hint(error).or_else(|| hints::of_compiler(error, code)).filter(|hint| !said.contains(hint));
        traceback.extend(error.lines(code, hint.as_deref()));
        if index == 0 {
            first_hint.clone_from(&hint);
        }
        said.extend(hint);
    }
    let first = errors.first().map_or("the cell does not compile", |error| &error.message);
    let message = first_hint.map_or_else(|| first.to_owned(), |hint| format!("{first}\nhint: {hint}"));
    Failure::coloured("CompileError", &message, &traceback)
}

/// Whether an error would not be there if evcxr did not want to keep a variable.
fn is_of_keeping(error: &CompilationError) -> bool {
    let spans = error.json["spans"].as_array();
    let mut texts = spans.into_iter().flatten().filter_map(|span| span["text"][0]["text"].as_str());
    texts.any(|text| text.contains("evcxr_variable_store")) || error.message().contains("non-static lifetime so")
}

/// Explains an error that says, in many words, that the last expression cannot be shown.
fn unshown(error: Diagnostic) -> Diagnostic {
    match not_shown(&error.message) {
        Some(type_name) => Diagnostic { message: no_text(type_name), ..Diagnostic::default() },
        None => error,
    }
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
    fn what_cannot_be_shown_is_named() {
        let message =
            "the method `evcxr_display` exists for struct `Value<'_, Vec<fn() -> Foo>>`, but its trait bounds";
        assert_eq!(not_shown(message), Some("Vec<fn() -> Foo>"));
        assert_eq!(not_shown("mismatched types"), None);
    }
}
