//! Sides of a comparison.

use serde::{Deserialize, Serialize};

/// A side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DiffSide {
    /// The baseline.
    Control,
    /// What is compared with it.
    Test,
}
