//! The context of a running magic.

use super::jobs::listener;
use crate::argument::{Call, did_you_mean_or};
use crate::cluster::listen;
use crate::display::{Output, Sink};
use crate::session::{Binding, Cells, Session};
use crate::{Error, Failure};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use trace_base::exec::fork_join::run_with_helpers;
use trace_core::polars::prelude::DataFrame;
use trace_core::{CancellationToken, Execution, Warning};
use trace_view::{Bundle, Part, Report, terminal_safe};

/// How long interrupted work may take to stop its job, if the process ends with it.
const STOP: Duration = Duration::from_secs(10);

/// The session, the worker process and the outputs, as a running magic sees them.
pub struct Context<'a> {
    /// The loaded traces of the notebook.
    pub session: &'a mut Session,
    /// The worker process, where Rust cells run.
    pub cells: &'a mut dyn Cells,
    /// The sink of outputs.
    pub out: &'a Arc<dyn Sink>,
}

impl Context<'_> {
    /// Shows a report, one output per part. A folded warning that another magic line showed is left out.
    pub fn show(&self, report: &Report) {
        // All are rendered before the first is shown.
        for bundle in self.rendered(report) {
            self.out.emit(Output::Display { bundle, id: None });
        }
    }

    /// Renders the parts of a report. Pictures take as long as tables: a helper draws them meanwhile.
    fn rendered(&self, report: &Report) -> Vec<Bundle> {
        let width = self.out.width();
        let is_drawn = |part: &&Part| matches!(part, Part::Figure(_) | Part::HeatMap(_));
        let write = |part: &Part| match part {
            part if is_drawn(&part) => None,
            Part::Folded(folded) => self.session.shown(folded).map(|folded| folded.bundle()),
            part => Some(trace_render::bundle(part, width)),
        };
        let (written, drawn) = run_with_helpers(
            1,
            || report.parts.iter().map(write).collect::<Vec<_>>(),
            report.parts.iter().filter(is_drawn).collect(),
            |part| trace_render::bundle(part, width),
        );
        let mut drawn = drawn.into_iter();
        let parts = report.parts.iter().zip(written);
        parts.filter_map(|(part, written)| if is_drawn(&part) { drawn.next() } else { written }).collect()
    }

    /// Shows the report of a call; with `--quiet` or a bound result only its warnings.
    pub fn show_of(&self, call: &Call<'_>, report: &Report) {
        if call.shows() { self.show(report) } else { self.show(&report.warnings()) }
    }

    /// Prints one line; control characters of names and paths are replaced.
    pub fn print_line(&self, line: impl std::fmt::Display) {
        self.out.emit(Output::Stdout(terminal_safe(&format!("{line}\n"))));
    }

    /// Shows warnings, which even `--quiet` does not suppress.
    pub fn warn<W: std::fmt::Display>(&self, warnings: impl IntoIterator<Item = W>) {
        let parts = warnings.into_iter().map(|warning| Part::Warning(warning.to_string())).collect();
        self.show(&Report { parts });
    }

    /// Shows warnings about recordings. With `--quiet`, repairs that lost nothing are not shown.
    pub fn warn_of<'w>(&self, call: &Call<'_>, warnings: impl IntoIterator<Item = &'w Warning>) {
        let wanted = warnings.into_iter().filter(|warning| !call.quiet() || !warning.is_information());
        self.show(&Report { parts: Warning::parts(wanted) });
    }

    /// Returns the cache of loaded traces; `None` if it is off. Why it cannot be used is a warning, once.
    pub fn cache(&mut self) -> Option<trace_core::Cache> {
        match self.session.cache() {
            Ok(cache) => cache,
            Err(reason) => {
                if self.session.warns_of_cache() {
                    self.warn([format!("{reason}. The trace is loaded without the cache.")]);
                }
                None
            }
        }
    }

    /// Returns the data frame in a Rust variable or expression.
    ///
    /// # Errors
    /// If it is a loaded trace, an unknown variable, or not a data frame.
    pub fn frame(&mut self, call: &Call<'_>, expr: &str) -> Result<DataFrame, Error> {
        if self.session.is_label(expr) {
            let error = call.invalid("variable", expr, "a data frame, not a loaded trace");
            return Err(error.hint(format!("'{expr}.events()' is a data frame")).into());
        }
        let is_name = crate::session::label::check(expr).is_ok();
        let variables = self.cells.variables();
        if is_name && !variables.iter().any(|variable| variable.name == expr) {
            let names = || variables.iter().map(|variable| variable.name.as_str());
            let hint = did_you_mean_or(expr, names(), "%who lists all");
            return Err(call.unknown("variable", expr, "").hint(hint).into());
        }
        self.cells.frame(expr).map_err(Error::Rust)
    }

    /// Binds `df` to the variable `name` of later Rust cells.
    ///
    /// # Errors
    /// If a loaded trace has this name.
    pub fn bind_frame(&mut self, call: &Call<'_>, name: &str, df: &DataFrame) -> Result<(), Error> {
        self.check_free(call, name)?;
        self.session.set_frame(name, trace_core::frame_schema(df));
        self.cells.bind(name, Binding::Frame(df.clone()));
        Ok(())
    }

    /// Checks that no loaded trace is called `name`: a variable would hide it from Rust cells, but not from magics.
    ///
    /// # Errors
    /// If one is.
    pub fn check_free(&self, call: &Call<'_>, name: &str) -> Result<(), Error> {
        if self.session.is_label(name) {
            let error = call.cannot(format!("bind {name}"), "a loaded trace has this name");
            return Err(error.hint(format!("choose another name, or %trace_drop {name} first")).into());
        }
        Ok(())
    }

    /// Runs long work on a worker thread, so that an interrupt takes effect at once: one call of a library cannot always be
    /// stopped halfway. Abandoned work ends at its next checkpoint; it must have no side effects.
    ///
    /// # Errors
    /// [`Error::Interrupted`], or the error of the work.
    pub fn run_blocking<T, E>(&self, work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, Error>
    where
        T: Send + 'static,
        E: Into<Error> + Send + 'static,
    {
        let (done, answer) = channel();
        let execution = Execution::current().cancellation(self.token());
        let out = Arc::clone(self.out);
        let work = move || {
            let heard = || listen(listener(out), || execution.run(work));
            drop(done.send(catch_unwind(AssertUnwindSafe(heard))));
        };
        let unable = |why: String| Error::Rust(Failure::new("InternalError", why));
        std::thread::Builder::new()
            .name("magic".to_owned())
            .spawn(work)
            .map_err(|error| unable(format!("cannot start a thread: {error}")))?;
        loop {
            match answer.recv_timeout(Duration::from_millis(20)) {
                Ok(Ok(answer)) => return answer.map_err(Into::into),
                // The caller of magics reports panics.
                Ok(Err(panic)) => {
                    self.check_interrupt()?;
                    resume_unwind(panic)
                }
                Err(RecvTimeoutError::Timeout) if self.out.interrupted() && self.out.ends_process() => {
                    // It stops its job; what it would answer does not matter.
                    let _ = answer.recv_timeout(STOP);
                    return Err(Error::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => self.check_interrupt()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(unable("a worker thread ended without a result".to_owned()));
                }
            }
        }
    }

    /// Returns the cancellation token of this cell.
    pub fn token(&self) -> CancellationToken {
        let out = Arc::clone(self.out);
        CancellationToken::new(move || out.interrupted())
    }

    /// Checks for an interrupt request.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn check_interrupt(&self) -> Result<(), Error> {
        if self.out.interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
