//! Paths into archives: `run.zip/rank0.json.gz` is the entry `rank0.json.gz` of the file `run.zip`.

use std::path::{Path, PathBuf};

/// Returns the archive and the name of the entry that a path leads to; `None` for a path of the file system.
///
/// No file has another one below it, so such a path never means anything else.
pub fn archive_of(path: &Path) -> Option<(&Path, &Path)> {
    if path.symlink_metadata().is_ok() {
        return None;
    }
    // Without a slash at the end, with which an archive is no file.
    let path = path.components().as_path();
    let archive = path.ancestors().find(|above| above.is_file())?;
    Some((archive, path.strip_prefix(archive).ok()?))
}

/// Returns the file of the file system that has the bytes of `path`: itself, or the archive of an entry.
pub fn file_of(path: &Path) -> &Path {
    archive_of(path).map_or(path, |(archive, _)| archive)
}

/// Returns the canonical path: that of the archive, followed by the name of the entry.
///
/// # Errors
/// If the file does not exist.
pub fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    match archive_of(path) {
        Some((archive, entry)) => Ok(std::fs::canonicalize(archive)?.join(entry)),
        None => std::fs::canonicalize(path),
    }
}
