//! Standard output and standard error: answers go to the one, everything else to the other. Plain text without colours.

use crate::display::{Output, Sink};
use crate::magic::argument::Call;
use crate::magic::context::write;
use crate::{Error, Failure};
use std::io::{ErrorKind, Write};
use std::path::Path;
use trace_view::{Part, Report, terminal_safe};

/// The terminal.
pub(super) struct Screen;

impl Sink for Screen {
    fn emit(&self, output: Output) {
        match output {
            Output::Display { bundle, .. } | Output::Result(bundle) => {
                let _ = Self::print(bundle.plain());
            }
            Output::Stdout(text) | Output::Stderr(text) => Self::tell(text.trim_end()),
            _ => {}
        }
    }

    fn input(&self, _: &str, _: bool) -> Result<String, Failure> {
        Err(Failure::new("StdinNotImplementedError", "a command asks nothing"))
    }

    fn interrupted(&self) -> bool {
        false
    }
}

impl Screen {
    /// Prints text and an end of line on standard output. A reader that has seen enough (`| head`) is no error.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn print(text: &str) -> Result<(), Error> {
        Self::fill(|out| writeln!(out, "{}", text.trim_end()))
    }

    /// Prints a report: all rows of its tables, none of its figures, a blank line between the parts.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn report(report: &Report) -> Result<(), Error> {
        let parts = report.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(terminal_safe(text)),
            Part::Warning(text) => Some(format!("Warning: {}", terminal_safe(text))),
            Part::Table(table) => Some(table.text()),
            _ => None,
        });
        Self::print(&parts.collect::<Vec<_>>().join("\n\n"))
    }

    /// Prints a line on standard error.
    pub(super) fn tell(text: &str) {
        // Nobody is left to be told of a standard error that is gone.
        let _ = writeln!(std::io::stderr(), "{}", terminal_safe(text));
    }

    /// Tells warnings, each once.
    pub(super) fn warn(warnings: &[String]) {
        for (place, warning) in warnings.iter().enumerate() {
            if !warnings[..place].contains(warning) {
                Self::tell(&format!("warning: {warning}"));
            }
        }
    }

    /// Writes what `fill` writes to the file of the flag `name`, if it was given; `-` is standard output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn file(
        call: &Call<'_>,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        let Some(path) = call.path(name) else { return Ok(()) };
        if is_standard(&path) {
            return Self::fill(fill);
        }
        write(&path, fill)?;
        if !call.quiet() {
            Self::tell(&format!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// Whether the report is to be printed: not with `--quiet`, and not where a file takes standard output.
    ///
    /// # Errors
    /// If two files want standard output.
    pub(super) fn is_free(call: &Call<'_>, files: &[&str]) -> Result<bool, Error> {
        let taken: Vec<&&str> =
            files.iter().filter(|name| call.path(name).is_some_and(|path| is_standard(&path))).collect();
        match taken.as_slice() {
            [] => Ok(!call.quiet()),
            [_] => Ok(false),
            [one, other, ..] => Err(call.usage(format!("--{one} - and --{other} - cannot share standard output."))),
        }
    }

    fn fill(fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
        let attempt = || {
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            fill(&mut out)?;
            out.flush()
        };
        match attempt() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::File { path: "standard output".into(), source: error })
            }
            _ => Ok(()),
        }
    }
}

fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}
