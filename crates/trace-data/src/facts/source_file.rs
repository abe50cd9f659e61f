//! The file of a rank, as it was when it was loaded.

use crate::domain::file_of;
use crate::error::SourceReason;
use crate::read::Input;
use serde::{Deserialize, Serialize, Serializer};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file from which a rank was loaded, and what identifies its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceFile {
    /// The absolute path, or the address in storage; that of an entry of an archive goes on from the archive:
    /// `/runs/a.zip/rank0.json`.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// The size in bytes: of an entry, that of its archive.
    pub bytes: u64,
    /// The time of the last change, in nanoseconds since 1970.
    pub modified: i64,
    /// The time of the last change of content, mode or names, which no program can set, in nanoseconds since 1970.
    pub status_changed: i64,
    /// The tag of the content, of an object in storage.
    #[serde(default)]
    pub etag: Option<String>,
}

impl SourceFile {
    /// Describes an input; `None` if it is not a regular file, which cannot be read twice.
    #[doc(hidden)]
    pub fn of(input: &Input) -> Option<Self> {
        if input.is_local() {
            return Self::of_file(&input.path);
        }
        let (path, etag) = (input.path.clone(), input.etag.clone());
        Some(Self { path, bytes: input.size, modified: input.modified.unwrap_or(0), status_changed: 0, etag })
    }

    fn of_file(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(file_of(path)).ok().filter(Metadata::is_file)?;
        let path = std::path::absolute(path).ok()?;
        let (modified, status_changed) = times(&found);
        Some(Self { path, bytes: found.len(), modified, status_changed, etag: None })
    }

    /// Returns the file as an input.
    #[doc(hidden)]
    pub fn input(&self) -> Input {
        let modified = Some(self.modified).filter(|at| *at != 0);
        Input::of_source(self.path.clone(), self.bytes, self.etag.clone(), modified)
    }

    /// Returns why the file is not the one that was loaded; `None` if it is, or if it is an object, which is compared whenever
    /// it is opened.
    #[doc(hidden)]
    pub fn difference(&self) -> Option<SourceReason> {
        if !self.input().is_local() {
            return None;
        }
        match std::fs::metadata(file_of(&self.path)) {
            Ok(now)
                if now.is_file() && now.len() == self.bytes && times(&now) == (self.modified, self.status_changed) =>
            {
                None
            }
            Ok(_) => Some(SourceReason::Changed { path: self.path.clone() }),
            Err(_) => Some(SourceReason::Gone { path: self.path.clone() }),
        }
    }
}

/// Returns the times of the last change of content, and of anything.
fn times(found: &Metadata) -> (i64, i64) {
    let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
    (nanos(found.mtime(), found.mtime_nsec()), nanos(found.ctime(), found.ctime_nsec()))
}

/// Writes a path as text. One that is not UTF-8 leads nowhere when it is read back.
fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
