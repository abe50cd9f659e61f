//! Manifest of an export, `tracebook.json`: a first line with its version and checksum, then everything but the events.

use super::numbers::{ExactNumbers, exact_numbers, restore};
use crate::error::ImportReason;
use crate::store::{TableKind, crc32};
use crate::{Compat, RankInfo, Warning};
use polars::prelude::DataType;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// Name of the manifest in the folder of an export.
pub(crate) const FILE: &str = "tracebook.json";

/// Version of the folder and of the schema; changes whenever one of them does.
pub(crate) const VERSION: u32 = 2;

/// Everything that an export holds besides events.
#[derive(Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub label: String,
    pub compat: Compat,
    pub warnings: Vec<Warning>,
    /// The ranks, ascending.
    pub ranks: Vec<RankEntry>,
}

/// One rank.
#[derive(Serialize, Deserialize)]
pub(crate) struct RankEntry {
    pub info: RankInfo,
    /// Numbers of its metadata that the text does not preserve.
    #[serde(default, skip_serializing_if = "ExactNumbers::is_empty")]
    exact_numbers: ExactNumbers,
    /// The columns, in the order of the frame.
    pub columns: Vec<ColumnEntry>,
    /// The parts, in the order of their rows.
    pub parts: Vec<FileEntry>,
    /// The instants, and the counters; absent if the trace file could not be read for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instants: Option<TableEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<TableEntry>,
}

/// A table of a rank besides its events.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct TableEntry {
    pub rows: usize,
    pub columns: Vec<ColumnEntry>,
    /// The parts, in the order of their rows; none without rows.
    pub parts: Vec<FileEntry>,
}

impl TableEntry {
    fn of(&self, table: TableKind) -> EntryOf<'_> {
        EntryOf { table, rows: self.rows, columns: &self.columns, parts: &self.parts }
    }
}

/// The instants and the counters of a rank.
pub(crate) type TableEntries = [TableEntry; 2];

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ColumnEntry {
    pub name: String,
    #[serde(rename = "type")]
    pub(crate) logical: Logical,
}

/// One Parquet file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    /// The path within the folder, for readers of the manifest; our reader derives it from rank and position.
    pub file: String,
    pub rows: usize,
    pub bytes: u64,
    /// CRC-32 of the file.
    pub crc32: u32,
}

/// The logical type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Logical {
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float32,
    Float64,
    /// A string in Parquet, a category in events.
    Text,
}

impl Logical {
    /// Returns the type of a column of events; `None` for types that no events have.
    pub(crate) fn of(dtype: &DataType) -> Option<Self> {
        Some(match dtype {
            DataType::Boolean => Self::Boolean,
            DataType::Int8 => Self::Int8,
            DataType::Int16 => Self::Int16,
            DataType::Int32 => Self::Int32,
            DataType::Int64 => Self::Int64,
            DataType::UInt8 => Self::UInt8,
            DataType::UInt16 => Self::UInt16,
            DataType::UInt32 => Self::UInt32,
            DataType::UInt64 => Self::UInt64,
            DataType::Float32 => Self::Float32,
            DataType::Float64 => Self::Float64,
            DataType::Categorical(..) => Self::Text,
            _ => return None,
        })
    }

    /// Returns the type of the column in Parquet.
    pub(crate) fn stored(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Int8 => DataType::Int8,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::UInt8 => DataType::UInt8,
            Self::UInt16 => DataType::UInt16,
            Self::UInt32 => DataType::UInt32,
            Self::UInt64 => DataType::UInt64,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            Self::Text => DataType::String,
        }
    }

    /// Returns the bytes of a value in events, its validity included.
    pub(crate) fn width(self) -> usize {
        1 + match self {
            Self::Boolean | Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 | Self::Text => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 => 8,
        }
    }

    /// Returns the bytes of a value while it is read or written; of a text, those of the reference to it.
    pub(crate) fn stored_width(self) -> usize {
        if self == Self::Text { 17 } else { self.width() }
    }
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    tracebook_export: u32,
    /// CRC-32 of the lines below.
    crc32: u32,
}

impl RankEntry {
    /// Creates the entry of a rank.
    ///
    /// # Errors
    /// If its metadata cannot be written as JSON and read back: it is nested too deeply.
    pub(crate) fn new(
        info: RankInfo,
        columns: Vec<ColumnEntry>,
        parts: Vec<FileEntry>,
        tables: Option<TableEntries>,
    ) -> serde_json::Result<Self> {
        let (instants, counters) = tables.map_or((None, None), |[instants, counters]| (Some(instants), Some(counters)));
        let mut entry = Self { info, exact_numbers: ExactNumbers::new(), columns, parts, instants, counters };
        let read: Self = serde_json::from_slice(&serde_json::to_vec(&entry)?)?;
        entry.exact_numbers = exact_numbers(&entry.info.metadata, &read.info.metadata);
        Ok(entry)
    }

