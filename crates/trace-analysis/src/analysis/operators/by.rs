//! The choice of rows: names, modules, stacks, shapes.

use serde::{Deserialize, Serialize};

/// What a row of [`Operators`](super::Operators) is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperatorsBy {
    /// Operators of one name.
    #[default]
    Name,
    /// A Python module, `nn.Module: Linear_0`, where it was recorded with stacks.
    Module,
    /// Operators of one name inside of the same operators, the outermost first.
    Stack,
    /// Operators of one name with inputs of the same shapes, where these were recorded.
    Shape,
}

/// The words of `by`.
pub(super) const BY: &[&str] = &["name", "module", "stack", "shape"];
