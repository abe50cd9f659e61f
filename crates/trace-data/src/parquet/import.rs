//! Reading an export.

use super::columns::without_rows;
use super::manifest::{self, EntryOf, Manifest, RankEntry};
use super::names::{file_of, has_parts, rank_folder};
use super::part;
use crate::error::ImportReason;
use crate::exec::checkpoint;
use crate::exec::memory::{Budget, Task};
use crate::store::TableKind;
use crate::{Compat, Error, RankInfo, Result, Warning};
use polars::prelude::{Column, DataFrame};
use std::io::ErrorKind;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An export whose manifest was read; its ranks are read one by one.
pub struct Export {
    folder: PathBuf,
    manifest: Manifest,
}

impl Export {
    /// Opens the export at `path`, a folder or the manifest in it; `None` if it is neither.
    ///
    /// # Errors
    /// If its manifest is damaged, foreign or of another version, or if the folder holds Parquet files without a manifest.
    pub fn find(path: &Path) -> Result<Option<Self>> {
        let folder = if path.file_name().is_some_and(|name| name == manifest::FILE) {
            path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
        } else {
            path.is_dir().then_some(path)
        };
        let Some(folder) = folder else { return Ok(None) };
        let file = folder.join(manifest::FILE);
        let failed = |error| Error::Io { path: file.clone(), error };
        let invalid = |path: &Path, reason| Error::NotAnExport { path: path.to_owned(), reason };
        match std::fs::metadata(&file) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(invalid(&file, ImportReason::NotAFile)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                // A folder of traces may hold Parquet files, too.
                let only_parts = has_parts(folder) && crate::read::trace_files(folder).is_err();
                return if only_parts { Err(invalid(folder, ImportReason::NoManifest)) } else { Ok(None) };
            }
            Err(error) => return Err(failed(error)),
        }
        let mut text = Vec::new();
        let (budget, name) = (Budget::now()?, file.display().to_string());
        let mut reader = budget.limit(std::fs::File::open(&file).map_err(failed)?);
        reader.read_to_end(&mut text).map_err(|error| match error.kind() {
            ErrorKind::OutOfMemory => budget.spent(Task::Load(&name)),
            _ => failed(error),
        })?;
        let manifest = Manifest::parse(&text).map_err(|reason| invalid(&file, reason))?;
        Ok(Some(Self { folder: folder.to_owned(), manifest }))
    }

    /// Returns the label.
    pub fn label(&self) -> &str {
        &self.manifest.label
    }

    /// Returns the compatibility mode in which the trace had been loaded.
    pub fn compat(&self) -> Compat {
        self.manifest.compat
    }

    /// Returns the ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.manifest.ranks.iter().map(|entry| entry.info.rank).collect()
    }

    /// Returns the warnings of the load before the export, without those about the files of ranks that are not `wanted`.
    pub fn warnings(&self, wanted: impl Fn(i64) -> bool) -> Vec<Warning> {
        let left_out =
            |file: &str| self.manifest.ranks.iter().any(|rank| rank.info.file == file && !wanted(rank.info.rank));
        warnings_about(&self.manifest.warnings, left_out).cloned().collect()
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of a rank, as its file in messages.
    pub(crate) fn folder_of(&self, rank: i64) -> PathBuf {
        self.folder.join(rank_folder(rank))
    }

    /// Returns the bytes of the parts of a rank.
    pub(crate) fn bytes_of(&self, rank: i64) -> u64 {
        self.entry(rank)
            .map_or(0, |entry| entry.parts.iter().fold(0, |bytes: u64, part| bytes.saturating_add(part.bytes)))
    }

    /// Whether it has the instants and counters of a rank.
    pub(crate) fn has_tables(&self, rank: i64) -> bool {
        self.entry(rank).is_some_and(|entry| entry.instants.is_some() && entry.counters.is_some())
    }

    /// Reads the events of one rank. `read` is called after each part with its bytes and rows; its error ends that.
    ///
    /// # Errors
    /// If a part is missing, damaged or foreign; [`Error::MemoryBudget`] if the rank does not fit; those of `read`.
    pub fn read(&self, rank: i64, read: &dyn Fn(u64, usize) -> Result<()>) -> Result<(RankInfo, DataFrame)> {
        let entry = self.entry(rank).ok_or_else(|| self.invalid("it does not have this rank".to_owned()))?;
        let events = entry.table(TableKind::Events).map(|events| self.rows(rank, events, read)).transpose()?;
        Ok((entry.info.clone(), events.unwrap_or_default()))
    }

    /// Reads the instants or the counters of one rank; `None` if the export does not have them.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn read_table(&self, rank: i64, table: TableKind) -> Result<Option<DataFrame>> {
        let found = self.entry(rank).and_then(|entry| entry.table(table));
        found.map(|table| self.rows(rank, table, &|_, _| checkpoint::check())).transpose()
    }

    /// Reads the rows of a table.
    fn rows(&self, rank: i64, table: EntryOf<'_>, read: &dyn Fn(u64, usize) -> Result<()>) -> Result<DataFrame> {
        if !table.is_whole() {
            let name = table.table.name();
            let of_parts = table.parts.iter().fold(0, |rows: usize, part| rows.saturating_add(part.rows));
            return Err(self.invalid(format!("rank {rank} has {} {name}, its parts have {of_parts}", table.rows)));
        }
        let name = self.folder_of(rank).display().to_string();
        Budget::now()?.check(Task::Load(&name), table.bytes())?;
        let mut frames: Option<DataFrame> = None;
        for (number, part) in table.parts.iter().enumerate() {
            let path = self.folder.join(file_of(rank, table.table, number));
            let bytes = part::read(&path, part)?;
            let frame = part::decode(&path, &bytes, table.columns, part.rows)?;
            match &mut frames {
                Some(frames) => {
                    frames.vstack_mut(&frame)?;
                }
                None => frames = Some(frame),
            }
            read(part.bytes, part.rows)?;
        }
        let Some(frames) = frames else { return Ok(without_rows(table.columns)?) };
        // One column after the other, so that only one is in memory twice.
        let columns: Vec<Column> = frames.into_columns().into_iter().map(|column| column.rechunk()).collect();
        Ok(DataFrame::new(table.rows, columns)?)
    }

    fn invalid(&self, reason: String) -> Error {
        Error::NotAnExport { path: self.folder.join(manifest::FILE), reason: ImportReason::Manifest(reason) }
    }

    fn entry(&self, rank: i64) -> Option<&RankEntry> {
        self.manifest.ranks.iter().find(|entry| entry.info.rank == rank)
    }
}

/// Returns the warnings that are not about a rank that is left out.
pub fn warnings_about(warnings: &[Warning], is_left_out: impl Fn(&str) -> bool) -> impl Iterator<Item = &Warning> {
    warnings.iter().filter(move |warning| !warning.file().is_some_and(&is_left_out))
}
