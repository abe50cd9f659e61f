//! `%time` and `%timeit`: runs the code that a magic was given, and says how long that took.

use super::runner::{Notebook, in_place};
use crate::cell::{Segment, segments};
use crate::display::{Output, Sink};
use crate::magic::{Next, Timing};
use crate::{Error, Failure};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_view::format::seconds;
use trace_view::timing::Repeated;

/// What stands behind Rust that is timed often: on a line of its own, since a comment may end the code.
const BEHIND: &str = "\n}); ::core::result::Result::Ok(()) })?; };";

/// How long Rust took since the cell began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RustTime {
    /// All of it.
    pub(super) whole: Duration,
    /// Running; the rest is compiling.
    pub(super) running: Duration,
}

impl Notebook {
    /// Runs what a magic left to run.
    ///
    /// # Errors
    /// What the code ends with.
    pub(super) fn next(&mut self, next: Next<'_>, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        match next {
            Next::Nothing => Ok(()),
            Next::Run(body) => self.stretches(body, code, out),
            Next::Time { code: timed, timing: Timing::Once, .. } => self.once(timed, code, out),
            Next::Time { setup, code: timed, timing: Timing::Repeated { loops, runs } } => {
                self.repeated((setup, timed), code, (loops, runs), out)
            }
        }
    }

    fn once(&mut self, timed: &str, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let before = std::mem::take(&mut self.rust_time);
        let start = Instant::now();
        let result = self.stretches(timed, code, out);
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
                let silent: Arc<dyn Sink> = Arc::new(Silent(Arc::clone(out)));
                self.stretches(setup, code, &silent)?;
                let repeated = Repeated::measure(loops, runs, || {
                    if out.interrupted() {
                        return Err(Error::Interrupted.into());
                    }
                    self.stretches(timed, code, &silent)
                })?;
                out.emit(Output::Stdout(format!("{repeated}\n")));
                Ok(())
            }
        }
    }

    /// Rust, in a closure that its own process calls.
    fn rust_repeated(
        &mut self,
        setup: &str,
        timed: &str,
        code: &str,
        (loops, runs): (Option<u64>, Option<u64>),
        out: &Arc<dyn Sink>,
    ) -> Result<(), Failure> {
        // Both stand in the cell, one behind the other: so do the places of errors in them.
        let whole = if setup.is_empty() { timed } else { between(code, setup, timed) };
        let placed = in_place(whole, code);
        let begin = placed.len() - whole.len();
        let head = format!(
            "; ::cells::timing::repeat({loops:?}, {runs:?}, || -> ::core::result::Result<(), \
             ::std::boxed::Box<dyn ::std::error::Error>> {{ ::core::hint::black_box({{ "
        );
        let insertions =
            [(begin, "{ ".to_owned()), (placed.len() - timed.len(), head), (placed.len(), BEHIND.to_owned())];
        let start = Instant::now();
        let result = self.engine.run_within(&placed, &insertions, out);
        self.rust_time.whole += start.elapsed();
        self.rust_time.running += self.engine.take_run_time();
        result
    }
}

/// The text of `code` from the start of `first` to the end of `last`, both of which are parts of it.
fn between<'code>(code: &'code str, first: &str, last: &'code str) -> &'code str {
    let offset = |part: &str| (part.as_ptr() as usize).saturating_sub(code.as_ptr() as usize);
    code.get(offset(first)..offset(last) + last.len()).unwrap_or(last)
}

/// Shows nothing.
struct Silent(Arc<dyn Sink>);

impl Sink for Silent {
    fn emit(&self, _: Output) {}

    fn input(&self, prompt: &str, password: bool) -> Result<String, Failure> {
        self.0.input(prompt, password)
    }

    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }
}
