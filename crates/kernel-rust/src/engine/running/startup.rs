//! The start of the engine: evcxr's session, the pipes of its worker process, the compile server, the check of the toolchain.

use super::compile_server;
use super::interrupt::InterruptControl;
use super::pump::Pump;
use crate::Failure;
use crate::engine::compiling::startup_cache::StartupMark;
use crate::engine::compiling::toolchain::{CellsToolchain, Identity, ToolchainError, compiler_version};
use crate::engine::patching::environment;
use ::evcxr::{CommandContext, EvalContext, EvalContextOutputs};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;

/// How far the start of the engine has come.
pub(super) enum EngineState {
    Starting(JoinHandle<Result<StartedEvcxr, Failure>>),
    Started(Box<StartedEvcxr>),
    Failed(Failure),
}

/// evcxr's session, the pipes of its worker process, and the toolchain that its cells are compiled with.
pub(super) struct StartedEvcxr {
    toolchain: CellsToolchain,
    /// Of the dylib that the worker process has loaded.
    identity: Option<Identity>,
    pub(in crate::engine) context: CommandContext,
    pub(in crate::engine) pump: Pump,
    /// Nothing arrives here, since a cell's pipes are ours; evcxr wants the channel to stay open.
    _outputs: EvalContextOutputs,
}

/// Returns the failure of every Rust cell after a start that failed.
pub(super) fn cannot_run(error: impl std::fmt::Display) -> Failure {
    Failure::new("EngineError", format!("Rust cells cannot run: {error}"))
}

/// Starts evcxr, its worker process and its pipes; checks the cells toolchain meanwhile.
///
/// # Errors
/// What is missing, with the fix.
pub(super) fn start_all(folder: &Path, control: &Arc<InterruptControl>) -> Result<StartedEvcxr, Failure> {
    let unavailable = |error: ToolchainError| Failure::new("RustUnavailable", error.to_string());
    let toolchain = CellsToolchain::find();
    // Without a cells toolchain, a missing compiler is reported first.
    let Ok(toolchain) = toolchain else {
        return Err(unavailable(compiler_version().map_or(ToolchainError::NoCompiler, |_| ToolchainError::NotBuilt)));
    };
    // To ask the compiler takes as long as to start evcxr, so both run concurrently.
    let checking = {
        let toolchain = toolchain.clone();
        std::thread::spawn(move || toolchain.check())
    };
    let started = start_evcxr(folder, toolchain, control);
    match checking.join() {
        Ok(Err(error)) => return Err(unavailable(error)),
        Err(_) => return Err(cannot_run("the check of the library for Rust cells panicked")),
        Ok(Ok(())) => {}
    }
    let started = started?;
    control.watch(started.context.process_handle());
    let watched = Arc::clone(control);
    // Without it a cell that reads standard input without a prompt waits until it is interrupted.
    let _ = started.pump.watch_input(move || watched.process());
    Ok(started)
}

fn start_evcxr(
    folder: &Path,
    toolchain: CellsToolchain,
    control: &Arc<InterruptControl>,
) -> Result<StartedEvcxr, Failure> {
    let _mark = StartupMark::set(folder);
    let token = uuid::Uuid::new_v4().simple().to_string();
    let pipes = folder.join("pipes");
    std::fs::create_dir_all(&pipes).map_err(cannot_run)?;
    let pump = Pump::start(&pipes, &token).map_err(cannot_run)?;
    if let Err(error) = compile_server::start(folder, &toolchain, control) {
        tracing::warn!("cells take longer to compile: {error}");
    }
    let mut worker = Command::new(toolchain.worker());
    worker.env("TRACEBOOK_PIPES", &pipes).env("TRACEBOOK_TOKEN", &token);
    environment::restore(&mut worker);
    let (context, outputs) = EvalContext::with_subprocess_command(worker).map_err(|error| {
        // evcxr's own message holds the whole command; the reason is behind it.
        let reason =
            error.to_string().lines().last().unwrap_or_default().rsplit("': ").next().unwrap_or_default().to_owned();
        let what = format!("{} does not start: {reason}", toolchain.worker().display());
        Failure::new("RustUnavailable", ToolchainError::Damaged { what }.to_string())
    })?;
    let mut context = CommandContext::with_eval_context(context);
    // The first `?` of a session makes evcxr compile a cell twice, so it comes here and not in a cell of the user's.
    context.execute("Ok::<(), std::fmt::Error>(())?;").map_err(cannot_run)?;
    let identity = toolchain.identity();
    Ok(StartedEvcxr { toolchain, identity, context, pump, _outputs: outputs })
}

impl StartedEvcxr {
    /// Checks that cells are still compiled against the dylib that the worker process has loaded.
    ///
    /// # Errors
    /// If the toolchain was replaced.
    pub(super) fn check_toolchain(&self) -> Result<(), Failure> {
        if self.identity == self.toolchain.identity() {
            return Ok(());
        }
        let message = "the library for Rust cells was replaced while this kernel ran; restart the kernel";
        Err(Failure::new("RustUnavailable", message))
    }

    /// Returns the names of the variables that cells have.
    pub(in crate::engine) fn variables(&self) -> BTreeSet<String> {
        self.context.variables_and_types().map(|(name, _)| name.to_owned()).collect()
    }
}
