//! The only file that names evcxr's context: cells in, outputs and errors out.

use super::analyse::{self, Cell};
use super::bindings::Bindings;
use super::commands;
use super::dependencies;
use super::edits::Edits;
use super::failure;
use super::hints;
use super::interrupt::Control;
use super::live::{Live, Stage, broken, prepare};
use super::named::Named;
use super::probe;
use super::pump::{Panic, Seen};
use super::redefined::Definitions;
use super::server;
use super::silent::Silent;
use super::stopped::Stopped;
use super::syntax;
use super::transient::{self, Reason, Transient, Unkept};
use super::within::show;
use super::{Engine, RunFolder, Stop};
use crate::Failure;
use crate::cell::without_commands;
use crate::display::{Output, Sink};
use crate::session::{Cells, Items};
use crate::sync::lock;
use crate::timeline;
use ::evcxr::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Starts the engine in the background; magics need not wait for it.
pub fn start(run_folder: &RunFolder) -> Box<dyn Engine> {
    let folder = run_folder.path().to_owned();
    let control = Arc::new(Control::new(&folder));
    let preparing = {
        let (folder, control) = (folder.clone(), Arc::clone(&control));
        std::thread::Builder::new().name("evcxr".to_owned()).spawn(move || prepare(&folder, &control))
    };
    let stage = match preparing {
        Ok(thread) => Stage::Starting(thread),
        Err(error) => Stage::Broken(Failure::new("EngineError", error.to_string())),
    };
    Box::new(Evcxr {
        stage,
        bindings: Bindings::new(&folder),
        folder,
        control,
        exports: 0,
        cells: 0,
        pretty: false,
        definitions: Definitions::default(),
        gone: BTreeMap::new(),
        ran: Duration::ZERO,
        placeholders: 0,
        items: Arc::default(),
    })
}

/// Said of a cell whose output stopped on its way.
const CUT_OFF: &str = "a part of the output of this cell did not reach the kernel in time and is dropped; \
                       does the cell, or a program that it started, read the pipe of its own output?";

/// The engine.
pub(super) struct Evcxr {
    pub(super) stage: Stage,
    pub(super) bindings: Bindings,
    pub(super) folder: PathBuf,
    pub(super) control: Arc<Control>,
    pub(super) exports: usize,
    /// How many stretches of Rust have run.
    pub(super) cells: u64,
    /// Whether debug text is spread over lines (`:fmt {:#?}`).
    pretty: bool,
    /// What the cells so far have defined.
    pub(super) definitions: Definitions,
    /// Variables that are no more, each with the reason, for the cell that asks for one.
    gone: BTreeMap<String, String>,
    /// For how long cells have run, since that was asked last.
    pub(super) ran: Duration,
    /// How many placeholders for types were written into cells.
    pub(super) placeholders: usize,
    pub(super) items: Arc<Items>,
}

/// What is known of a cell that is to run, and what was written into it.
#[derive(Default)]
pub(super) struct Written {
    /// What every run of it needs.
    pub(super) base: Edits,
    types: BTreeMap<String, String>,
    transient: Transient,
    /// Transient variables that must be dropped before others are kept.
    outlived: BTreeSet<String>,
}

impl Written {
    /// Only what every run needs.
    pub(super) fn of(base: Edits) -> Self {
        Self { base, ..Self::default() }
    }

    fn of_type(&self, name: &str) -> Option<(String, Reason)> {
        Some((name.to_owned(), Reason::of_type(self.types.get(name)?)?))
    }
}

impl Evcxr {
    pub(super) fn live(&mut self) -> Result<&mut Live, Failure> {
        if matches!(self.stage, Stage::Starting(_)) {
            let stage = std::mem::replace(&mut self.stage, Stage::Broken(broken("it is still starting")));
            if let Stage::Starting(thread) = stage {
                self.stage = match thread.join() {
                    Ok(Ok(live)) => Stage::Live(Box::new(live)),
                    Ok(Err(failure)) => Stage::Broken(failure),
                    Err(_) => Stage::Broken(broken("the engine panicked while starting")),
                };
            }
        }
        match &mut self.stage {
            Stage::Live(live) => Ok(live),
            Stage::Broken(failure) => Err(failure.clone()),
            Stage::Starting(_) => Err(broken("it is still starting")),
        }
    }

