//! The only file that names evcxr's context: cells in, outputs and errors out.

use super::analyse::{self, Cell};
use super::bindings::{self, Bindings, mentions};
use super::commands;
use super::compiler;
use super::dependencies;
use super::edits::Edits;
use super::environment;
use super::failure;
use super::interrupt::Control;
use super::pump::{Panic, Pump, Seen};
use super::ready::Starting;
use super::redefined::Definitions;
use super::silent::Silent;
use super::toolchain::{CellsKit, KitError, compiler_version};
use super::{Engine, RunFolder, Stop};
use crate::Failure;
use crate::display::{Output, Sink};
use crate::session::{Binding, Cells, Variable};
use ::evcxr::{CommandContext, Error, EvalContext, EvalContextOutputs, EvalOutputs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;
use trace::TraceSet;
use trace::polars::prelude::DataFrame;
use trace_view::Bundle;

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
    })
}

struct Evcxr {
    stage: Stage,
    bindings: Bindings,
    folder: PathBuf,
    control: Arc<Control>,
    exports: usize,
    /// How many stretches of Rust have run.
    cells: u64,
    /// Whether debug text is spread over lines (`:fmt {:#?}`).
    pretty: bool,
    /// What the cells so far have defined.
    definitions: Definitions,
}

enum Stage {
    Starting(JoinHandle<Result<Live, Failure>>),
    Live(Box<Live>),
    Broken(Failure),
}

struct Live {
    kit: CellsKit,
    /// Of the kit that the process for cells was started from.
    identity: Option<(u64, u64)>,
    context: CommandContext,
    pump: Pump,
    /// Nothing comes here, since a cell's pipes are ours; evcxr wants the channel to stay open.
    _outputs: EvalContextOutputs,
}

fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::new("EngineError", format!("Rust cells cannot run: {error}"))
}

fn prepare(folder: &Path, control: &Arc<Control>) -> Result<Live, Failure> {
    let unavailable = |error: KitError| Failure::new("RustUnavailable", error.to_string());
    let kit = CellsKit::find();
    // Without a kit, what is missing first is a compiler, if there is none.
    let Ok(kit) = kit else {
        return Err(unavailable(compiler_version().map_or(KitError::NoCompiler, |_| KitError::NotBuilt)));
    };
    // Asking the compiler takes as long as starting evcxr: both at once.
    let checking = {
        let kit = kit.clone();
        std::thread::spawn(move || kit.check())
    };
    let live = start_evcxr(folder, kit);
    match checking.join() {
        Ok(Err(error)) => return Err(unavailable(error)),
        Err(_) => return Err(broken("the check of its library panicked")),
        Ok(Ok(())) => {}
    }
    let live = live?;
    control.watch(live.context.process_handle());
    let watched = Arc::clone(control);
    // Without it a cell that reads without asking waits until it is interrupted.
    let _ = live.pump.watch_input(move || watched.process());
    Ok(live)
}

fn start_evcxr(folder: &Path, kit: CellsKit) -> Result<Live, Failure> {
    let _starting = Starting::enter(folder);
    let token = uuid::Uuid::new_v4().simple().to_string();
    let pipes = folder.join("pipes");
    std::fs::create_dir_all(&pipes).map_err(broken)?;
    let pump = Pump::start(&pipes, &token).map_err(broken)?;
    let mut worker = Command::new(kit.worker());
    worker.env("TRACEBOOK_PIPES", &pipes).env("TRACEBOOK_TOKEN", &token);
    environment::restore(&mut worker);
    let (context, outputs) = EvalContext::with_subprocess_command(worker).map_err(|error| {
        // evcxr's own message holds the whole command; the reason is what stands behind it.
        let what =
            error.to_string().lines().last().unwrap_or_default().rsplit("': ").next().unwrap_or_default().to_owned();
        let what = format!("{} does not start: {what}", kit.worker().display());
        Failure::new("RustUnavailable", KitError::Damaged { what }.to_string())
    })?;
    let mut context = CommandContext::with_eval_context(context);
    // The first `?` makes evcxr compile a cell twice, once and for all: that is done here.
    context.execute("Ok::<(), std::fmt::Error>(())?;").map_err(broken)?;
    let identity = kit.identity();
    Ok(Live { kit, identity, context, pump, _outputs: outputs })
}

