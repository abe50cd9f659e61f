//! Loading a rank from the cache, and keeping it there.

use super::load_file::{Content, Loaded};
use super::load_options::LoadOptions;
use super::table_source::{CachedTables, TableSource};
use super::trace::Trace;
use crate::frame::Wanted;
use crate::read::Input;
use crate::store::{Key, NewTable, Object, TableKind};
use crate::{Cache, Compat, Result};
use std::time::Duration;

/// The entry of a file in the cache, for the options of a load. It may not exist.
pub(super) struct CachedFile<'c> {
    cache: &'c Cache,
    key: Key,
    compat: Compat,
}

impl<'c> CachedFile<'c> {
    /// Returns the entry of an input as it is now; `None` without a cache, if it is a pipe, or if a change could not be seen.
    pub(super) fn of(input: &Input, options: &'c LoadOptions, wanted: &Wanted) -> Option<Self> {
        let cache = options.cache.as_ref()?;
        let (compat, strict, wanted) = (options.compat, options.strict, format!("{wanted:?}"));
        let key = if input.is_local() {
            Key::of(&input.path, &wanted, compat, strict)?
        } else {
            let object = Object { bytes: input.size, etag: input.etag.clone(), modified: input.modified };
            Key::of_object(&input.path, &object, &wanted, compat, strict)?
        };
        Some(Self { cache, key, compat: options.compat })
    }

    /// Returns the rank as an earlier load kept it, or that it is not one of `ranks`.
    pub(super) fn load(&self, file: &str, ranks: Option<&[i64]>) -> Option<Content> {
        let table = self.cache.lookup(&self.key, TableKind::Events, file)?;
        let rank = table.info().rank;
        if ranks.is_some_and(|requested| !requested.contains(&rank)) {
            return Some(Content::OtherRank(rank));
        }
        let warnings = table.warnings().to_vec();
        let trace = Trace::of_table(table, None, false).with_tables_in(Some(self.tables()));
        Some(Content::Requested(Loaded { trace, warnings }))
    }

    /// Keeps a rank whose load took so long, if that is worth it: then its events are in the file of the cache instead of in
    /// memory.
    ///
    /// # Errors
    /// If its events cannot be read any more.
    pub(super) fn keep(&self, content: Content, took: Duration) -> Result<Content> {
        let Content::Requested(Loaded { trace, warnings }) = content else { return Ok(content) };
        let new = NewTable {
            table: TableKind::Events,
            info: trace.info(),
            compat: self.compat,
            warnings: &warnings,
            is_small: false,
        };
        let trace = match self.cache.insert(&self.key, new, &trace.frame()?, took) {
            Some(table) => trace.moved_to(table, None),
            None => trace,
        };
        let trace = trace.with_tables_in(Some(self.tables()));
        Ok(Content::Requested(Loaded { trace, warnings }))
    }

    /// Returns where the instants and counters of the file are kept, once they are wanted.
    fn tables(&self) -> TableSource {
        TableSource::Cache(Box::new(CachedTables::of(self.cache, &self.key)))
    }
}