    /// Runs code as part of a cell: bound values attached, types of `let` found.
    fn run_whole(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.live()?.check_kit()?;
        let asked = commands::review(code)?;
        asked.build_env.then(|| server::leave_to_program(&self.folder));
        let parsing = timeline::step("parse");
        let cell = Cell::parse(code);
        if cell.is_faulty()
            && let Some(failure) = syntax::check(&without_commands(code), &self.folder)
        {
            return Err(failure);
        }
        self.revive(out)?;
        // What is said while the cell compiles (cargo's progress) belongs to it, too.
        self.live()?.pump.begin(out)?;
        let reviewed = dependencies::review(code)?;
        for note in reviewed.iter().flat_map(|reviewed| &reviewed.notes) {
            out.emit(Output::Stderr(format!("{note}\n")));
        }
        // Of the same length in lines: a line that asks for what is there is left out.
        let (code, cell) = match &reviewed {
            Some(reviewed) => (reviewed.code.as_str(), Cell::parse(&reviewed.code)),
            None => (code, cell),
        };
        let mut edits = Edits::default();
        if let Some(at) = analyse::shell_like(code) {
            edits.insert(at, " ");
        }
        let attaching = self.bindings.attach(code)?;
        match cell.first_statement() {
            _ if attaching.is_empty() => {}
            Some(at) => edits.insert(at, &attaching),
            None => {
                let whole = Edits::default();
                self.evaluate(&attaching, &whole, out).map_err(|stopped| self.failure(stopped, &attaching, &whole))?;
            }
        }
        cell.add_checkpoints(&mut edits);
        let context = &self.live()?.context;
        let items: BTreeSet<&str> = context.defined_item_names().collect();
        let variables = context.variables_and_types().map(|(name, _)| name);
        let taken: BTreeSet<&str> = variables.chain(items).collect();
        cell.call_macros(|name| taken.contains(name), &mut edits);
        let definitions = cell.definitions();
        drop(parsing);
        let mut written = Written::of(edits);
        let (result, dropped) = match self.run_at_once(code, &cell, &written, out)? {
            Some(result) => (result, Vec::new()),
            None => self.run_analysed(code, &cell, &mut written, out)?,
        };
        if result.as_ref().err().is_none_or(|failure| failure.ename != "CompileError") {
            // Also of a cell that panicked: evcxr keeps what it defined.
            self.definitions.add(definitions);
            self.gone
                .extend(written.transient.iter().map(|(name, reason)| (name.clone(), reason.as_of_earlier_cell(name))));
        }
        self.note_items(code, result.as_ref().err());
        let after = self.live()?.variables();
        let lost: Vec<&str> = dropped.iter().map(String::as_str).filter(|name| !after.contains(*name)).collect();
        if !lost.is_empty() {
            out.emit(Output::Stderr(format!("lost, since their type is defined anew: {}\n", lost.join(", "))));
        }
        result?;
        if !written.transient.is_empty() {
            out.emit(Output::Stderr(transient::note(&written.transient)));
        }
        self.pretty = asked.pretty.unwrap_or(self.pretty);
        if asked.clear {
            self.definitions.clear();
            self.gone.clear();
            self.items = Arc::default();
        }
        Ok(())
    }

    /// Runs a cell once the types of its variables are known; its result, and the variables that were dropped before.
    fn run_analysed(
        &mut self,
        code: &str,
        cell: &Cell,
        written: &mut Written,
        out: &Arc<dyn Sink>,
    ) -> Result<(Result<(), Failure>, Vec<String>), Failure> {
        let (types, checked) = self.types(cell, code, &written.base)?;
        written.types = types;
        written.transient = cell.untyped().iter().filter_map(|binding| written.of_type(&binding.name)).collect();
        let mut edits = self.edits(cell, written);
        let dropped = self.drop_outdated(&cell.definitions(), checked, code, &edits)?;
        loop {
            probe::take_unkept(&self.folder);
            let Err(stopped) = self.evaluate(code, &edits, out) else { return Ok((Ok(()), dropped)) };
            if !self.hides_more(&stopped, cell, written) {
                return Ok((Err(self.failure(stopped, code, &edits)), dropped));
            }
            // Offered once more to the cell that runs once more.
            self.bindings.attach(code)?;
            edits = self.edits(cell, written);
        }
    }

