//! A snapshot of the notebook for completion and inspection, which answer while a cell runs.

use super::Variable;

/// What completion and inspection know of the notebook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// Labels of the loaded traces.
    pub labels: Vec<String>,
    /// Rust variables, bound ones included.
    pub variables: Vec<Variable>,
    /// Column names of bound frames, by variable.
    pub columns: Vec<(String, Vec<String>)>,
}
