//! The running engine: evcxr's context, the pipes of its process, and the library that its cells are compiled against.

use super::environment;
use super::interrupt::Control;
use super::pump::Pump;
use super::ready::Starting;
use super::server;
use super::toolchain::{CellsKit, Identity, KitError, compiler_version};
use crate::Failure;
use ::evcxr::{CommandContext, EvalContext, EvalContextOutputs};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;

pub(super) enum Stage {
    Starting(JoinHandle<Result<Live, Failure>>),
    Live(Box<Live>),
    Broken(Failure),
}

pub(super) struct Live {
    pub(super) kit: CellsKit,
    /// Of the kit that the process for cells was started from.
    identity: Option<Identity>,
    pub(super) context: CommandContext,
    pub(super) pump: Pump,
    /// Nothing comes here, since a cell's pipes are ours; evcxr wants the channel to stay open.
    _outputs: EvalContextOutputs,
}

pub(super) fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::new("EngineError", format!("Rust cells cannot run: {error}"))
}

/// Starts what cells need: evcxr, its process, its pipes; checks the library for cells meanwhile.
///
/// # Errors
/// What is missing, with the fix.
pub(super) fn prepare(folder: &Path, control: &Arc<Control>) -> Result<Live, Failure> {
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
    let live = start_evcxr(folder, kit, control);
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

fn start_evcxr(folder: &Path, kit: CellsKit, control: &Arc<Control>) -> Result<Live, Failure> {
    let _starting = Starting::enter(folder);
    let token = uuid::Uuid::new_v4().simple().to_string();
    let pipes = folder.join("pipes");
    std::fs::create_dir_all(&pipes).map_err(broken)?;
    let pump = Pump::start(&pipes, &token).map_err(broken)?;
    if let Err(error) = server::start(folder, &kit, control) {
        tracing::warn!("cells take longer to compile: {error}");
    }
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

impl Live {
    /// Whether cells still are compiled against what their process has loaded.
    pub(super) fn check_kit(&self) -> Result<(), Failure> {
        if self.identity == self.kit.identity() {
            return Ok(());
        }
        let message = "the library for Rust cells was installed anew while this kernel ran; restart the kernel";
        Err(Failure::new("RustUnavailable", message))
    }

    /// The names of the variables that cells have.
    pub(super) fn variables(&self) -> BTreeSet<String> {
        self.context.variables_and_types().map(|(name, _)| name.to_owned()).collect()
    }
}