    /// The types of the cell's untyped variables, and whether the cell was checked without an error.
    fn types(&mut self, cell: &Cell, code: &str, edits: &Edits) -> Result<(BTreeMap<String, String>, bool), Failure> {
        if cell.untyped().is_empty() {
            return Ok((BTreeMap::new(), false));
        }
        probe::forget_types(&self.folder);
        let live = self.live()?;
        let errors = timeline::during("analyse", || live.context.check(&edits.apply(code)));
        let types = probe::found_types(&self.folder);
        self.stop_if_interrupted("while compiling; nothing was lost")?;
        match errors {
            Ok(errors) if !errors.is_empty() => {
                self.live()?.pump.finish(false);
                Err(self.failure(Stopped::Rejected(errors), code, edits))
            }
            // What cannot be analysed (an evcxr command that fails, say) says so itself when it runs.
            checked => Ok((types, checked.is_ok())),
        }
    }

    /// Everything that is written into the cell before it runs.
    pub(super) fn edits(&self, cell: &Cell, written: &mut Written) -> Edits {
        let mut edits = written.base.clone();
        let beside = cell.hide(|name| written.transient.contains_key(name), &mut edits);
        // Of a statement that evcxr does not see, it learns those variables whose types are written behind it.
        let untold = beside.into_iter().filter(|name| !written.types.contains_key(name));
        written.transient.extend(untold.map(|name| (name, Reason::Nameless)).collect::<Vec<_>>());
        if let Some(at) = cell.first_statement().filter(|_| !written.outlived.is_empty()) {
            edits.insert(at, &transient::comment(&written.outlived));
        }
        let transient = &written.transient;
        analyse::add_types(&cell.untyped(), &written.types, |name| !transient.contains_key(name), &mut edits);
        cell.wrap_last(if self.pretty { "pretty" } else { "value" }, &mut edits);
        edits
    }

    /// Adds what cannot be kept of the cell's variables, if that was all that was wrong; whether there is more of it.
    fn hides_more(&self, stopped: &Stopped, cell: &Cell, written: &mut Written) -> bool {
        let known = written.transient.len() + written.outlived.len();
        let unkept = match stopped {
            Stopped::Rejected(_) => probe::take_unkept(&self.folder),
            Stopped::Unkept(name) => {
                written.transient.insert(name.clone(), Reason::Nameless);
                Unkept::default()
            }
            Stopped::Failed(_) => return false,
        };
        if unkept.other_errors {
            return false;
        }
        let bound = cell.bound();
        for name in unkept.borrows {
            written.transient.entry(name).or_insert(Reason::Borrow);
        }
        written.transient.retain(|name, _| bound.contains(name));
        written.outlived.extend(unkept.outlived.into_iter().filter(|name| bound.contains(name)));
        written.transient.len() + written.outlived.len() > known
    }

    /// Starts another process for cells if the last one ended while nothing ran.
    fn revive(&mut self, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let live = self.live()?;
        let process = live.context.process_handle();
        let ended = lock(&process).try_wait().ok().flatten();
        let Some(status) = ended else { return Ok(()) };
        let before = live.variables();
        let silent: Arc<dyn Sink> = Arc::new(Silent);
        // evcxr notices that its process is gone when it is to run something, and starts another one.
        let _ = self.evaluate("()", &Edits::default(), &silent);
        let after = self.live()?.variables();
        let lost = self.lost(&before, &after);
        out.emit(Output::Stderr(format!(
            "the process for Rust cells had ended ({status}) and was started again; {lost}\n"
        )));
        Ok(())
    }

