//! The session, the Rust side and the outputs, as a running magic sees them.

use crate::display::{Output, Sink};
use crate::magic::argument::Call;
use crate::magic::argument::did_you_mean;
use crate::session::{Binding, Cells, Session};
use crate::{Error, Failure};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use trace::polars::prelude::DataFrame;
use trace::{CancellationToken, TraceSet};
use trace_view::{Part, Report, terminal_safe};

/// What a running magic may touch.
pub struct Context<'a> {
    /// What the notebook holds.
    pub session: &'a mut Session,
    /// The Rust side.
    pub cells: &'a mut dyn Cells,
    /// Where outputs go.
    pub out: &'a Arc<dyn Sink>,
}

impl Context<'_> {
    /// Shows a report, one output per part.
    pub fn show(&self, report: &Report) {
        for bundle in report.bundles() {
            self.out.emit(Output::Display { bundle, id: None });
        }
    }

    /// Prints one line; what a name or a path holds cannot steer the terminal.
    pub fn print_line(&self, line: impl std::fmt::Display) {
        self.out.emit(Output::Stdout(terminal_safe(&format!("{line}\n"))));
    }

    /// Shows what the reader must not miss, even of a magic that shows nothing else.
    pub fn warn<W: std::fmt::Display>(&self, warnings: impl IntoIterator<Item = W>) {
        let parts = warnings.into_iter().map(|warning| Part::Warning(warning.to_string())).collect();
        self.show(&Report { parts });
    }

    /// The loaded trace that a call names.
    ///
    /// # Errors
    /// If no trace has this label; says which have one.
    pub fn trace(&self, call: &Call<'_>, label: &str) -> Result<Arc<TraceSet>, Error> {
        if let Some(trace) = self.session.trace(label) {
            return Ok(Arc::clone(trace));
        }
        let labels: Vec<&str> = self.session.traces().keys().map(String::as_str).collect();
        let loaded = if labels.is_empty() {
            "None is loaded; %trace_load PATH --as NAME loads one.".to_owned()
        } else {
            format!("Loaded: {}.", labels.join(", "))
        };
        let meant = did_you_mean(label, labels.iter().copied());
        Err(call.usage(format!("no trace named \"{label}\". {loaded}{meant}")))
    }

    /// The data frame in a Rust variable or expression.
    ///
    /// # Errors
    /// If it is a loaded trace, no variable at all, or whatever the Rust side answers.
    pub fn frame(&mut self, call: &Call<'_>, expr: &str) -> Result<DataFrame, Error> {
        if self.session.trace(expr).is_some() {
            return Err(call.usage(format!("{expr} is a loaded trace, not a data frame; '{expr}.events()' is one.")));
        }
        let is_name = crate::session::label::check(expr).is_ok();
        let variables = self.cells.variables();
        if is_name && !variables.iter().any(|variable| variable.name == expr) {
            let names = || variables.iter().map(|variable| variable.name.as_str());
            let meant = did_you_mean(expr, names());
            return Err(call.usage(format!("no variable named \"{expr}\".{meant} (%who lists all)")));
        }
        self.cells.frame(expr).map_err(Error::Rust)
    }

    /// Makes `name` a variable of the next Rust cell that holds `df`.
    ///
    /// # Errors
    /// If a loaded trace has this name.
    pub fn bind_frame(&mut self, call: &Call<'_>, name: &str, df: &DataFrame) -> Result<(), Error> {
        self.check_free(call, name)?;
        self.session.set_frame(name, trace::frame_schema(df));
        self.cells.bind(name, Binding::Frame(df.clone()));
        Ok(())
    }

    /// Checks that no loaded trace is called `name`.
    ///
    /// # Errors
    /// If one is: binding would hide it from Rust cells but not from magics.
    pub fn check_free(&self, call: &Call<'_>, name: &str) -> Result<(), Error> {
        match self.session.trace(name) {
            Some(_) => {
                Err(call.usage(format!("{name} is a loaded trace. Take another name, or %trace_drop {name} first.")))
            }
            None => Ok(()),
        }
    }

    /// Does work that may take long on a thread of its own, so that an interrupt need not wait for it: what a library does in
    /// one call cannot always be stopped in its middle. Work that nobody waits for any more ends at its next look at the
    /// interrupt; it must only compute.
    ///
    /// # Errors
    /// [`Error::Interrupted`], or what the work ended with.
    pub fn run_blocking<T, E>(&self, work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, Error>
    where
        T: Send + 'static,
        E: Into<Error> + Send + 'static,
    {
        let (done, answer) = channel();
        let token = self.token();
        let work = move || drop(done.send(catch_unwind(AssertUnwindSafe(|| token.run(work)))));
        let unable = |why: String| Error::Rust(Failure::new("InternalError", why));
        std::thread::Builder::new()
            .name("magic".to_owned())
            .spawn(work)
            .map_err(|error| unable(format!("cannot start a thread: {error}")))?;
        loop {
            match answer.recv_timeout(Duration::from_millis(20)) {
                Ok(Ok(answer)) => return answer.map_err(Into::into),
                // A defect is reported by whoever runs magics.
                Ok(Err(defect)) => {
                    self.check_interrupt()?;
                    resume_unwind(defect)
                }
                Err(RecvTimeoutError::Timeout) => self.check_interrupt()?,
                Err(RecvTimeoutError::Disconnected) => return Err(unable("a thread is gone".to_owned())),
            }
        }
    }

    /// What ends the work of this cell, and of no other, at an interrupt.
    pub fn token(&self) -> CancellationToken {
        let out = Arc::clone(self.out);
        CancellationToken::new(move || out.interrupted())
    }

    /// Stops here if the person pressed the interrupt button.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn check_interrupt(&self) -> Result<(), Error> {
        if self.out.interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
