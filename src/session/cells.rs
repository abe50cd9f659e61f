//! What a magic may ask of the Rust side of the notebook.

use super::Items;
use crate::Failure;
use std::collections::BTreeMap;
use std::sync::Arc;
use trace::TraceSet;
use trace::polars::prelude::DataFrame;
use trace_view::FrameSchema;

/// A value that a magic hands to the next Rust cell.
#[derive(Clone)]
pub enum Binding {
    /// A loaded trace.
    Trace(Arc<TraceSet>),
    /// A table of answers.
    Frame(DataFrame),
    /// The answer of `%ops_diff`.
    OpsDiff(trace::OpsDiff),
}

/// A variable of the Rust side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type, as Rust writes it.
    pub type_name: String,
}

/// The Rust side of the notebook, as magics see it. Works without a compiler as long as no Rust cell has run: a
/// binding that no cell touched is read back as it was bound.
pub trait Cells {
    /// Makes `name` a variable of the next Rust cell that mentions it, replacing an older one.
    fn bind(&mut self, name: &str, value: Binding);

    /// Takes `name` away again, if it is still what was bound.
    fn unbind(&mut self, name: &str);

    /// The data frame (or lazy frame) in the Rust variable or expression `expr`.
    ///
    /// # Errors
    /// If there is no such variable, or it is no frame.
    fn frame(&mut self, expr: &str) -> Result<DataFrame, Failure>;

    /// The value of a Rust expression as the text of a magic's argument: text as it is, lists joined by commas.
    ///
    /// # Errors
    /// What the compiler or the expression answers.
    fn text(&mut self, expr: &str) -> Result<String, Failure>;

    /// Whether Rust is compiled with optimisation from now on, or for a quick start.
    fn optimise(&mut self, on: bool);

    /// Makes `folder` the current folder of the next Rust cell.
    fn enter(&mut self, _folder: &std::path::Path) {}

    /// Bound traces whose columns now lie in the file that cells map, each with the one it stands for: whoever keeps that
    /// should keep this one, so that the columns are in memory once.
    fn mapped(&mut self) -> Vec<(Arc<TraceSet>, Arc<TraceSet>)> {
        Vec::new()
    }

    /// What cells have defined.
    fn items(&self) -> Arc<Items> {
        Arc::default()
    }

    /// The schemas of the data frames that cells have made, by variable; also of variables that are gone by now.
    fn frames(&self) -> BTreeMap<String, Arc<FrameSchema>> {
        BTreeMap::new()
    }

    /// The variables that a cell can use now, bound ones included, by name.
    fn variables(&self) -> Vec<Variable>;
}