    /// Returns one of its tables: rows, columns and parts; `None` if it does not have the table.
    pub(crate) fn table(&self, table: TableKind) -> Option<EntryOf<'_>> {
        match table {
            TableKind::Events => {
                Some(EntryOf { table, rows: self.info.events, columns: &self.columns, parts: &self.parts })
            }
            TableKind::Instants => self.instants.as_ref().map(|entry| entry.of(table)),
            TableKind::Counters => self.counters.as_ref().map(|entry| entry.of(table)),
            TableKind::Args => None,
        }
    }
}

/// One table of a rank.
#[derive(Clone, Copy)]
pub(crate) struct EntryOf<'e> {
    pub table: TableKind,
    pub rows: usize,
    pub columns: &'e [ColumnEntry],
    pub parts: &'e [FileEntry],
}

impl EntryOf<'_> {
    /// Whether its parts have its rows.
    pub(crate) fn is_whole(&self) -> bool {
        let rows = self.parts.iter().fold(0, |rows: usize, part| rows.saturating_add(part.rows));
        rows == self.rows && !self.columns.is_empty()
    }

    /// Estimates the memory of reading it: its rows, one part as Parquet has it, and the file of that part.
    pub(crate) fn bytes(&self) -> usize {
        let width = |of: fn(Logical) -> usize| self.columns.iter().map(|column| of(column.logical)).sum::<usize>();
        let (row, stored) = (width(Logical::width), width(|logical| logical.stored_width()));
        let largest = self.parts.iter().map(|part| part.rows).max().unwrap_or(0);
        let file = self.parts.iter().map(|part| part.bytes).max().unwrap_or(0);
        let rows = self.rows.saturating_mul(row);
        rows.saturating_add(largest.saturating_mul(stored)).saturating_add(usize::try_from(file).unwrap_or(usize::MAX))
    }
}

impl Manifest {
    /// Returns the text of the manifest: `{"tracebook_export": …, "crc32": …,`, a line end, and the rest of the object.
    ///
    /// # Errors
    /// As [`RankEntry::new`].
    pub(crate) fn text(&self) -> serde_json::Result<Vec<u8>> {
        let body = serde_json::to_vec_pretty(self)?;
        // The members of the header and of the manifest are those of one object, so that any JSON reader can read it.
        let body = body.strip_prefix(b"{\n").unwrap_or(&body);
        let header = serde_json::to_string(&Header { tracebook_export: VERSION, crc32: crc32(body) })?;
        let mut text = header.trim_end_matches('}').as_bytes().to_vec();
        text.extend_from_slice(b",\n");
        text.extend_from_slice(body);
        text.push(b'\n');
        Ok(text)
    }

    /// Parses a manifest.
    ///
    /// # Errors
    /// Why the text is none: it has another version, is damaged or foreign.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, ImportReason> {
        let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
        let (first, body) = (&text[..end], text.get(end + 1..).unwrap_or_default());
        // The version first: other versions may have other members.
        #[derive(Deserialize)]
        struct Version {
            tracebook_export: u32,
        }
        let mut line = first.strip_suffix(b",").unwrap_or(first).to_vec();
        line.push(b'}');
        let Ok(Version { tracebook_export: found }) = serde_json::from_slice(&line) else {
            // An export that another program has written again, all on one line or indented.
            let edited = text.windows(KEY.len()).any(|window| window == KEY);
            return Err(if edited { ImportReason::Edited } else { ImportReason::Foreign });
        };
        if found != VERSION {
            return Err(ImportReason::Version { found, expected: VERSION });
        }
        let damaged = |error: serde_json::Error| ImportReason::Manifest(error.to_string());
        let header: Header = serde_json::from_slice(&line).map_err(damaged)?;
        let body = body.strip_suffix(b"\n").unwrap_or(body);
        if header.crc32 != crc32(body) {
            return Err(ImportReason::Edited);
        }
        let mut manifest: Self = serde_json::from_slice(&[b"{", body].concat()).map_err(damaged)?;
        for entry in &mut manifest.ranks {
            restore(&mut entry.info.metadata, &entry.exact_numbers);
        }
        if !manifest.ranks.is_sorted_by(|one, next| one.info.rank < next.info.rank) {
            return Err(ImportReason::Manifest("its ranks are not ascending".to_owned()));
        }
        Ok(manifest)
    }
}

const KEY: &[u8] = b"\"tracebook_export\"";

/// Whether the file begins as a manifest does, of whatever version.
pub(crate) fn is_manifest(path: &Path) -> bool {
    let mut start = vec![0; KEY.len() + 1];
    let begins = |mut file: std::fs::File| file.read_exact(&mut start).is_ok() && start.ends_with(KEY);
    path.is_file() && std::fs::File::open(path).is_ok_and(begins)
}
