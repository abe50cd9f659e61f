//! `%time` and `%timeit`: run the code that the magic was given and report its duration.

use super::runner::{Notebook, pad_to_line};
use crate::cell::{Segment, segments};
use crate::display::{Output, Sink};
use crate::magic::{Next, Timing};
use crate::{Error, Failure};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_view::format::seconds;
use trace_view::timing::Repeated;

/// Rust after the code of `%timeit`; on its own line, since a comment may end the code.
const SUFFIX: &str = "\n}); ::core::result::Result::Ok(()) })?; };";

impl Notebook {
    /// Runs the code that a magic left to run, and times it if the magic says so.
    ///
    /// # Errors
    /// The error of the code.
    pub(super) fn next(&mut self, next: Next<'_>, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        match next {
            Next::Nothing => Ok(()),
            Next::Run(body) => self.segments(body, code, out),
            Next::Time { code: timed, timing: Timing::Once, .. } => self.once(timed, code, out),
            Next::Time { setup, code: timed, timing: Timing::Repeated { loops, runs } } => {
                self.repeated((setup, timed), code, (loops, runs), out)
            }
        }
    }

    fn once(&mut self, timed: &str, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let before = std::mem::take(&mut self.rust_time);
        let start = Instant::now();
        let result = self.segments(timed, code, out);
        let took = start.elapsed();
        let rust = std::mem::replace(&mut self.rust_time, before);
        result?;
        let text = |time: Duration| seconds(time.as_secs_f64());
        let of_rust = if rust.whole.is_zero() {
            String::new()
        } else {
            format!(
                " (Rust: {} to compile, {} to run)",
                text(rust.whole.saturating_sub(rust.running)),
                text(rust.running)
            )
        };
        out.emit(Output::Stdout(format!("Wall time: {}{of_rust}\n", text(took))));
        Ok(())
    }

    fn repeated(
        &mut self,
        (setup, timed): (&str, &str),
        code: &str,
        (loops, runs): (Option<u64>, Option<u64>),
        out: &Arc<dyn Sink>,
    ) -> Result<(), Failure> {
        let is_rust = |text: &str| segments(text).iter().any(|segment| matches!(segment, Segment::Rust(_)));
        let is_magic = |text: &str| segments(text).iter().any(|segment| !matches!(segment, Segment::Rust(_)));
        match (is_rust(timed) || is_rust(setup), is_magic(timed) || is_magic(setup)) {
            (true, true) => Err(Failure::new(
                "UsageError",
                "%timeit: Rust and magics cannot be timed together, since Rust is timed in its own process. Time them in two \
                 cells, or once with %%time.",
            )),
            (true, false) => self.rust_repeated(setup, timed, code, (loops, runs), out),
            (false, _) => {
                let silent: Arc<dyn Sink> = Arc::new(DiscardSink(Arc::clone(out)));
                self.segments(setup, code, &silent)?;
                let repeated = Repeated::measure(loops, runs, || {
                    if out.interrupted() {
                        return Err(Error::Interrupted.into());
                    }
                    self.segments(timed, code, &silent)
                })?;
                out.emit(Output::Stdout(format!("{repeated}\n")));
                Ok(())
            }
        }
    }

    /// Times Rust inside the worker process, as a closure that it calls repeatedly.
    fn rust_repeated(
        &mut self,
        setup: &str,
        timed: &str,
        code: &str,
        (loops, runs): (Option<u64>, Option<u64>),
        out: &Arc<dyn Sink>,
    ) -> Result<(), Failure> {
        // Setup and code are consecutive in the cell, so one slice keeps the lines of errors in both.
        let whole = if setup.is_empty() { timed } else { between(code, setup, timed) };
        let padded = pad_to_line(whole, code);
        let begin = padded.len() - whole.len();
        let head = format!(
            "; ::cells::timing::repeat({loops:?}, {runs:?}, || -> ::core::result::Result<(), \
             ::std::boxed::Box<dyn ::std::error::Error>> {{ ::core::hint::black_box({{ "
        );
        let insertions =
            [(begin, "{ ".to_owned()), (padded.len() - timed.len(), head), (padded.len(), SUFFIX.to_owned())];
        let start = Instant::now();
        let result = self.engine.run_within(&padded, &insertions, out);
        self.rust_time.whole += start.elapsed();
        self.rust_time.running += self.engine.take_run_time();
        result
    }
}

/// Returns `code` from the start of `first` to the end of `last`, both slices of it.
fn between<'code>(code: &'code str, first: &str, last: &'code str) -> &'code str {
    let offset = |slice: &str| (slice.as_ptr() as usize).saturating_sub(code.as_ptr() as usize);
    code.get(offset(first)..offset(last) + last.len()).unwrap_or(last)
}

/// Sink that drops all outputs.
struct DiscardSink(Arc<dyn Sink>);

impl Sink for DiscardSink {
    fn emit(&self, _: Output) {}

    fn input(&self, prompt: &str, password: bool) -> Result<String, Failure> {
        self.0.input(prompt, password)
    }

    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }
}