impl Evcxr {
    fn live(&mut self) -> Result<&mut Live, Failure> {
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
        let live = self.live()?;
        if live.identity != live.kit.identity() {
            // A cell compiled against one build must not be loaded beside another.
            let message = "the library for Rust cells was installed anew while this kernel ran; restart the kernel";
            return Err(Failure::new("RustUnavailable", message));
        }
        let asked = commands::review(code)?;
        // What is said while the cell compiles (cargo's progress) belongs to it, too.
        self.live()?.pump.begin(out);
        let reviewed = dependencies::review(code)?;
        for note in reviewed.iter().flat_map(|reviewed| &reviewed.notes) {
            out.emit(Output::Stderr(format!("{note}\n")));
        }
        let code = reviewed.as_ref().map_or(code, |reviewed| &reviewed.code);
        let cell = Cell::parse(code);
        let mut edits = Edits::default();
        let attaching = self.bindings.attach(code)?;
        match cell.first_statement() {
            _ if attaching.is_empty() => {}
            Some(at) => edits.insert(at, &attaching),
            None => self.evaluate(&attaching, &Edits::default(), out)?,
        }
        cell.add_checkpoints(&mut edits);
        let untyped = cell.untyped();
        let (mut types, mut checked) = (BTreeMap::new(), false);
        if !untyped.is_empty() {
            compiler::forget_types(&self.folder);
            let errors = self.live()?.context.check(&edits.apply(code));
            types = compiler::found_types(&self.folder);
            self.stop_if_interrupted("while compiling; nothing was lost")?;
            match errors {
                Ok(errors) if errors.is_empty() => {
                    checked = true;
                    analyse::add_types(&untyped, &types, &mut edits);
                }
                Ok(errors) => {
                    self.live()?.pump.finish();
                    return Err(failure::of_compiler(&errors, code, &edits));
                }
                // What cannot be analysed (an evcxr command that fails, say) says so itself when it runs.
                Err(_) => {}
            }
        }
        let definitions = cell.definitions();
        let dropped = self.drop_outdated(&definitions, checked, code, &edits)?;
        let wrapper = if self.pretty { "pretty" } else { "value" };
        let context = &self.live()?.context;
        let items: BTreeSet<&str> = context.defined_item_names().collect();
        let variables = context.variables_and_types().map(|(name, _)| name);
        let taken: BTreeSet<&str> = variables.chain(items).collect();
        cell.add_display(|name| taken.contains(name), wrapper, &mut edits);
        let result = self.evaluate(code, &edits, out).map_err(|failure| failure::of_kept(failure, &types));
        if result.as_ref().err().is_none_or(|failure| failure.ename != "CompileError") {
            // Also of a cell that panicked: evcxr keeps what it defined.
            self.definitions.add(definitions);
        }
        let after = self.live()?.variables();
        let lost: Vec<&str> = dropped.iter().map(String::as_str).filter(|name| !after.contains(*name)).collect();
        if !lost.is_empty() {
            out.emit(Output::Stderr(format!("lost, since their type is defined anew: {}\n", lost.join(", "))));
        }
        result?;
        self.pretty = asked.pretty.unwrap_or(self.pretty);
        if asked.clear {
            self.definitions.clear();
        }
        Ok(())
    }

    /// Drops the variables whose type means something else after a cell that defines `items`; returns their names.
    fn drop_outdated(
        &mut self,
        items: &BTreeMap<String, String>,
        checked: bool,
        code: &str,
        edits: &Edits,
    ) -> Result<Vec<String>, Failure> {
        let changed = self.definitions.changed(items);
        let context = &mut self.live()?.context;
        let of_changed = |type_name: &str| changed.iter().any(|name| mentions(type_name, name));
        let variables = context.variables_and_types().filter(|(_, type_name)| of_changed(type_name));
        let outdated: Vec<String> = variables.map(|(name, _)| name.to_owned()).collect();
        if outdated.is_empty() {
            return Ok(outdated);
        }
        // A cell with an error defines nothing, and must cost nothing.
        if !checked
            && let Ok(errors) = context.check(&edits.apply(code))
            && !errors.is_empty()
        {
            self.live()?.pump.finish();
            return Err(failure::of_compiler(&errors, code, edits));
        }
        self.stop_if_interrupted("while compiling; nothing was lost")?;
        let drops: String = outdated.iter().map(|name| format!("drop({name}); ")).collect();
        let silent: Arc<dyn Sink> = Arc::new(Silent);
        self.evaluate(&drops, &Edits::default(), &silent)?;
        Ok(outdated)
    }

    /// Runs code with the edits in it.
    fn evaluate(&mut self, code: &str, edits: &Edits, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let control = Arc::clone(&self.control);
        let live = self.live()?;
        let before = live.variables();
        let edited = edits.apply(code);
        live.pump.begin(out);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| live.context.execute(&edited)));
        let Ok(result) = result else {
            return Err(Failure::new("EngineError", "evcxr panicked on this cell; the next cell runs as usual"));
        };
        let seen = live.pump.finish();
        let source = live.context.last_source().unwrap_or_default();
        let after = live.variables();
        // What was moved away, or lost with the process, can be attached again.
        let ended_well = result.is_ok() && seen == Seen::default() && !control.requested();
        self.bindings.settle(&before, &after, ended_well);
        let lost = lost(&before, &after);
        match result {
            _ if control.requested() => Err(Failure::new("KeyboardInterrupt", format!("interrupted; {lost}"))),
            Ok(outputs) => {
                show(outputs, out);
                match &seen.panic {
                    _ if seen.ended => {
                        let panic = seen.panic.unwrap_or_else(Panic::without_words);
                        return Err(failure::of_panic(&panic, &source, code, edits));
                    }
                    Some(panic) => out.emit(Output::Stderr(format!("a panic was caught: {}\n", panic.message))),
                    None => {}
                }
                match seen.failure {
                    Some(message) => Err(Failure::new("Error", message)),
                    None => Ok(()),
                }
            }
            Err(Error::CompilationErrors(errors)) => Err(failure::of_compiler(&errors, code, edits)),
            Err(Error::SubprocessTerminated(message)) => {
                let how = message
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .replace("Subprocess terminated with status", "the process for Rust cells ended");
                let reason = seen.panic.map(|panic| format!("{}; ", panic.message)).unwrap_or_default();
                Err(Failure::new("ProcessLost", format!("{reason}{how}; {lost}")))
            }
            Err(error) => Err(Failure::new("Error", error.to_string())),
        }
    }

    fn stop_if_interrupted(&self, when: &str) -> Result<(), Failure> {
        if self.control.requested() {
            return Err(Failure::new("KeyboardInterrupt", format!("interrupted {when}")));
        }
        Ok(())
    }

    /// Runs code that shows nothing, for a magic.
    fn ask(&mut self, code: &str) -> Result<(), Failure> {
        let silent: Arc<dyn Sink> = Arc::new(Silent);
        self.run(code, &silent)
    }

    fn export(&mut self, ending: &str) -> PathBuf {
        self.exports += 1;
        self.folder.join(format!("export-{}.{ending}", self.exports))
    }
}

