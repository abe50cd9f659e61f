//! Values that go between magics and Rust cells.

use super::engine::{EvcxrEngine, SilentSink};
use super::startup::EngineState;
use crate::Failure;
use crate::display::Sink;
use crate::engine::Engine;
use crate::engine::patching::cell_crate;
use crate::engine::patching::placeholders::TypeNames;
use crate::engine::values::{bindings, items};
use crate::session::{Binding, Cells, Items, Variable};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_core::TraceSet;
use trace_core::polars::prelude::DataFrame;
use trace_view::FrameSchema;

/// The file in the folder of the pipes that names the folder of the next cell; the worker process removes it.
const FOLDER_FILE: &str = "cwd";

impl EvcxrEngine {
    /// Runs code of a magic's, which shows nothing.
    fn run_silently(&mut self, code: &str) -> Result<(), Failure> {
        let silent: Arc<dyn Sink> = Arc::new(SilentSink);
        self.run(code, &silent)
    }

    /// Returns a new file for a value.
    fn export_file(&mut self, ending: &str) -> PathBuf {
        self.export_count += 1;
        self.folder.join(format!("export-{}.{ending}", self.export_count))
    }

    /// Notes what a segment defined, for completion; `failure` is how it ended, if it did not succeed.
    pub(super) fn note_items(&mut self, code: &str, failure: Option<&Failure>) {
        if let EngineState::Started(started) = &self.state {
            items::note(&mut self.items, code, failure, started.context.defined_item_names());
        }
    }
}

impl Cells for EvcxrEngine {
    fn bind(&mut self, name: &str, value: Binding) {
        // Without a cells toolchain no process will map what is written.
        let ahead = !matches!(self.state, EngineState::Failed(_));
        self.bindings.bind(name, value, ahead);
    }

    fn unbind(&mut self, name: &str) {
        if self.bindings.forget(name) {
            // A variable that is moved away is gone for later cells. If the user has bound the name anew, it stays.
            let _ = self.run_silently(&format!("drop({name});"));
        }
    }

    fn frame(&mut self, expr: &str) -> Result<DataFrame, Failure> {
        if let Some(frame) = self.bindings.untouched_frame(expr) {
            return Ok(frame);
        }
        let file = self.export_file("arrow");
        let code = format!(
            "if let Err(error) = cells::bridge::export_frame(&({expr}), {:?}) {{ panic!(\"{{error}}\") }};",
            file.to_string_lossy()
        );
        self.run_silently(&code).map_err(|failure| match failure.ename.as_str() {
            "CompileError" => Failure::new("UsageError", format!("`{expr}` is not a DataFrame: {}", failure.evalue)),
            _ => failure,
        })?;
        let frame =
            trace_core::write::arrow::map_frame(&file).map_err(|error| Failure::new("TraceError", error.to_string()));
        let _ = std::fs::remove_file(file);
        frame
    }

    fn text(&mut self, expr: &str) -> Result<String, Failure> {
        let file = self.export_file("txt");
        let code = format!(
            "if let Err(error) = cells::bridge::export_argument(&({expr}), {:?}) {{ panic!(\"{{error}}\") }};",
            file.to_string_lossy()
        );
        self.run_silently(&code).map_err(|failure| match failure.ename.as_str() {
            "CompileError" => {
                Failure::new("UsageError", format!("{{{expr}}} cannot be an argument: {}", failure.evalue))
            }
            _ => failure,
        })?;
        let text = std::fs::read_to_string(&file).map_err(|error| Failure::new("FileError", error.to_string()));
        let _ = std::fs::remove_file(file);
        text
    }

    fn enter(&mut self, folder: &Path) {
        // A worker process that starts later starts in this folder.
        let pipes = self.folder.join("pipes");
        let written = std::fs::create_dir_all(&pipes)
            .and_then(|()| std::fs::write(pipes.join(FOLDER_FILE), folder.as_os_str().as_bytes()));
        if let Err(error) = written {
            tracing::warn!("cells do not follow to {}: {error}", folder.display());
        }
    }

    fn mapped(&mut self) -> Vec<(Arc<TraceSet>, Arc<TraceSet>)> {
        self.bindings.mapped()
    }

    fn optimise(&mut self, on: bool) {
        cell_crate::set_optimised(&self.folder, on);
    }

    fn items(&self) -> Arc<Items> {
        Arc::clone(&self.items)
    }

    fn frames(&self) -> BTreeMap<String, Arc<FrameSchema>> {
        match &self.state {
            EngineState::Started(started) => started.pump.frames(),
            EngineState::Starting(_) | EngineState::Failed(_) => BTreeMap::new(),
        }
    }

    fn variables(&self) -> Vec<Variable> {
        let mut variables = self.bindings.unattached();
        if let EngineState::Started(started) = &self.state {
            let types = TypeNames::load(&self.folder);
            for (name, type_name) in started.context.variables_and_types() {
                if !variables.iter().any(|variable| variable.name == name) {
                    let type_name = bindings::without_paths(&types.fill(type_name));
                    variables.push(Variable { name: name.to_owned(), type_name });
                }
            }
        }
        variables.sort_by(|left, right| left.name.cmp(&right.name));
        variables
    }
}
