//! Output files that the user names, written atomically where that is possible.
//!
//! A regular file is written under a temporary name in its folder and renamed when it is complete. A link is followed, a
//! device or a pipe is written directly, and a file with more than one name, or with an owner that a new file could not
//! have, is overwritten in place once the new content is complete. An existing file keeps its mode; a new one gets the
//! mode that the umask allows.

use crate::exec::checkpoint;
use crate::read::Location;
use rustix::fs::{FallocateFlags, OFlags, fallocate};
use std::fs::{File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Read, Result, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Links followed at most, as the system does.
const LINKS: usize = 40;

/// Time between two attempts to write to a pipe that is full or has no reader.
const RETRY: Duration = Duration::from_millis(10);

/// An output file while it is written; without [`OutputFile::commit`] a regular file stays unchanged.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// A device, a pipe or an open descriptor, written directly.
    Direct,
    /// A temporary file that is renamed to this path.
    Replace(Temporary, PathBuf),
    /// A temporary file whose content is copied into this file.
    Overwrite(Option<Temporary>, File),
}

/// A temporary file, removed on drop.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Fails after a rename, when the name is free.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl OutputFile {
    /// Opens `path` for writing. Waits for a reader if it is a pipe without one, until the work is cancelled.
    ///
    /// # Errors
    /// If it is an address or a folder, its folder does not exist, it is not writable (a mode without any `w` is respected for
    /// administrators, too), or the work was cancelled (the source is then [`crate::Error::Interrupted`]).
    pub fn open(path: &Path) -> Result<Self> {
        if !matches!(Location::of(path), Ok(Location::Local(local)) if local == path) {
            let reason = "nothing is written to an address; name a file, or a folder (--output-dir), of this machine";
            return Err(Error::new(ErrorKind::Unsupported, reason));
        }
        let path = match resolve(path)? {
            Target::File(path) => path,
            Target::Descriptor(path) => return Ok(Self { file: open_descriptor(&path)?, form: Form::Direct }),
        };
        match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(found) if found.is_file() => Self::over(&path, &found),
            Ok(found) => Ok(Self { file: open_special(&path, found.file_type())?, form: Form::Direct }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let (temporary, file) = temporary(folder(&path), 0o666)?;
                Ok(Self { file, form: Form::Replace(temporary, path) })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens an existing regular file for replacement.
    fn over(path: &Path, found: &Metadata) -> Result<Self> {
        if found.mode() & 0o222 == 0 {
            let message = format!(
                "the file is read-only (mode {:04o}); allow writing or choose another name",
                found.mode() & 0o7777
            );
            return Err(Error::new(ErrorKind::PermissionDenied, message));
        }
        let existing = OpenOptions::new().write(true).open(path)?;
        match temporary(folder(path), 0o600) {
            Ok((temporary, file)) if found.nlink() == 1 && adopt(&file, found).is_ok() => {
                Ok(Self { file, form: Form::Replace(temporary, path.to_owned()) })
            }
            Ok((temporary, file)) => Ok(Self { file, form: Form::Overwrite(Some(temporary), existing) }),
            // A folder in which no file can be created.
            Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
                let (named, file) = temporary(&std::env::temp_dir(), 0o600)?;
                Ok(Self { file, form: Form::Overwrite(Some(named), existing) })
            }
            Err(error) => Err(error),
        }
    }

    /// Completes the file: it has its new content.
    ///
    /// # Errors
    /// If the disk is full, or the file cannot be replaced.
    pub fn commit(mut self) -> Result<()> {
        match self.form {
            Form::Direct => Ok(()),
            Form::Replace(temporary, path) => match std::fs::rename(&temporary.0, &path) {
                // A mount point cannot be replaced.
                Err(error) if error.kind() == ErrorKind::ResourceBusy => {
                    let mut existing = OpenOptions::new().write(true).open(path)?;
                    overwrite(&mut self.file, &mut existing)
                }
                renamed => renamed,
            },
            Form::Overwrite(_temporary, mut existing) => overwrite(&mut self.file, &mut existing),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    check()?;
                    std::thread::sleep(RETRY);
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

/// Target of a path.
pub(super) enum Target {
    /// A path without links; the file need not exist.
    File(PathBuf),
    /// An open descriptor of a process.
    Descriptor(PathBuf),
}

/// Follows links, also to files that do not exist yet.
pub(super) fn resolve(path: &Path) -> Result<Target> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..LINKS {
        let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
            return Err(ErrorKind::IsADirectory.into());
        };
        let folder = std::fs::canonicalize(parent)?;
        let target = folder.join(name);
        // The links of open descriptors need not name files.
        if folder.starts_with("/proc") && folder.ends_with("fd") {
            return Ok(Target::Descriptor(target));
        }
        match std::fs::read_link(&target) {
            Ok(link) => path = folder.join(link),
            Err(_) => return Ok(Target::File(target)),
        }
    }
    Err(Error::from_raw_os_error(rustix::io::Errno::LOOP.raw_os_error()))
}

/// Opens an open descriptor again, for appending: its file may have content.
fn open_descriptor(path: &Path) -> Result<File> {
    let own = std::fs::canonicalize("/proc/self/fd").is_ok_and(|folder| path.parent() == Some(&folder));
    match path.file_name().and_then(|name| name.to_str()).filter(|_| own) {
        // Shares the position of our own output.
        Some("1") => std::io::stdout().as_fd().try_clone_to_owned().map(File::from),
        Some("2") => std::io::stderr().as_fd().try_clone_to_owned().map(File::from),
        _ => match std::fs::metadata(path)? {
            found if found.is_file() => OpenOptions::new().append(true).open(path),
            found => open_special(path, found.file_type()),
        },
    }
}

/// Opens a device or a pipe, waiting for the reader of a pipe.
fn open_special(path: &Path, kind: FileType) -> Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    loop {
        match OpenOptions::new().write(true).custom_flags(flags).open(path) {
            Err(error) if kind.is_fifo() && error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
                check()?;
                std::thread::sleep(RETRY);
            }
            opened => return opened,
        }
    }
}

fn check() -> Result<()> {
    checkpoint::check().map_err(Error::other)
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Creates a temporary file in a folder; the umask restricts `mode`.
fn temporary(folder: &Path, mode: u32) -> Result<(Temporary, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".tracebook-{}-{count}.part", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (Temporary(path), file)),
        }
    }
}

/// Gives a new file the owner and the mode of the existing one.
fn adopt(file: &File, found: &Metadata) -> Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
        fchown(file, Some(found.uid()), Some(found.gid()))?;
    }
    file.set_permissions(Permissions::from_mode(found.mode() & 0o7777))
}

/// Replaces the content of `existing`.
fn overwrite(content: &mut File, existing: &mut File) -> Result<()> {
    let length = content.metadata()?.len();
    // On a full disk the old content stays, on file systems that support fallocate.
    match fallocate(&*existing, FallocateFlags::empty(), 0, length.max(1)) {
        Err(error) if error == rustix::io::Errno::NOSPC => return Err(error.into()),
        _ => {}
    }
    content.rewind()?;
    existing.rewind()?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match content.read(&mut buffer)? {
            0 => break,
            read => existing.write_all(&buffer[..read])?,
        }
    }
    existing.set_len(length)
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
