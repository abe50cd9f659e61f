//! What magics need of the engine besides values: Rust inside code of ours, the time that it ran, the folder it runs in.

use super::Engine;
use super::analyse::Cell;
use super::edits::Edits;
use super::evcxr::Evcxr;
use super::named::Named;
use super::silent::Silent;
use crate::Failure;
use crate::display::{Output, Sink};
use ::evcxr::EvalOutputs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use trace_view::Bundle;

/// What evcxr calls the running of a cell among the times that it tells.
const RUNNING: &str = "Execution";

/// The file beside the pipes that names the folder for the next cell; the process for cells takes it away.
const FOLDER: &str = "cwd";

impl Evcxr {
    /// Adds up for how long a cell ran.
    pub(super) fn note_running(&mut self, outputs: &EvalOutputs) {
        let running = outputs.phases.iter().filter(|phase| phase.name == RUNNING);
        self.ran += running.map(|phase| phase.duration).sum::<Duration>();
    }

    /// Tells the process for cells to go to `folder` before the next cell. One that starts later starts there by itself.
    pub(super) fn enter_folder(&self, folder: &Path) {
        let pipes = self.folder.join("pipes");
        let told = std::fs::create_dir_all(&pipes)
            .and_then(|()| std::fs::write(pipes.join(FOLDER), folder.as_os_str().as_bytes()));
        if let Err(error) = told {
            tracing::warn!("cells do not follow to {}: {error}", folder.display());
        }
    }

    /// Runs `code` with these insertions. What stands at the top level of `code` does not stand there then: it has no value
    /// to show and defines nothing to keep.
    pub(super) fn run_inside(
        &mut self,
        code: &str,
        insertions: &[(usize, String)],
        out: &Arc<dyn Sink>,
    ) -> Result<(), Failure> {
        self.cells += 1;
        self.control.begin(self.cells);
        let result = if out.interrupted() {
            Err(Failure::new("KeyboardInterrupt", "interrupted before it ran"))
        } else {
            self.run_with(code, insertions, out)
        };
        self.control.end();
        result
    }

    fn run_with(&mut self, code: &str, insertions: &[(usize, String)], out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.live()?.check_kit()?;
        let mut edits = Edits::default();
        let attaching = self.bindings.attach(code)?;
        edits.insert(insertions.first().map_or(0, |(at, _)| *at), &attaching);
        for (at, text) in insertions {
            edits.insert(*at, text);
        }
        Cell::parse(code).add_checkpoints(&mut edits);
        self.evaluate(code, &edits, out).map_err(|stopped| self.failure(stopped, code, &edits))
    }

    /// Runs code that shows nothing, for a magic.
    pub(super) fn ask(&mut self, code: &str) -> Result<(), Failure> {
        let silent: Arc<dyn Sink> = Arc::new(Silent);
        self.run(code, &silent)
    }

    pub(super) fn export(&mut self, ending: &str) -> PathBuf {
        self.exports += 1;
        self.folder.join(format!("export-{}.{ending}", self.exports))
    }
}

/// What evcxr's own commands (`:vars`, `:help`) answer.
pub(super) fn show(outputs: EvalOutputs, named: &Named, out: &Arc<dyn Sink>) {
    let mut bundle = Bundle::default();
    bundle.data.extend(outputs.content_by_mime_type.into_iter().map(|(mime, text)| (mime, named.fill(&text).into())));
    if !bundle.data.is_empty() {
        out.emit(Output::Result(bundle));
    }
}
