//! A panic that ended a cell, shown at the user's own line.

use crate::Failure;
use crate::engine::patching::edits::Edits;

const BOLD_RED: &str = "\u{1b}[1;31m";
const BLUE: &str = "\u{1b}[1;34m";
const RESET: &str = "\u{1b}[0m";

/// A panic, as the panic hook of the worker process reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine) struct Panic {
    pub(in crate::engine) message: String,
    /// The source file; empty if unknown.
    pub(in crate::engine) file: String,
    pub(in crate::engine) line: u32,
}

impl Panic {
    /// Returns the panic of which no hook reported anything (`std::panic::resume_unwind`).
    pub(super) fn without_message() -> Self {
        Self { message: "a panic without a message".to_owned(), file: String::new(), line: 0 }
    }

    /// Converts it to a failure that points at a line of `code`, if the panic happened there. `source` is what was compiled,
    /// `edits` is what we wrote into `code`.
    pub(super) fn to_failure(&self, source: &str, code: &str, edits: &Edits) -> Failure {
        let mut traceback = vec![format!("{BOLD_RED}panic{RESET}: {}", self.message)];
        let compiled =
            self.file.ends_with("src/lib.rs").then(|| source.lines().nth((self.line as usize).saturating_sub(1)));
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
            None if compiled.is_none() && !self.file.is_empty() => {
                traceback.push(format!("  {BLUE}-->{RESET} {}:{}", self.file, self.line))
            }
            None => {}
        }
        Failure::coloured("Panic", &self.message, &traceback)
    }
}
