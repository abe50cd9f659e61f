//! The tables of a rank that are not read with its events: where they are.

use super::kept_tables::Kept;
use super::table_source::TableSource;
use std::sync::{Arc, OnceLock};

/// The tables of a rank that are not read with its events; clones share them.
#[derive(Clone, Default)]
pub(super) struct FurtherTables {
    pub(super) kept: Arc<OnceLock<Kept>>,
    /// Where they are besides the trace file.
    pub(super) source: Option<Arc<TableSource>>,
}

impl FurtherTables {
    /// Creates the tables of a rank whose tables are at `source`, too.
    pub(super) fn of(source: Option<TableSource>) -> Self {
        Self { kept: Arc::default(), source: source.map(Arc::new) }
    }
}
