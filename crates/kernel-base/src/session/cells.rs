//! The interface of magics to Rust cells: bindings, variables, expressions.

use super::Items;
use crate::Failure;
use std::collections::BTreeMap;
use std::sync::Arc;
use trace_core::TraceSet;
use trace_core::polars::prelude::DataFrame;
use trace_view::FrameSchema;

/// A value that a magic hands to the next Rust cell.
#[derive(Clone)]
pub enum Binding {
    /// A loaded trace.
    Trace(Arc<TraceSet>),
    /// A frame of an answer.
    Frame(DataFrame),
    /// The answer of `%ops_diff`.
    OpsDiff(trace_core::OpsDiff),
}

/// A variable of Rust cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type, in Rust syntax.
    pub type_name: String,
}

/// The variables and definitions of Rust cells. Needs no compiler until a Rust cell runs: a binding that no cell has used is read
/// back as it was bound.
pub trait Cells {
    /// Binds `value` to `name` for the next Rust cell that mentions it, replacing an older variable.
    fn bind(&mut self, name: &str, value: Binding);

    /// Removes the binding of `name`, unless a cell has replaced it.
    fn unbind(&mut self, name: &str);

    /// Evaluates the Rust variable or expression `expr` to a data frame; a lazy frame is collected.
    ///
    /// # Errors
    /// If there is no such variable, or it is not a frame.
    fn frame(&mut self, expr: &str) -> Result<DataFrame, Failure>;

    /// Evaluates a Rust expression to the text of a magic's argument; lists are joined with commas.
    ///
    /// # Errors
    /// Those of the compiler or the expression.
    fn text(&mut self, expr: &str) -> Result<String, Failure>;

    /// Sets whether Rust is compiled with optimisation from now on, or for a quick start.
    fn optimise(&mut self, on: bool);

    /// Sets the current folder of the next Rust cell.
    fn enter(&mut self, _folder: &std::path::Path) {}

    /// Returns pairs of a bound trace and its copy whose columns are mapped from the file that cells map, too. The session replaces
    /// the former by the latter, so that the columns are in memory once.
    fn mapped(&mut self) -> Vec<(Arc<TraceSet>, Arc<TraceSet>)> {
        Vec::new()
    }

    /// Returns the items that cells define.
    fn items(&self) -> Arc<Items> {
        Arc::default()
    }

    /// Returns the schemas of the data frames that cells made, by variable; it may contain variables that no longer exist.
    fn frames(&self) -> BTreeMap<String, Arc<FrameSchema>> {
        BTreeMap::new()
    }

    /// Returns the variables that a cell can use now, bound ones included, by name.
    fn variables(&self) -> Vec<Variable>;
}
