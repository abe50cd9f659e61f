//! Sources of the instants and counters of a rank besides the trace file: the cache, or an export.

use super::retained_tables::{RetainedTables, TableLocation};
use crate::frame::tables::Tables;
use crate::parquet::Export;
use crate::store::{Key, NewTable, StoredTable, TableKind};
use crate::{Cache, Compat, RankInfo, Result};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Where the instants and counters of a rank are besides its trace file. Another process finds them by the same value.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TableSource {
    Cache(Box<CachedTables>),
    Export(ExportedTables),
}

/// The entries of a file in the cache. They may not exist.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct CachedTables {
    folder: PathBuf,
    limit: u64,
    key: Key,
    /// That of the load, to whose events arguments belong that are read later.
    #[serde(default)]
    load: Option<Key>,
    #[serde(skip)]
    cache: OnceLock<Option<Cache>>,
}

/// A rank of an export, which has its tables.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ExportedTables {
    folder: PathBuf,
    rank: i64,
    #[serde(skip)]
    export: OnceLock<Option<Arc<Export>>>,
}

impl CachedTables {
    /// Returns the entries of the file of a load.
    pub(super) fn of(cache: &Cache, key: &Key) -> Self {
        let (folder, limit) = (cache.folder().to_owned(), cache.limit());
        let cache = OnceLock::from(Some(cache.clone()));
        Self { folder, limit, key: key.of_tables(), load: Some(key.clone()), cache }
    }

    /// Returns arguments of the events as an earlier call kept them.
    pub(super) fn find_args(&self, info: &RankInfo) -> Option<StoredTable> {
        self.cache()?.lookup(self.load.as_ref()?, TableKind::Args, &info.file)
    }

    /// Keeps arguments of the events that took so long to read, if that is worth it.
    pub(super) fn keep_args(&self, info: &RankInfo, args: &DataFrame, took: Duration) -> Option<StoredTable> {
        let new = NewTable { table: TableKind::Args, info, compat: Compat::default(), warnings: &[], is_small: false };
        self.cache()?.insert(self.load.as_ref()?, new, args, took)
    }

    /// Returns the tables as an earlier call kept them.
    pub(super) fn find(&self, info: &RankInfo) -> Option<RetainedTables> {
        let cache = self.cache()?;
        let found = |table| cache.lookup(&self.key, table, &info.file).map(TableLocation::Cached);
        Some(RetainedTables { instants: found(TableKind::Instants)?, counters: found(TableKind::Counters)? })
    }

    /// Keeps tables that took so long to read, if that is worth it: then they are in files of the cache.
    pub(super) fn keep(&self, info: &RankInfo, tables: &Tables, took: Duration) -> Option<RetainedTables> {
        let cache = self.cache()?;
        let keep = |table, frame: &DataFrame| {
            let new = NewTable { table, info, compat: Compat::default(), warnings: &[], is_small: false };
            cache.insert(&self.key, new, frame, took).map(TableLocation::Cached)
        };
        let instants = keep(TableKind::Instants, &tables.instants)?;
        Some(RetainedTables { instants, counters: keep(TableKind::Counters, &tables.counters)? })
    }

    /// Returns the cache; another process opens it when it is first needed, and creates none.
    fn cache(&self) -> Option<&Cache> {
        let open = || Cache::is_in(&self.folder).then(|| Cache::open(&self.folder, self.limit).ok()).flatten();
        self.cache.get_or_init(open).as_ref()
    }
}

impl ExportedTables {
    /// Returns the tables of a rank of an export; `None` if it has none.
    pub(super) fn of(export: &Arc<Export>, rank: i64) -> Option<Self> {
        let folder = export.folder().to_owned();
        export.has_tables(rank).then(|| Self { folder, rank, export: OnceLock::from(Some(Arc::clone(export))) })
    }

    /// Reads the tables; `None` if the export is gone.
    ///
    /// # Errors
    /// If a file of them is missing or damaged.
    pub(super) fn read(&self) -> Result<Option<Tables>> {
        let find = || Export::find(&self.folder).ok().flatten().map(Arc::new);
        let Some(export) = self.export.get_or_init(find) else { return Ok(None) };
        let read = |table| export.read_table(self.rank, table);
        let tables = (read(TableKind::Instants)?, read(TableKind::Counters)?);
        let (Some(instants), Some(counters)) = tables else { return Ok(None) };
        Ok(Some(Tables { instants, counters }))
    }
}
