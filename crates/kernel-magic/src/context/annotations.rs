//! Annotations of graphs that a load finds in its trace or beside it.

use super::Context;
use crate::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_core::TraceSet;
use trace_core::read::GraphAnnotations;
use trace_view::format::{counted, grouped};

impl Context<'_> {
    /// Keeps the annotations of graphs of a loaded trace as a companion of it, behind those that it was loaded with, and returns a part of
    /// the line of the load: ` · 412 nodes of graphs have names (run_annotations, from kernel_annotations_rank0_step.json)`. Files that
    /// cannot be read are warnings.
    ///
    /// # Errors
    /// If events of the trace cannot be read.
    pub fn keep_annotations(&mut self, run: &TraceSet) -> Result<String, Error> {
        let found = GraphAnnotations::of(run)?;
        self.warn(&found.problems);
        let Some(companion) = found.companion else { return Ok(String::new()) };
        let label = self.free_label(companion.label());
        let companion = Arc::new(companion.with_label(&label));
        let known = self.session.companions(run.label()).map(|known| known.label().to_owned());
        let companions = known.chain([label.clone()]).collect();
        let file = found.files.first().map(PathBuf::as_path).or_else(|| self.session.path(run.label()));
        let path = file.map(Path::to_owned).unwrap_or_default();
        self.keep(&companion, path);
        self.session.set_companions(run.label(), companions);
        let from = match &found.files[..] {
            [] => String::new(),
            [file] => format!(", from {}", file.file_name().unwrap_or_default().to_string_lossy()),
            files => format!(", from {}", counted(files.len(), "file")),
        };
        Ok(format!(" · {} nodes of graphs have names ({label}{from})", grouped(found.nodes)))
    }

    /// Returns a label that no other trace has: this one, or numbered. One of annotations is replaced.
    fn free_label(&self, label: &str) -> String {
        let is_free = |label: &String| match self.session.runs(label).first() {
            Some(known) => GraphAnnotations::are(known),
            None => !self.session.is_label(label),
        };
        let numbered = (2..).map(|number| format!("{label}_{number}"));
        std::iter::once(label.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }
}
