//! The key of an entry: a file and the options of its load.

use crate::Compat;
use crate::domain::{canonical, file_of};
use crate::store::header::FORMAT;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The version of the reader. Raise it whenever a file is read into other columns, rows or facts than before;
/// `tests::reader_version_is_raised_when_answers_change` notices.
pub(super) const READER: u32 = 11;

/// A file that was written to so shortly ago may change again without another time of change.
const SETTLED: Duration = Duration::from_millis(100);
/// The same of an object without a tag; its time is that of another clock, in seconds.
const SETTLED_OBJECT: Duration = Duration::from_secs(5);

/// A file of a trace as it is now, and the options of a load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Canonical; of an entry of an archive, the path of the archive and the name of the entry.
    pub(super) path: PathBuf,
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
    /// The time of the last change of content, mode or names, which no program can set back.
    status: (i64, i64),
    /// What storage calls the content of an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<Object>,
    format: u32,
    reader: u32,
    compat: Compat,
    strict: bool,
    /// The requested arguments.
    wanted: String,
}

/// What identifies the content of an object in storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Its size.
    pub bytes: u64,
    pub(crate) etag: Option<String>,
    /// In nanoseconds since 1970.
    pub modified: Option<i64>,
}

impl Object {
    /// Whether a later change would have another identity: times of storage are often whole seconds. A transfer gives the
    /// content that was described, or fails.
    fn is_settled(&self) -> bool {
        let changed = self.modified.and_then(|at| u64::try_from(at).ok()).map(Duration::from_nanos);
        let age = changed.and_then(|changed| (SystemTime::UNIX_EPOCH + changed).elapsed().ok());
        self.etag.is_some() || age.is_some_and(|age| age > SETTLED_OBJECT)
    }
}

impl Key {
    /// Returns the key of a load of `file`; `None` if it is not a regular file, or its path is not text.
    pub fn of(file: &Path, wanted: &str, compat: Compat, strict: bool) -> Option<Self> {
        let path = canonical(file).ok().filter(|path| path.to_str().is_some())?;
        let found = std::fs::metadata(file_of(&path)).ok().filter(std::fs::Metadata::is_file)?;
        Some(Self {
            path,
            inode: found.ino(),
            bytes: found.len(),
            seconds: found.mtime(),
            nanoseconds: found.mtime_nsec(),
            status: (found.ctime(), found.ctime_nsec()),
            object: None,
            format: FORMAT,
            reader: READER,
            compat,
            strict,
            wanted: wanted.to_owned(),
        })
    }

    /// Returns the key of a load of an object; `None` if storage tells neither a tag nor a time, so that a change could not be seen.
    pub(crate) fn of_object(file: &Path, object: &Object, wanted: &str, compat: Compat, strict: bool) -> Option<Self> {
        file.to_str()?;
        if object.etag.is_none() && object.modified.is_none() {
            return None;
        }
        Some(Self {
            path: file.to_owned(),
            inode: 0,
            bytes: object.bytes,
            seconds: 0,
            nanoseconds: 0,
            status: (0, 0),
            object: Some(object.clone()),
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
        if let Some(object) = &self.object {
            return object.is_settled();
        }
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
        name_of(&self.text())
    }
}

/// Returns the start of the names of the files of a key, which is given as JSON.
pub(super) fn name_of(key: &str) -> String {
    format!("{:032x}", fnv(key.as_bytes()))
}

/// FNV-1a with 128 bits. Two keys of one number share a name, not content: the key is in the file.
fn fnv(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}