impl Live {
    fn variables(&self) -> BTreeSet<String> {
        self.context.variables_and_types().map(|(name, _)| name.to_owned()).collect()
    }
}

/// What the user has lost.
fn lost(before: &BTreeSet<String>, after: &BTreeSet<String>) -> String {
    let names: Vec<&str> = before.difference(after).map(String::as_str).collect();
    if names.is_empty() {
        "no variable was lost".to_owned()
    } else {
        format!(
            "these Rust variables were lost: {}; loaded traces and what magics bound come back by themselves",
            names.join(", ")
        )
    }
}

/// What evcxr's own commands (`:vars`, `:help`) answer.
fn show(outputs: EvalOutputs, out: &Arc<dyn Sink>) {
    let mut bundle = Bundle::default();
    bundle.data.extend(outputs.content_by_mime_type.into_iter().map(|(mime, text)| (mime, text.into())));
    if !bundle.data.is_empty() {
        out.emit(Output::Result(bundle));
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
        self.control.end();
        result
    }

    fn interrupter(&self) -> Box<dyn Fn() -> Stop + Send + Sync> {
        let control = Arc::clone(&self.control);
        Box::new(move || control.press())
    }
}

impl Cells for Evcxr {
    fn bind(&mut self, name: &str, value: Binding) {
        // Without a library for cells nobody will map what is written.
        let ahead = !matches!(self.stage, Stage::Broken(_));
        self.bindings.bind(name, value, ahead);
    }

    fn unbind(&mut self, name: &str) {
        if self.bindings.forget(name) {
            // A variable that is moved away is gone for later cells. If the user made it something else, it stays.
            let _ = self.ask(&format!("drop({name});"));
        }
    }

    fn frame(&mut self, expr: &str) -> Result<DataFrame, Failure> {
        if let Some(frame) = self.bindings.untouched_frame(expr) {
            return Ok(frame);
        }
        let file = self.export("arrow");
        let code = format!(
            "if let Err(error) = cells::bridge::export_frame(&({expr}), {:?}) {{ panic!(\"{{error}}\") }};",
            file.to_string_lossy()
        );
        self.ask(&code).map_err(|failure| match failure.ename.as_str() {
            "CompileError" => Failure::new("UsageError", format!("`{expr}` is not a DataFrame: {}", failure.evalue)),
            _ => failure,
        })?;
        let frame =
            trace::write::arrow::map_frame(&file).map_err(|error| Failure::new("TraceError", error.to_string()));
        let _ = std::fs::remove_file(file);
        frame
    }

    fn text(&mut self, expr: &str) -> Result<String, Failure> {
        let file = self.export("txt");
        let code = format!(
            "if let Err(error) = cells::bridge::export_argument(&({expr}), {:?}) {{ panic!(\"{{error}}\") }};",
            file.to_string_lossy()
        );
        self.ask(&code).map_err(|failure| match failure.ename.as_str() {
            "CompileError" => {
                Failure::new("UsageError", format!("{{{expr}}} cannot be an argument: {}", failure.evalue))
            }
            _ => failure,
        })?;
        let text = std::fs::read_to_string(&file).map_err(|error| Failure::new("FileError", error.to_string()));
        let _ = std::fs::remove_file(file);
        text
    }

    fn mapped(&mut self) -> Vec<(Arc<TraceSet>, Arc<TraceSet>)> {
        self.bindings.mapped()
    }

    fn optimise(&mut self, on: bool) {
        compiler::optimise(&self.folder, on);
    }

    fn variables(&self) -> Vec<Variable> {
        let mut variables = self.bindings.waiting();
        if let Stage::Live(live) = &self.stage {
            for (name, type_name) in live.context.variables_and_types() {
                if !variables.iter().any(|variable| variable.name == name) {
                    variables.push(Variable { name: name.to_owned(), type_name: bindings::shorten(type_name) });
                }
            }
        }
        variables.sort_by(|left, right| left.name.cmp(&right.name));
        variables
    }
}
