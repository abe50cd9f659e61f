//! A folder of one user below the folder of temporary files, which every user may write to.
//!
//! A fixed name could be planted there: a link to another folder, or a folder of another user. So the name is chosen at random, and
//! a folder is used again only if no other user can have made it.

use super::disk::is_in_memory;
use std::fs::{DirBuilder, Permissions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Returns a folder that only this user may read and write, for files that are worth something to later processes of this machine.
/// Every call returns the same one as long as it is there: in `runtime` (`XDG_RUNTIME_DIR`) if that is on a disk, else one with a
/// random name in `temporary`.
///
/// # Errors
/// If no folder can be created.
pub fn private_folder(runtime: Option<&Path>, temporary: &Path) -> Result<PathBuf> {
    if let Some(runtime) = runtime.filter(|folder| is_private(folder) && !is_in_memory(folder)) {
        let folder = runtime.join("tracebook");
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ if is_private(&folder) => return Ok(folder),
            _ => {}
        }
    }
    let prefix = format!("tracebook-of-{}-", rustix::process::geteuid().as_raw());
    let existing = || {
        let names = std::fs::read_dir(temporary).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let own = names.filter(|name| name.to_string_lossy().starts_with(&prefix)).map(|name| temporary.join(name));
        own.filter(|folder| is_private(folder)).min()
    };
    if let Some(folder) = existing() {
        return Ok(folder);
    }
    let mode = Permissions::from_mode(0o700);
    let new = tempfile::Builder::new().prefix(&prefix).permissions(mode).tempdir_in(temporary)?;
    // Another process may have created one in the meantime: all take the first. The new one is removed if it is another.
    match existing() {
        Some(folder) if folder != new.path() => Ok(folder),
        Some(_) => Ok(new.keep()),
        None => Err(Error::new(ErrorKind::PermissionDenied, format!("no private folder in {}", temporary.display()))),
    }
}

/// Whether a path is a folder, not a link to one, of this user alone.
fn is_private(folder: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    std::fs::symlink_metadata(folder)
        .is_ok_and(|found| found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn private_folder_is_found_again() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = private_folder(None, temporary.path()).unwrap();
        assert!(is_private(&folder) && folder.parent() == Some(temporary.path()));
        assert_eq!(private_folder(None, temporary.path()).unwrap(), folder);
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 1);
        let elsewhere = tempfile::tempdir().unwrap();
        assert_ne!(private_folder(None, elsewhere.path()).unwrap().file_name(), folder.file_name(), "a random name");
    }

    #[test]
    fn planted_links_and_open_folders_are_not_followed() {
        let temporary = tempfile::tempdir().unwrap();
        let victim = tempfile::tempdir().unwrap();
        let user = rustix::process::geteuid().as_raw();
        let planted = temporary.path().join(format!("tracebook-of-{user}-a"));
        symlink(victim.path(), &planted).unwrap();
        let open = temporary.path().join(format!("tracebook-of-{user}-b"));
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, Permissions::from_mode(0o770)).unwrap();
        let folder = private_folder(None, temporary.path()).unwrap();
        assert!(folder != planted && folder != open && is_private(&folder));
    }

    #[test]
    fn runtime_folder_is_preferred_if_private() {
        let (temporary, runtime) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::set_permissions(runtime.path(), Permissions::from_mode(0o700)).unwrap();
        let of = |runtime: &Path| private_folder(Some(runtime), temporary.path()).unwrap();
        assert_eq!(of(runtime.path()), runtime.path().join("tracebook"));
        std::fs::set_permissions(runtime.path(), Permissions::from_mode(0o755)).unwrap();
        assert_eq!(of(runtime.path()).parent(), Some(temporary.path()));
        assert_eq!(of(Path::new("/none")).parent(), Some(temporary.path()));
    }
}
