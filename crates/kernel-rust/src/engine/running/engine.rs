//! The engine: evcxr's session behind [`Engine`]; evaluates code and reports what was lost when that fails.

use super::error_hints;
use super::exit_status::exit_status;
use super::interrupt::InterruptControl;
use super::panic::Panic;
use super::pump::CellReport;
use super::startup::{EngineState, StartedEvcxr, cannot_run, start_all};
use crate::Failure;
use crate::display::{Output, Sink};
use crate::engine::compiling::{failure, wrapper};
use crate::engine::patching::edits::Edits;
use crate::engine::patching::parsed_cell::ParsedCell;
use crate::engine::patching::placeholders::TypeNames;
use crate::engine::values::bindings::Bindings;
use crate::engine::values::definitions::Definitions;
use crate::engine::{Engine, RunFolder, Stop};
use crate::session::{Cells, Items};
use crate::sync::lock;
use crate::timeline;
use ::evcxr::{CompilationError, Error, EvalOutputs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use trace_view::Bundle;

/// The name of the phase in which evcxr runs a cell.
const RUN_PHASE: &str = "Execution";

/// The message of a cell whose output was cut off.
const CUT_OFF: &str = "output of this cell was dropped: it did not reach the kernel in time; check whether the cell, or a program \
                       that it started, reads the pipe of its own output";

/// Plays the compiler that evcxr calls, or evcxr's own subprocess, if this binary was called for that, and then does not
/// return. Must be the first statement of `main`.
pub fn runtime_hook() {
    wrapper::hook();
    ::evcxr::runtime_hook();
}

/// Starts the engine in the background; magics need not wait for it.
pub fn start(run_folder: &RunFolder) -> Box<dyn Engine> {
    let folder = run_folder.path().to_owned();
    let control = Arc::new(InterruptControl::new(&folder));
    let starting = {
        let (folder, control) = (folder.clone(), Arc::clone(&control));
        std::thread::Builder::new().name("evcxr".to_owned()).spawn(move || start_all(&folder, &control))
    };
    let state = match starting {
        Ok(thread) => EngineState::Starting(thread),
        Err(error) => EngineState::Failed(Failure::new("EngineError", error.to_string())),
    };
    Box::new(EvcxrEngine {
        state,
        bindings: Bindings::new(&folder),
        folder,
        control,
        export_count: 0,
        segment_count: 0,
        pretty: false,
        definitions: Definitions::default(),
        unavailable: BTreeMap::new(),
        run_time: Duration::ZERO,
        placeholder_count: 0,
        items: Arc::default(),
    })
}

/// The session of evcxr, and what we know of its cells.
pub(super) struct EvcxrEngine {
    pub(in crate::engine) state: EngineState,
    pub(in crate::engine) bindings: Bindings,
    /// The run's folder.
    pub(in crate::engine) folder: PathBuf,
    pub(in crate::engine) control: Arc<InterruptControl>,
    /// How many values were written to files for magics.
    pub(super) export_count: usize,
    /// How many segments of Rust have run.
    segment_count: u64,
    /// Whether debug text is spread over lines (`:fmt {:#?}`).
    pub(in crate::engine) pretty: bool,
    /// The definitions of all cells so far.
    pub(in crate::engine) definitions: Definitions,
    /// Variables that are gone, each with the hint for a cell that names it.
    pub(super) unavailable: BTreeMap<String, String>,
    /// How long cells have run since [`Engine::take_run_time`].
    run_time: Duration,
    /// How many placeholders for types were written into cells.
    pub(super) placeholder_count: usize,
    pub(in crate::engine) items: Arc<Items>,
}

/// Why code did not run to its end.
pub(super) enum RunError {
    /// It does not compile.
    Rejected(Vec<CompilationError>),
    /// evcxr cannot keep the variable of this name; nothing has run.
    NotStorable(String),
    /// Anything else.
    Failed(Failure),
}

impl RunError {
    /// Parses a message of evcxr itself.
    fn from_message(message: String) -> Self {
        let name = message.split('`').nth(1).filter(|_| message.contains("ariable `"));
        match name {
            Some(name) => Self::NotStorable(name.to_owned()),
            None => Self::Failed(Failure::new("Error", message)),
        }
    }
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The sink of code that a magic runs: it shows nothing and has no input.
pub(super) struct SilentSink;

impl Sink for SilentSink {
    fn emit(&self, _: Output) {}

    fn input(&self, _: &str, _: bool) -> Result<String, Failure> {
        Err(Failure::new("InputError", "a magic's argument cannot ask for input"))
    }

    fn interrupted(&self) -> bool {
        false
    }
}

impl EvcxrEngine {
    /// Returns the started evcxr; waits for the start.
    ///
    /// # Errors
    /// If the start failed.
    pub(in crate::engine) fn started(&mut self) -> Result<&mut StartedEvcxr, Failure> {
        if matches!(self.state, EngineState::Starting(_)) {
            let state = std::mem::replace(&mut self.state, EngineState::Failed(cannot_run("it is still starting")));
            if let EngineState::Starting(thread) = state {
                self.state = match thread.join() {
                    Ok(Ok(started)) => EngineState::Started(Box::new(started)),
                    Ok(Err(failure)) => EngineState::Failed(failure),
                    Err(_) => EngineState::Failed(cannot_run("the engine panicked while starting")),
                };
            }
        }
        match &mut self.state {
            EngineState::Started(started) => Ok(started),
            EngineState::Failed(failure) => Err(failure.clone()),
            EngineState::Starting(_) => Err(cannot_run("it is still starting")),
        }
    }

    /// Starts another worker process if the last one ended while nothing ran.
    pub(super) fn revive(&mut self, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let started = self.started()?;
        let Some(status) = exit_status(&mut lock(&started.context.process_handle())) else { return Ok(()) };
        let before = started.variables();
        let silent: Arc<dyn Sink> = Arc::new(SilentSink);
        // evcxr notices that its process is gone when it is to run something, and starts another one.
        let _ = self.evaluate("()", &Edits::default(), &silent);
        let after = self.started()?.variables();
        let lost = self.note_lost(&before, &after, true);
        out.emit(Output::Stderr(format!(
            "the process for Rust cells had ended ({status}) and was started again; {lost}\n"
        )));
        Ok(())
    }

    /// Runs `code` with `edits` in it.
    pub(in crate::engine) fn evaluate(
        &mut self,
        code: &str,
        edits: &Edits,
        out: &Arc<dyn Sink>,
    ) -> Result<(), RunError> {
        let control = Arc::clone(&self.control);
        let started = self.started()?;
        let before = started.variables();
        let edited = edits.apply(code);
        started.pump.begin(out)?;
        timeline::until_next("write");
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| started.context.execute(&edited)));
        let Ok(result) = result else {
            let message = "the compiler's front end panicked on this cell; the next cell runs as usual";
            return Err(Failure::new("EngineError", message).into());
        };
        let process_lost = matches!(result, Err(Error::SubprocessTerminated(_)));
        let report = timeline::during("drain", || started.pump.finish(process_lost));
        let source = started.context.last_source().unwrap_or_default();
        let after = started.variables();
        // An input request ends as soon as the sink is interrupted, which may be before the engine's own request is recorded.
        let interrupted = control.requested() || out.interrupted();
        // What was moved away, or lost with the process, can be attached again.
        let succeeded = result.is_ok() && report == CellReport::default() && !interrupted;
        self.bindings.settle(&before, &after, succeeded);
        let lost = self.note_lost(&before, &after, process_lost);
        let failed = match result {
            _ if interrupted => Failure::new("KeyboardInterrupt", format!("interrupted; {lost}")),
            Ok(outputs) => {
                self.add_run_time(&outputs);
                show(outputs, &TypeNames::load(&self.folder), out);
                match &report.panic {
                    _ if report.panicked => {
                        let panic = report.panic.unwrap_or_else(Panic::without_message);
                        return Err(panic.to_failure(&source, code, edits).into());
                    }
                    Some(panic) => out.emit(Output::Stderr(format!("a panic was caught: {}\n", panic.message))),
                    None => {}
                }
                match report.error {
                    Some(message) => Failure::new("Error", message),
                    None if report.cut_off => Failure::new("OutputError", CUT_OFF),
                    None => return Ok(()),
                }
            }
            Err(Error::CompilationErrors(errors)) => return Err(RunError::Rejected(errors)),
            Err(Error::SubprocessTerminated(message)) => {
                let how = message
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .replace("Subprocess terminated with status", "the process for Rust cells ended");
                let reason = report.panic.map(|panic| format!("{}; ", panic.message)).unwrap_or_default();
                Failure::new("ProcessLost", format!("{reason}{how}; {lost}"))
            }
            Err(error) => return Err(RunError::from_message(error.to_string())),
        };
        Err(failed.into())
    }

    /// Converts an error to the failure that the user sees; `code` is the cell without `edits`.
    pub(super) fn to_failure(&self, error: RunError, code: &str, edits: &Edits) -> Failure {
        // The toolchain may have been replaced while the cell was compiled against it.
        if let (RunError::Rejected(_), EngineState::Started(started)) = (&error, &self.state)
            && let Err(replaced) = started.check_toolchain()
        {
            return replaced;
        }
        match error {
            RunError::Failed(failure) => failure,
            RunError::NotStorable(name) => {
                Failure::new("CompileError", format!("`{name}` has a type that cannot be kept"))
            }
            RunError::Rejected(errors) => failure::of_compiler(&errors, code, edits, |error| {
                // `df` is a macro, too.
                let missing = ["cannot find ", "expected value, found macro "];
                let rest = missing.iter().find_map(|start| error.message.strip_prefix(start))?;
                let name = rest.split('`').nth(1)?;
                self.unavailable.get(name).cloned().or_else(|| self.missing_variable(name, &error.message))
            }),
        }
    }

    /// Returns the hint for an item that names a variable of the notebook, or for a variable that is a macro only.
    fn missing_variable(&self, name: &str, message: &str) -> Option<String> {
        let EngineState::Started(started) = &self.state else { return None };
        if started.variables().contains(name) || self.bindings.contains(name) {
            let known = self.variables().into_iter().find(|variable| variable.name == name);
            let type_name = known.map_or_else(|| "T".to_owned(), |variable| variable.type_name);
            return Some(format!(
                "functions do not see the variables of the notebook: pass `{name}` as a parameter, as in `fn f({name}: &{type_name})`"
            ));
        }
        let is_macro = message.starts_with("expected value, found macro");
        is_macro.then(|| {
            format!("there is no variable `{name}`: `let {name} = …` makes one, `{name} = %MAGIC …` binds the answer of a magic")
        })
    }

    /// Returns the failure of an interrupt if one was requested.
    pub(super) fn check_interrupt(&self, when: &str) -> Result<(), Failure> {
        if self.control.requested() {
            return Err(Failure::new("KeyboardInterrupt", format!("interrupted {when}")));
        }
        Ok(())
    }

    /// Notes and describes the variables that the user has lost. Values that magics loaded or bound do not count: they are
    /// attached again.
    fn note_lost(&mut self, before: &BTreeSet<String>, after: &BTreeSet<String>, process_lost: bool) -> String {
        let names: Vec<&str> =
            before.difference(after).map(String::as_str).filter(|name| !self.bindings.contains(name)).collect();
        if names.is_empty() {
            return "no variable was lost".to_owned();
        }
        let hint = |name: &&str| {
            let how =
                if process_lost { "was lost with the process for Rust cells" } else { "was moved in an earlier cell" };
            ((*name).to_owned(), format!("`{name}` {how}; run the cell that made it again"))
        };
        self.unavailable.extend(names.iter().map(hint));
        format!(
            "these Rust variables were lost: {}; loaded traces and values that magics bound are attached again",
            names.join(", ")
        )
    }

    /// Adds a hint to an error with which a cell ended; about a missing column, with the columns that exist.
    fn add_hint(&mut self, failure: Failure, code: &str) -> Failure {
        if !["Error", "Panic"].contains(&failure.ename.as_str()) {
            return failure;
        }
        let columns = |missing: &str| {
            let frame = ParsedCell::parse(code).frame_with_column(missing)?;
            let names = format!("({frame}).get_column_names().iter().map(|name| name.to_string()).collect::<Vec<_>>()");
            let names = self.text(&names).ok()?;
            Some(names.split(',').map(str::to_owned).collect())
        };
        if failure.ename == "Panic" {
            return match error_hints::of_panic(&failure.evalue, columns) {
                Some(hint) => failure.with_hint(&hint),
                None => failure,
            };
        }
        let message = error_hints::with_hint(&failure.evalue, columns);
        Failure::new("Error", message)
    }

    fn add_run_time(&mut self, outputs: &EvalOutputs) {
        let running = outputs.phases.iter().filter(|phase| phase.name == RUN_PHASE);
        self.run_time += running.map(|phase| phase.duration).sum::<Duration>();
    }

    /// Runs a segment between [`InterruptControl::begin`] and [`InterruptControl::end`].
    fn run_interruptible(
        &mut self,
        out: &Arc<dyn Sink>,
        run: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.segment_count += 1;
        self.control.begin(self.segment_count);
        let result = if out.interrupted() {
            // Requested before there was a segment to stop.
            Err(Failure::new("KeyboardInterrupt", "interrupted before it ran"))
        } else {
            run(self)
        };
        if let EngineState::Started(started) = &self.state {
            // For a segment that ended before it could run.
            started.pump.finish(false);
        }
        self.control.end();
        result
    }
}

impl Engine for EvcxrEngine {
    fn run(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let result = self.run_interruptible(out, |engine| engine.run_segment(code, out));
        timeline::until_next("reply");
        result.map_err(|failure| self.add_hint(failure, code))
    }

    fn run_within(&mut self, code: &str, insertions: &[(usize, String)], out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.run_interruptible(out, |engine| engine.run_inserted(code, insertions, out))
    }

    fn take_run_time(&mut self) -> Duration {
        std::mem::take(&mut self.run_time)
    }

    fn interrupter(&self) -> Box<dyn Fn() -> Stop + Send + Sync> {
        let control = Arc::clone(&self.control);
        Box::new(move || control.request())
    }
}

/// Shows the answer of a command of evcxr's (`:vars`, `:help`).
fn show(outputs: EvalOutputs, types: &TypeNames, out: &Arc<dyn Sink>) {
    let mut bundle = Bundle::default();
    bundle.data.extend(outputs.content_by_mime_type.into_iter().map(|(mime, text)| (mime, types.fill(&text).into())));
    if !bundle.data.is_empty() {
        out.emit(Output::Result(bundle));
    }
}
