//! Folders and files that this user alone may write, and programs by their SHA-256: what is run or sent on is this program, never a file
//! that another user put in its place.

use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// The bits of a mode that let other users write.
const WRITABLE: u32 = 0o022;
/// The bit of a folder whose files only their owners may rename.
const STICKY: u32 = 0o1000;

/// Makes a folder with mode 0700, or checks that it is one of this user, for this user alone.
///
/// # Errors
/// If the folder cannot be made, or belongs to or is open to another user.
pub(super) fn own_folder(path: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = path.symlink_metadata()?;
    if found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(refused(format!(
        "{} was made by another user, or is open to other users: expected a folder of this user with mode 0700; remove it, or choose \
         another folder",
        path.display()
    )))
}

/// Checks that other users cannot put another folder in the place of one that this folder has.
///
/// # Errors
/// If every user may rename its files.
pub(super) fn keeps_its_folders(path: &Path) -> Result<()> {
    let mode = path.metadata()?.mode();
    if mode & 0o002 == 0 || mode & STICKY != 0 {
        return Ok(());
    }
    Err(refused(format!(
        "every user may rename its files; choose a folder of your own, or make it sticky: chmod +t {}",
        path.display()
    )))
}

/// Opens a file that this user owns and no other user may write; not a link.
///
/// # Errors
/// If there is no such file.
pub(super) fn open_own(path: &Path) -> Result<File> {
    use rustix::fs::{Mode, OFlags};
    // Without waiting: it may be a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if is_own(&file.metadata()?) {
        Ok(file)
    } else {
        Err(refused(format!("{} is not this user's own", path.display())))
    }
}

fn is_own(found: &Metadata) -> bool {
    found.is_file() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & WRITABLE == 0
}

/// Returns the SHA-256 of what is left to read, in hexadecimal digits.
pub(super) fn sha256(mut source: impl Read) -> Result<String> {
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match source.read(&mut buffer)? {
            0 => return Ok(hex::encode(digest.finalize())),
            length => digest.update(&buffer[..length]),
        }
    }
}

fn refused(reason: String) -> Error {
    Error::new(ErrorKind::PermissionDenied, reason)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folder_that_other_users_may_open_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("mine");
        own_folder(&folder).unwrap();
        assert_eq!(folder.metadata().unwrap().mode() & 0o7777, 0o700);
        own_folder(&folder).unwrap();
        set_mode(&folder, 0o750);
        let message = own_folder(&folder).unwrap_err().to_string();
        assert!(message.contains("with mode 0700") && message.contains("/mine "), "{message}");
        let link = parent.path().join("link");
        set_mode(&folder, 0o700);
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert!(own_folder(&link).is_err(), "a link may lead elsewhere later");
    }

    #[test]
    fn folder_in_which_every_user_renames_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, is_fine) in [(0o755, true), (0o775, true), (0o777, false), (0o1777, true)] {
            set_mode(folder.path(), mode);
            assert_eq!(keeps_its_folders(folder.path()).is_ok(), is_fine, "{mode:o}");
        }
    }

    #[test]
    fn only_own_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for (mode, is_fine) in [(0o644, true), (0o700, true), (0o664, false), (0o646, false)] {
            set_mode(&file, mode);
            assert_eq!(open_own(&file).is_ok(), is_fine, "{mode:o}");
        }
        set_mode(&file, 0o600);
        assert!(open_own(&link).is_err() && open_own(folder.path()).is_err());
        // Only an administrator can give a file away.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&file, Some(65_534), None).unwrap();
            assert!(open_own(&file).is_err());
        }
    }

    #[test]
    fn digest_is_that_of_the_standard() {
        assert_eq!(sha256(&b"abc"[..]).unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
