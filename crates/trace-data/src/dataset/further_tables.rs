//! The tables of a rank that are not read with its events: where they are.

use super::retained_tables::RetainedTables;
use super::table_source::TableSource;
use std::sync::{Arc, OnceLock};

/// The tables of a rank that are not read with its events; clones share them.
#[derive(Clone, Default)]
pub(super) struct FurtherTables {
    pub(super) retained: Arc<OnceLock<RetainedTables>>,
    /// Where they are besides the trace file.
    pub(super) source: Option<Arc<TableSource>>,
}

impl FurtherTables {
    /// Creates the tables of a rank whose tables are at `source`, too.
    pub(super) fn of(source: Option<TableSource>) -> Self {
        Self { retained: Arc::default(), source: source.map(Arc::new) }
    }
}
