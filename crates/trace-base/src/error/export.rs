//! Reasons for which a trace cannot be exported, or an export cannot be loaded.

use std::io::ErrorKind;
use std::path::PathBuf;

/// Why a trace cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportReason {
    /// There is an earlier export.
    #[error("an earlier export is there; choose another name, or replace it (--overwrite)")]
    Exists,
    /// There is a folder with other content than an export, which is never overwritten.
    #[error("the folder holds `{holds}`, which no export wrote; choose another name")]
    Foreign {
        /// One of the names in it.
        holds: String,
    },
    /// There is a file.
    #[error("it is not a folder; choose another name")]
    NotAFolder,
    /// The folder around it does not exist.
    #[error("the folder {} does not exist; create it, or choose another", .folder.display())]
    NoParent {
        /// The folder.
        folder: PathBuf,
    },
    /// A column has a type that events do not have.
    #[error("the column `{column}` is of a type that an export does not have ({dtype}); leave it out")]
    Column {
        /// The column.
        column: String,
        /// Its type.
        dtype: String,
    },
    /// The metadata of a rank is too deeply nested to be read back.
    #[error("the metadata of rank {rank} cannot be read back ({reason}); leave out this rank")]
    Metadata {
        /// The rank.
        rank: i64,
        /// What serde_json says.
        reason: String,
    },
    /// polars refused, which no input should cause.
    #[error("rank {rank} cannot be written as Parquet: {reason}")]
    Parquet {
        /// The rank.
        rank: i64,
        /// What polars says.
        reason: String,
    },
    /// The operating system refused.
    #[error("{}", refusal(.0))]
    Io(std::io::Error),
}

/// Why an export cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportReason {
    /// The folder holds Parquet files, but no manifest.
    #[error(
        "it holds Parquet files, but no tracebook.json; load a folder that %trace_export wrote, or the JSON files of the \
         trace"
    )]
    NoManifest,
    /// The file is not the manifest of an export.
    #[error("%trace_export did not write it; load a folder that it wrote, or the JSON files of the trace")]
    Foreign,
    /// The manifest has another version.
    #[error("its version is {found}, expected {expected}; {}", other_version(*.found, *.expected))]
    Version {
        /// The version of the manifest.
        found: u32,
        /// The version that this library reads.
        expected: u32,
    },
    /// The manifest does not match its checksum.
    #[error("it was changed after it was written (its checksum differs); export the trace again")]
    Edited,
    /// The manifest cannot be parsed.
    #[error("{0}; export the trace again")]
    Manifest(String),
    /// A part does not exist.
    #[error("the file does not exist; copy the whole folder, or export the trace again")]
    Missing,
    /// A part is a folder, a device or a pipe.
    #[error("it is not a regular file; export the trace again")]
    NotAFile,
    /// A part has another size.
    #[error("it has {found} bytes, expected {expected}; copy the file again, or export the trace again")]
    Size {
        /// Bytes of the file.
        found: u64,
        /// Bytes that were written.
        expected: u64,
    },
    /// A part has other bytes.
    #[error(
        "it was changed after it was written (its checksum differs); copy the file again, or export the trace again"
    )]
    Checksum,
    /// A part does not hold what the manifest says.
    #[error("{0}; export the trace again")]
    Content(String),
    /// HTA's rounding was requested for an export of exact times.
    #[error("it holds exact times; for those of HTA, load the JSON files of the trace (--compat hta)")]
    Compat,
    /// Arguments were requested, but the columns of an export are fixed.
    #[error("its columns are those it was exported with; omit --args, or load the JSON files of the trace")]
    Columns,
}

/// Returns the reason of the operating system, and a fix.
fn refusal(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "the disk is full; free some space, or choose another disk".to_owned()
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("{error}; choose a folder that you may write")
        }
        _ => error.to_string(),
    }
}

fn other_version(found: u32, expected: u32) -> &'static str {
    if found > expected {
        "a newer Tracebook wrote it: load it with that one, or export the trace again with this one"
    } else {
        "an older Tracebook wrote it: export the trace again with this one"
    }
}
