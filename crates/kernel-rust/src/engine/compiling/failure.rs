//! Failures of cells that do not compile: the compiler's messages at the user's own lines and columns, with hints.

use super::diagnostic::Diagnostic;
use super::hints;
use crate::Failure;
use crate::engine::patching::edits::Edits;
use ::evcxr::CompilationError;

/// Converts the compiler's errors to one failure: the message is that of the first, the traceback shows all. `edits` is what was
/// written into the cell before it was compiled; `hint` returns hints that do not follow from the error alone.
pub(in crate::engine) fn of_compiler(
    errors: &[CompilationError],
    code: &str,
    edits: &Edits,
    hint: impl Fn(&Diagnostic) -> Option<String>,
) -> Failure {
    // Errors that only keeping a variable causes are shown if there are no others.
    let (from_keeping, own): (Vec<_>, Vec<_>) = errors.iter().partition(|error| is_caused_by_keeping(error));
    let shown = if own.is_empty() { from_keeping } else { own };
    let diagnostics: Vec<Diagnostic> =
        shown.into_iter().map(|error| simplify(Diagnostic::from_evcxr(error, code, edits))).collect();
    of_diagnostics(&diagnostics, code, hint)
}

/// As [`of_compiler`], for parsed errors.
pub(super) fn of_diagnostics(
    errors: &[Diagnostic],
    code: &str,
    hint: impl Fn(&Diagnostic) -> Option<String>,
) -> Failure {
    let mut traceback = Vec::new();
    let mut shown_hints = Vec::new();
    let mut first_hint = None;
    for (index, error) in errors.iter().enumerate() {
        // One mistake may cause several errors; its hint is shown once.
        let hint = hint(error).or_else(|| hints::of_compiler(error, code)).filter(|hint| !shown_hints.contains(hint));
        traceback.extend(error.lines(code, hint.as_deref()));
        if index == 0 {
            first_hint.clone_from(&hint);
        }
        shown_hints.extend(hint);
    }
    let first = errors.first().map_or("the cell does not compile", |error| &error.message);
    let message = first_hint.map_or_else(|| first.to_owned(), |hint| format!("{first}\nhint: {hint}"));
    Failure::coloured("CompileError", &message, &traceback)
}

/// Whether an error exists only because evcxr keeps a variable.
fn is_caused_by_keeping(error: &CompilationError) -> bool {
    let spans = error.json["spans"].as_array();
    let mut texts = spans.into_iter().flatten().filter_map(|span| span["text"][0]["text"].as_str());
    texts.any(|text| text.contains("evcxr_variable_store")) || error.message().contains("non-static lifetime so")
}

/// Replaces a long error that says that the last expression cannot be shown.
fn simplify(error: Diagnostic) -> Diagnostic {
    match type_without_text(&error.message) {
        Some(type_name) => Diagnostic { message: cannot_show(type_name), ..Diagnostic::default() },
        None => error,
    }
}

/// Returns the type of the last expression, if the message says that it cannot be shown.
fn type_without_text(message: &str) -> Option<&str> {
    if !message.contains("evcxr_display") && !message.contains("tracebook_bundles") {
        return None;
    }
    let inner = message.split_once("AsRich<'_, ")?.1;
    let mut depth = 1;
    let end = inner.char_indices().find(|&(at, c)| {
        depth += match c {
            '<' => 1,
            // Not the `>` of an arrow.
            '>' if !inner[..at].ends_with('-') => -1,
            _ => 0,
        };
        depth == 0
    });
    inner.get(..end?.0)
}

fn cannot_show(type_name: &str) -> String {
    format!(
        "cannot show a value of type `{type_name}`: it does not implement `Debug`; add `#[derive(Debug)]`, end the cell with `;`, \
         or show a field of it"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_that_cannot_be_shown_is_named() {
        let message =
            "the method `evcxr_display` exists for struct `AsRich<'_, Vec<fn() -> Foo>>`, but its trait bounds";
        assert_eq!(type_without_text(message), Some("Vec<fn() -> Foo>"));
        assert_eq!(type_without_text("mismatched types"), None);
    }
}
