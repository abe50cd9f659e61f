//! Plain text for standard output (results) and standard error (everything else).

use super::progress_line::ProgressLine;
use super::wrap::wrapped;
use crate::display::{Output, Sink};
use crate::{Error, Failure};
use kernel_magic::argument::Call;
use kernel_magic::context::write;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use trace_view::{HTML, Part, Report, terminal_safe};

/// Tables of a narrower terminal are written for this width, in characters.
const LEAST_WIDTH: usize = 40;

/// The sink of commands.
#[derive(Debug)]
pub(super) struct Screen {
    /// Set by Ctrl-C, where a command handles it.
    interrupted: Arc<AtomicBool>,
    /// What is a bar in a notebook.
    bar: ProgressLine,
    /// Whether a part of an answer was printed: the next one follows an empty line.
    has_printed: AtomicBool,
}

impl Sink for Screen {
    fn emit(&self, output: Output) {
        match output {
            // A bar, until its last line, which has no HTML.
            Output::Display { id: Some(_), bundle } | Output::Update { bundle, .. } => {
                if bundle.data.contains_key(HTML) {
                    self.bar.print(|| bundle.plain().to_owned());
                } else {
                    self.bar.clear();
                }
            }
            Output::Display { bundle, .. } | Output::Result(bundle) => match bundle.warning() {
                Some(text) => Self::log(&format!("warning: {text}")),
                None => {
                    let space = if self.has_printed.swap(true, Ordering::Relaxed) { "\n" } else { "" };
                    // A closed pipe ends the command elsewhere.
                    let _ = Self::print(&format!("{space}{}", bundle.plain()));
                }
            },
            Output::Page(bundle) => drop(Self::page(bundle.plain())),
            Output::Stdout(text) | Output::Stderr(text) => Self::log(text.trim_end()),
            _ => {}
        }
    }

    fn input(&self, _: &str, _: bool) -> Result<String, Failure> {
        Err(Failure::new("StdinNotImplementedError", "a command reads no input"))
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn width(&self) -> Option<usize> {
        screen_width()
    }

    fn ends_process(&self) -> bool {
        true
    }
}

/// Returns the characters of a line of the terminal that standard output is; `None` for a file or a pipe.
fn screen_width() -> Option<usize> {
    let out = std::io::stdout();
    if !out.is_terminal() {
        return None;
    }
    let columns = rustix::termios::tcgetwinsize(&out).ok()?.ws_col;
    (columns > 0).then(|| usize::from(columns).max(LEAST_WIDTH))
}

impl Screen {
    /// Creates the sink of a command that this flag interrupts.
    pub(super) fn new(interrupted: Arc<AtomicBool>, call: &Call<'_>) -> Self {
        Self { interrupted, bar: ProgressLine::new(call), has_printed: AtomicBool::new(false) }
    }

    /// Prints text and a newline on standard output. A closed pipe (`| head`) is not an error.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn print(text: &str) -> Result<(), Error> {
        Self::fill(|out| writeln!(out, "{}", text.trim_end()))
    }

    /// Prints a page of help; in a terminal its lines are no longer than fit.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn page(text: &str) -> Result<(), Error> {
        Self::print(&screen_width().map_or_else(|| text.to_owned(), |width| wrapped(text, width)))
    }

    /// Prints a report: its warnings on standard error, and if it is `wanted`, text and all rows of tables, separated by blank lines, on
    /// standard output; no figures.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn show(report: &Report, wanted: bool) -> Result<(), Error> {
        let warnings = report.parts.iter().filter_map(|part| match part {
            Part::Warning(text) => Some(text.clone()),
            Part::Folded(folded) if folded.is_warning => Some(format!("{}\n{}", folded.title, folded.text)),
            _ => None,
        });
        Self::warn(&warnings.collect::<Vec<_>>());
        if !wanted {
            return Ok(());
        }
        let parts = report.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(terminal_safe(text)),
            Part::Folded(folded) if !folded.is_warning => Some(terminal_safe(&folded.plain())),
            Part::Table(table) => Some(screen_width().map_or_else(|| table.text(), |width| table.text_within(width))),
            _ => None,
        });
        Self::print(&parts.collect::<Vec<_>>().join("\n\n"))
    }

    /// As [`Self::show`], of a report that is wanted.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn report(report: &Report) -> Result<(), Error> {
        Self::show(report, true)
    }

    /// Prints a line on standard error.
    pub(super) fn log(text: &str) {
        // A failure to write to standard error cannot be reported anywhere.
        let _ = writeln!(std::io::stderr(), "{}", terminal_safe(text));
    }

    /// Prints each distinct warning once on standard error.
    pub(super) fn warn(warnings: &[String]) {
        for (index, warning) in warnings.iter().enumerate() {
            if !warnings[..index].contains(warning) {
                Self::log(&format!("warning: {warning}"));
            }
        }
    }

    /// Writes the file of the flag `name`, if given; `-` is standard output.
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
            Self::log(&format!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// Returns whether to print the report: not with `--quiet`, nor if a file goes to standard output.
    ///
    /// # Errors
    /// If two files go to standard output.
    pub(super) fn is_free(call: &Call<'_>, files: &[&str]) -> Result<bool, Error> {
        let taken: Vec<&&str> =
            files.iter().filter(|name| call.path(name).is_some_and(|path| is_standard(&path))).collect();
        match taken.as_slice() {
            [] => Ok(!call.quiet()),
            [_] => Ok(false),
            [one, other, ..] => {
                let what = format!("write --{one} and --{other} to standard output");
                Err(call.cannot(what, "it takes one file").hint("name a file for one of them").into())
            }
        }
    }

    /// Writes to standard output; a reader that closed it is no error.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn fill(fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
        let attempt = || {
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            fill(&mut out)?;
            out.flush()
        };
        match attempt() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::File { path: "standard output".into(), cause: error })
            }
            _ => Ok(()),
        }
    }
}

fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}
