//! Values that go between magics and Rust cells.

use super::bindings;
use super::compiler;
use super::evcxr::Evcxr;
use super::live::Stage;
use super::named::Named;
use crate::Failure;
use crate::session::{Binding, Cells, Items, Variable};
use std::collections::BTreeMap;
use std::sync::Arc;
use trace::TraceSet;
use trace::polars::prelude::DataFrame;
use trace_view::FrameSchema;

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

    fn enter(&mut self, folder: &std::path::Path) {
        self.enter_folder(folder);
    }

    fn mapped(&mut self) -> Vec<(Arc<TraceSet>, Arc<TraceSet>)> {
        self.bindings.mapped()
    }

    fn optimise(&mut self, on: bool) {
        compiler::optimise(&self.folder, on);
    }

    fn items(&self) -> Arc<Items> {
        Arc::clone(&self.items)
    }

    fn frames(&self) -> BTreeMap<String, Arc<FrameSchema>> {
        match &self.stage {
            Stage::Live(live) => live.pump.frames(),
            Stage::Starting(_) | Stage::Broken(_) => BTreeMap::new(),
        }
    }

    fn variables(&self) -> Vec<Variable> {
        let mut variables = self.bindings.waiting();
        if let Stage::Live(live) = &self.stage {
            let named = Named::read(&self.folder);
            for (name, type_name) in live.context.variables_and_types() {
                if !variables.iter().any(|variable| variable.name == name) {
                    let type_name = bindings::shorten(&named.fill(type_name));
                    variables.push(Variable { name: name.to_owned(), type_name });
                }
            }
        }
        variables.sort_by(|left, right| left.name.cmp(&right.name));
        variables
    }
}
