//! What an entry was made of: a file and the options of its load.

use crate::Compat;
use crate::store::header::FORMAT;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The version of the reader. Raise it whenever a file is read into other columns, rows or facts than before;
/// `tests::reader_version_is_raised_when_answers_change` notices.
pub(super) const READER: u32 = 3;

/// A file that was written to so shortly ago may change again without another time of change.
const SETTLED: Duration = Duration::from_millis(100);

/// A file of a trace as it is now, and the options of a load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key {
    /// Canonical.
    pub(super) path: PathBuf,
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
    /// The time of the last change of content, mode or names, which no program can set back.
    status: (i64, i64),
    format: u32,
    reader: u32,
    compat: Compat,
    strict: bool,
    /// The requested arguments.
    wanted: String,
}

impl Key {
    /// Returns the key of a load of `file`; `None` if it is not a regular file, or its path is not text.
    pub(crate) fn of(file: &Path, wanted: &str, compat: Compat, strict: bool) -> Option<Self> {
        let path = std::fs::canonicalize(file).ok().filter(|path| path.to_str().is_some())?;
        let found = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        Some(Self {
            path,
            inode: found.ino(),
            bytes: found.len(),
            seconds: found.mtime(),
            nanoseconds: found.mtime_nsec(),
            status: (found.ctime(), found.ctime_nsec()),
            format: FORMAT,
            reader: READER,
            compat,
            strict,
            wanted: wanted.to_owned(),
        })
    }

    /// Returns the key of the instants and counters, which are those of the file whatever the options of the load.
    pub(crate) fn of_tables(&self) -> Self {
        Self { compat: Compat::default(), strict: false, wanted: String::new(), ..self.clone() }
    }

    /// Whether the file is still what it was, so that what was read from it belongs to this key.
    pub(super) fn is_current(&self) -> bool {
        let changed = u64::try_from(self.seconds).unwrap_or(0);
        let changed = SystemTime::UNIX_EPOCH + Duration::new(changed, u32::try_from(self.nanoseconds).unwrap_or(0));
        let is_settled = changed.elapsed().is_ok_and(|age| age > SETTLED);
        is_settled && Self::of(&self.path, &self.wanted, self.compat, self.strict).as_ref() == Some(self)
    }

    /// Returns the key as JSON.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the start of the names of its files: 32 hexadecimal digits.
    pub(super) fn name(&self) -> String {
        format!("{:032x}", fnv(self.text().as_bytes()))
    }
}

/// FNV-1a with 128 bits. Two keys of one number share a name, not content: the key is in the file.
fn fnv(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}
