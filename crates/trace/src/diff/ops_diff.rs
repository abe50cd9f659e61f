//! Which operators were added, deleted, called more or less often.

use serde::{Deserialize, Serialize};
use trace_view::{Present, Report};

/// The names of a comparison, by how their count changed; serialised in this order.
///
/// # Source
/// HTA `TraceDiff.ops_diff`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpsDiff {
    /// In test only.
    pub added: Vec<String>,
    /// In control only.
    pub deleted: Vec<String>,
    /// In both, more often in test.
    pub increased: Vec<String>,
    /// In both, less often in test.
    pub decreased: Vec<String>,
    /// In both, equally often.
    pub unchanged: Vec<String>,
}

impl Present for OpsDiff {
    fn present(&self) -> Report {
        Report::default()
    }
}
