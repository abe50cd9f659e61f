//! Small versioned files of JSON that are kept for the user: accepted changes, baselines.

use super::OutputFile;
use crate::error::VersionedFileReason;
use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct VersionedFile {
    /// What it holds, for messages.
    #[doc(hidden)]
    pub what: &'static str,
    /// The version that is written. Older ones are read, too.
    #[doc(hidden)]
    pub version: u64,
    /// Largest file that is read.
    #[doc(hidden)]
    pub most_bytes: u64,
}

impl VersionedFile {
    /// Reads a file with a field `version` and those of `T`; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, too large, or of a newer version.
    #[doc(hidden)]
    pub fn read<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<T>> {
        let system = |error| self.wrong(path, VersionedFileReason::System(error));
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => {}
            // Opening a pipe would wait for its writer.
            Ok(_) => return Err(self.wrong(path, VersionedFileReason::NotAFile)),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(system(error)),
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(system)?;
        file.take(self.most_bytes + 1).read_to_end(&mut bytes).map_err(system)?;
        if bytes.len() as u64 > self.most_bytes {
            return Err(self.wrong(path, VersionedFileReason::TooLarge(self.most_bytes)));
        }
        let damaged = |error: serde_json::Error| self.wrong(path, VersionedFileReason::Damaged(error.to_string()));
        let document: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        match document.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version > self.version => {
                Err(self.wrong(path, VersionedFileReason::Newer { version, known: self.version }))
            }
            Some(1..) => serde_json::from_value(document).map(Some).map_err(damaged),
            _ => Err(self.wrong(path, VersionedFileReason::Damaged("it has no valid version".to_owned()))),
        }
    }

    /// Writes a file whole or not at all, and creates its folder.
    ///
    /// # Errors
    /// If it cannot be written.
    #[doc(hidden)]
    pub fn write(&self, path: &Path, document: &impl Serialize) -> Result<()> {
        let write = || {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                std::fs::create_dir_all(folder)?;
            }
            let mut bytes = serde_json::to_vec_pretty(document)?;
            bytes.push(b'\n');
            let mut file = OutputFile::open(path)?;
            file.write_all(&bytes)?;
            file.commit()
        };
        write().map_err(|error| self.wrong(path, VersionedFileReason::System(error)))
    }

    fn wrong(&self, path: &Path, reason: VersionedFileReason) -> Error {
        Error::VersionedFile { what: self.what, path: path.to_owned(), reason }
    }
}
