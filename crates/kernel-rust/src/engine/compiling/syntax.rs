//! The check of a cell's syntax: the compiler's parser sees the cell alone, so its messages cannot mention code that is written
//! around it.

use super::diagnostic::{Diagnostic, Label, Span};
use super::failure;
use crate::Failure;
use crate::cell::{Unpaired, unpaired};
use crate::engine::patching::environment;
use std::path::Path;
use std::process::{Command, Stdio};

/// Checks a cell in which our own parser found an error. Returns `None` if the compiler's parser finds none or cannot run; the
/// compilation reports the error then.
pub(in crate::engine) fn check(code: &str, folder: &Path) -> Option<Failure> {
    let errors = match unpaired(code) {
        Some(unpaired) => vec![bracket_error(&unpaired, code)],
        None => parse(code, folder)?,
    };
    (!errors.is_empty()).then(|| failure::of_diagnostics(&errors, code, |_| None))
}

/// Returns the errors of rustc's parser. The cell is the body of a function that is configured out: it is parsed, and no name in
/// it is resolved.
fn parse(code: &str, folder: &Path) -> Option<Vec<Diagnostic>> {
    let file = folder.join("syntax.rs");
    std::fs::write(&file, format!("#[cfg(any())] fn cell() {{\n{code}\n}}\n")).ok()?;
    let mut rustc = Command::new("rustc");
    environment::restore(&mut rustc);
    rustc.args(["--edition", "2024", "--crate-type", "lib", "--emit=metadata", "--cap-lints=allow"]);
    rustc.args(["--error-format=json", "-o"]).arg(folder.join("syntax.rmeta")).arg(&file);
    let output = rustc.stdin(Stdio::null()).output().ok()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    let read = |line: &str| Diagnostic::from_rustc(&serde_json::from_str(line).ok()?, code, 1);
    Some(messages.lines().filter_map(read).collect())
}

fn bracket_error(unpaired: &Unpaired, code: &str) -> Diagnostic {
    let bracket = |at: usize| code[at..].chars().next().unwrap_or_default();
    let span = |at: usize| {
        let before = &code[..at];
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Span { line: before.matches('\n').count() + 1, from: column, to: column + 1 }
    };
    let label = |at: usize, text: &str| Label { span: span(at), text: text.to_owned() };
    let (message, labels) = match *unpaired {
        Unpaired::Unclosed { open } => {
            let message = format!("unclosed delimiter `{}`: it is never closed in this cell", bracket(open));
            (message, vec![label(open, "unclosed delimiter")])
        }
        Unpaired::Unopened { close } => {
            let message = format!("unexpected closing delimiter `{}`: nothing is open here", bracket(close));
            (message, vec![label(close, "unexpected closing delimiter")])
        }
        Unpaired::Mismatched { open, close } => {
            let message = format!("mismatched closing delimiter `{}`: `{}` is open", bracket(close), bracket(open));
            (message, vec![label(close, "mismatched closing delimiter"), label(open, "unclosed delimiter")])
        }
    };
    Diagnostic { message, labels, ..Diagnostic::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpaired_bracket_has_line_and_column() {
        let failure = check("let x = 1;\nif x { y(", Path::new("/nowhere")).unwrap();
        assert_eq!(failure.evalue, "unclosed delimiter `(`: it is never closed in this cell");
        assert!(failure.traceback.iter().any(|line| line.contains("line 2, column 9")), "{failure:?}");
    }
}
