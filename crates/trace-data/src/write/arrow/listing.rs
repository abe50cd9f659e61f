//! `trace.json` of a saved trace: what the files of its ranks do not hold, and where they are.

use crate::dataset::TableSource;
use crate::error::SavedFileReason;
use crate::exec::memory::Budget;
use crate::store::StoredTable;
use crate::{Compat, Error, RankInfo, Result, Trace, TraceSet, Warning};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the file.
const NAME: &str = "trace.json";
/// The version of its layout.
const FORMAT: u32 = 4;

#[derive(Serialize, Deserialize)]
pub(super) struct Listing {
    format: u32,
    pub(super) label: String,
    pub(super) compat: Compat,
    pub(super) warnings: Vec<Warning>,
    pub(super) ranks: Vec<ListedRank>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ListedRank {
    /// The file of its events, relative to the folder unless it is elsewhere.
    pub(super) file: PathBuf,
    /// The facts of the rank where they differ from those in the file: the path from which it was loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) info: Option<RankInfo>,
    /// Where its instants and counters are, for another process of this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tables: Option<TableSource>,
}

impl Listing {
    /// Creates the listing of a trace.
    pub(super) fn of(trace: &TraceSet, ranks: Vec<ListedRank>) -> Self {
        let (label, compat, warnings) = (trace.label().to_owned(), trace.compat(), trace.warnings().to_vec());
        Self { format: FORMAT, label, compat, warnings, ranks }
    }

    /// Creates the listing of one file of a rank.
    pub(super) fn of_file(file: &Path, label: &str) -> Result<Self> {
        let table = StoredTable::open(file)?;
        let (compat, warnings) = (table.compat(), table.warnings().to_vec());
        let ranks = vec![ListedRank { file: file.to_owned(), info: None, tables: None }];
        Ok(Self { format: FORMAT, label: label.to_owned(), compat, warnings, ranks })
    }

    /// Writes the listing into a folder; until then the folder is no saved trace.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let failed = |error| Error::Io { path: folder.join(NAME), error };
        let unfinished = folder.join(format!("{NAME}.part"));
        let text = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        std::fs::write(&unfinished, text).and_then(|()| std::fs::rename(&unfinished, folder.join(NAME))).map_err(failed)
    }

    /// Reads the listing of a folder.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let invalid = |reason| Error::NotASavedFile { path: path.clone(), reason };
        let damaged = |error: serde_json::Error| invalid(SavedFileReason::Manifest(error.to_string()));
        let text = std::fs::read(&path).map_err(|error| Error::Io { path: path.clone(), error })?;
        // The version first: other versions may have other fields.
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let Version { format } = serde_json::from_slice(&text).map_err(damaged)?;
        if format != FORMAT {
            return Err(invalid(SavedFileReason::Version { found: format, expected: FORMAT }));
        }
        serde_json::from_slice(&text).map_err(damaged)
    }

    /// Opens the files of the ranks in `folder`. The columns of a rank stay mapped once they are used if they fit, together
    /// with those of the ranks before it, into half of what the memory budget has left.
    pub(super) fn open(self, folder: &Path) -> Result<TraceSet> {
        let (mut traces, mut room) = (BTreeMap::new(), Budget::now()?.half().left());
        for listed in self.ranks {
            let table = StoredTable::open(&folder.join(&listed.file))?;
            let stays_mapped = table.bytes() <= room;
            room = if stays_mapped { room - table.bytes() } else { room };
            let trace = Trace::of_table(table, listed.info, stays_mapped).with_tables_in(listed.tables);
            traces.insert(trace.rank(), trace);
        }
        TraceSet::unified(&self.label, self.compat, traces.into_values().collect(), self.warnings)
    }
}
