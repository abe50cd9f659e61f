//! Folder of an export: it appears whole or not at all.

use crate::error::ExportReason;
use crate::parquet::manifest;
use crate::parquet::names::RANK;
use crate::write::output::{Target, resolve};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs::create_dir;
use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder of an export while it is written: a temporary folder next to it, removed on drop.
pub(super) struct NewFolder {
    temporary: PathBuf,
    target: PathBuf,
    /// Whether the target is an earlier export, which is replaced.
    replaces: bool,
}

impl NewFolder {
    /// Prepares the folder `path`: it must not exist, be empty or, with `overwrite`, hold an earlier export.
    ///
    /// # Errors
    /// If it exists otherwise, or the folder around it does not, or is not writable.
    pub(super) fn create(path: &Path, overwrite: bool) -> Result<Self, ExportReason> {
        let target = match resolve(path) {
            Ok(Target::File(target)) => target,
            Ok(Target::Descriptor(_)) => return Err(ExportReason::NotAFolder),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let folder = path.parent().unwrap_or(path).to_owned();
                return Err(ExportReason::NoParent { folder });
            }
            // The root of the file system, or `..`.
            Err(error) if error.kind() == ErrorKind::IsADirectory => return Err(ExportReason::Exists),
            Err(error) => return Err(ExportReason::Io(error)),
        };
        let replaces = match std::fs::symlink_metadata(&target) {
            Ok(found) if found.is_dir() => replaceable(&target, overwrite)?,
            Ok(_) => return Err(ExportReason::NotAFolder),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(ExportReason::Io(error)),
        };
        let temporary = temporary(&target).map_err(ExportReason::Io)?;
        Ok(Self { temporary, target, replaces })
    }

    /// Returns the temporary folder, in which the export is written.
    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives the folder its name. An earlier export is removed afterwards.
    ///
    /// # Errors
    /// If the target has become a folder with content, or cannot be renamed.
    pub(super) fn commit(self) -> Result<(), ExportReason> {
        if self.replaces {
            // Another program may have replaced the export in the meantime.
            replaceable(&self.target, true)?;
            match renameat_with(CWD, &self.temporary, CWD, &self.target, RenameFlags::EXCHANGE) {
                // The temporary name is that of the earlier export now: it is removed on drop.
                Ok(()) => return Ok(()),
                Err(rustix::io::Errno::NOENT) => {}
                Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                    std::fs::remove_dir_all(&self.target).map_err(ExportReason::Io)?;
                }
                Err(error) => return Err(ExportReason::Io(error.into())),
            }
        }
        std::fs::rename(&self.temporary, &self.target).map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => ExportReason::Exists,
            ErrorKind::NotADirectory => ExportReason::NotAFolder,
            _ => ExportReason::Io(error),
        })
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // Fails after a rename, when the name is free.
        let _ = std::fs::remove_dir_all(&self.temporary);
    }
}

/// Whether the existing folder holds an earlier export; `false` if it is empty.
///
/// # Errors
/// If it holds anything else, or must not be overwritten.
fn replaceable(folder: &Path, overwrite: bool) -> Result<bool, ExportReason> {
    let (mut ranks, mut manifest, mut foreign) = (None, false, None);
    for entry in std::fs::read_dir(folder).map_err(ExportReason::Io)? {
        let entry = entry.map_err(ExportReason::Io)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_rank = is_folder && name.strip_prefix(RANK).is_some_and(|rank| rank.parse::<i64>().is_ok());
        if is_rank {
            ranks = Some(name);
        } else if name == manifest::FILE && manifest::is_manifest(&entry.path()) {
            manifest = true;
        } else {
            foreign = Some(name);
        }
    }
    match foreign.or(ranks.filter(|_| !manifest)) {
        Some(holds) => Err(ExportReason::Foreign { holds }),
        None if manifest && !overwrite => Err(ExportReason::Exists),
        None => Ok(manifest),
    }
}

/// Creates an empty folder next to `target`.
fn temporary(target: &Path) -> Result<PathBuf, IoError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let parent = target.parent().unwrap_or(Path::new("/"));
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!(".tracebook-{}-{count}.export", std::process::id()));
        match create_dir(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return created.map(|()| path),
        }
    }
}