    /// Runs code with the edits in it.
    pub(super) fn evaluate(&mut self, code: &str, edits: &Edits, out: &Arc<dyn Sink>) -> Result<(), Stopped> {
        let control = Arc::clone(&self.control);
        let live = self.live()?;
        let before = live.variables();
        let edited = edits.apply(code);
        live.pump.begin(out)?;
        timeline::until_next("write");
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| live.context.execute(&edited)));
        let Ok(result) = result else {
            let message = "the compiler's front end panicked on this cell; the next cell runs as usual";
            return Err(Failure::new("EngineError", message).into());
        };
        let lost_process = matches!(result, Err(Error::SubprocessTerminated(_)));
        let seen = timeline::during("drain", || live.pump.finish(lost_process));
        let source = live.context.last_source().unwrap_or_default();
        let after = live.variables();
        // What was moved away, or lost with the process, can be attached again.
        let ended_well = result.is_ok() && seen == Seen::default() && !control.requested();
        self.bindings.settle(&before, &after, ended_well);
        let lost = self.lost(&before, &after);
        let failed = match result {
            _ if control.requested() => Failure::new("KeyboardInterrupt", format!("interrupted; {lost}")),
            Ok(outputs) => {
                self.note_running(&outputs);
                show(outputs, &Named::read(&self.folder), out);
                match &seen.panic {
                    _ if seen.ended => {
                        let panic = seen.panic.unwrap_or_else(Panic::without_words);
                        return Err(failure::of_panic(&panic, &source, code, edits).into());
                    }
                    Some(panic) => out.emit(Output::Stderr(format!("a panic was caught: {}\n", panic.message))),
                    None => {}
                }
                match seen.failure {
                    Some(message) => Failure::new("Error", message),
                    None if seen.cut_off => Failure::new("OutputError", CUT_OFF),
                    None => return Ok(()),
                }
            }
            Err(Error::CompilationErrors(errors)) => return Err(Stopped::Rejected(errors)),
            Err(Error::SubprocessTerminated(message)) => {
                let how = message
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .replace("Subprocess terminated with status", "the process for Rust cells ended");
                let reason = seen.panic.map(|panic| format!("{}; ", panic.message)).unwrap_or_default();
                Failure::new("ProcessLost", format!("{reason}{how}; {lost}"))
            }
            Err(error) => return Err(Stopped::of_message(error.to_string())),
        };
        Err(failed.into())
    }

    /// What the user is told of code that did not run to its end.
    pub(super) fn failure(&self, stopped: Stopped, code: &str, edits: &Edits) -> Failure {
        // The library may have been replaced while the cell was compiled against it.
        if let (Stopped::Rejected(_), Stage::Live(live)) = (&stopped, &self.stage)
            && let Err(replaced) = live.check_kit()
        {
            return replaced;
        }
        match stopped {
            Stopped::Failed(failure) => failure,
            Stopped::Unkept(name) => Failure::new("CompileError", format!("`{name}` has a type that cannot be kept")),
            Stopped::Rejected(errors) => failure::of_compiler(&errors, code, edits, |error| {
                let name = error.message.strip_prefix("cannot find ").and_then(|rest| rest.split('`').nth(1))?;
                self.gone.get(name).cloned()
            }),
        }
    }

    /// What the user has lost; what magics loaded or bound comes back.
    fn lost(&mut self, before: &BTreeSet<String>, after: &BTreeSet<String>) -> String {
        let names: Vec<&str> =
            before.difference(after).map(String::as_str).filter(|name| !self.bindings.contains(name)).collect();
        if names.is_empty() {
            return "no variable was lost".to_owned();
        }
        let hint = |name: &&str| {
            ((*name).to_owned(), format!("`{name}` was lost with the process for Rust cells; run its cell again"))
        };
        self.gone.extend(names.iter().map(hint));
        format!(
            "these Rust variables were lost: {}; loaded traces and what magics bound come back by themselves",
            names.join(", ")
        )
    }

    /// An error that a cell ended with, with the columns of the frame if it is about one that is missing.
    fn explain(&mut self, failure: Failure, code: &str) -> Failure {
        if failure.ename != "Error" {
            return failure;
        }
        let columns = |missing: &str| {
            let frame = Cell::parse(code).asked_for_column(missing)?;
            let names = format!("({frame}).get_column_names().iter().map(|name| name.to_string()).collect::<Vec<_>>()");
            let names = self.text(&names).ok()?;
            Some(names.split(',').map(str::to_owned).collect())
        };
        let message = hints::with_hint(&failure.evalue, columns);
        Failure::new("Error", message)
    }

    pub(super) fn stop_if_interrupted(&self, when: &str) -> Result<(), Failure> {
        if self.control.requested() {
            return Err(Failure::new("KeyboardInterrupt", format!("interrupted {when}")));
        }
        Ok(())
    }
}

impl Engine for Evcxr {
    fn run(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.cells += 1;
        self.control.begin(self.cells);
        // Pressed before there was a cell to stop.
        let result = if out.interrupted() {
            Err(Failure::new("KeyboardInterrupt", "interrupted before it ran"))
        } else {
            self.run_whole(code, out)
        };
        if let Stage::Live(live) = &self.stage {
            // Of a cell that ended before it could run.
            live.pump.finish(false);
        }
        self.control.end();
        timeline::until_next("reply");
        result.map_err(|failure| self.explain(failure, code))
    }

    fn run_within(&mut self, code: &str, insertions: &[(usize, String)], out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.run_inside(code, insertions, out)
    }

    fn ran(&mut self) -> Duration {
        std::mem::take(&mut self.ran)
    }

    fn interrupter(&self) -> Box<dyn Fn() -> Stop + Send + Sync> {
        let control = Arc::clone(&self.control);
        Box::new(move || control.press())
    }
}
