//! Ownership of the files of a cache: its folder is claimed at its first use, and only what is proved is removed.

use super::folder_lock::FolderLock;
use super::in_use::InUse;
use super::key::name_of;
use crate::store::TableKind;
use crate::store::bounds::file_metadata;
use crate::store::header::{HEADER, MANIFEST};
use crate::store::new_file::is_temporary;
use serde::Deserialize;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The end of the names of entries.
pub(super) const SUFFIX: &str = ".arrow";

/// The file that marks a folder as a cache, also for programs of backups.
const TAG: &str = "CACHEDIR.TAG";
/// Its content; the first line is that of the specification of cache directories.
const TAG_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # The cache of traces that Tracebook loaded. It may be removed while no kernel runs.\n";

/// Whether a folder was claimed as a cache.
pub(super) fn is_claimed(folder: &Path) -> bool {
    std::fs::read(folder.join(TAG)).is_ok_and(|text| text == TAG_TEXT.as_bytes())
}

/// Claims a folder as a cache: it was claimed before, or contains nothing but files of a cache. Writes nothing otherwise.
///
/// # Errors
/// If it contains a file or folder that no cache wrote, or cannot be read or written.
pub(super) fn claim(folder: &Path) -> Result<()> {
    if is_claimed(folder) {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !name.to_str().is_some_and(is_own_name) {
            let name = name.to_string_lossy();
            return Err(Error::other(format!("it contains `{name}`, which is not a file of a cache")));
        }
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(TAG)) {
        Ok(mut file) => file.write_all(TAG_TEXT.as_bytes()),
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether files of caches have such names.
pub(super) fn is_own_name(name: &str) -> bool {
    name == TAG || FolderLock::is_name(name) || InUse::is_name(name) || is_temporary(name) || is_entry_name(name)
}

/// Whether a name is that of an entry: 32 hexadecimal digits and a table.
pub(super) fn is_entry_name(name: &str) -> bool {
    let table = name.strip_suffix(SUFFIX).and_then(|name| name.split_at_checked(32));
    table.is_some_and(|(digits, table)| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_table = |kind: TableKind| table.strip_prefix('-') == Some(kind.name());
        digits.bytes().all(is_digit) && TableKind::ALL.into_iter().any(is_table)
    })
}

/// Opens a file so that reading it is no use of it: the time of the last use decides what is evicted. Only the owner may.
fn open_unused(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(target_os = "linux")]
    options.custom_flags(rustix::fs::OFlags::NOATIME.bits().cast_signed());
    options.read(true).open(path)
}

/// Whether the file named `name` is an entry: it states a key that gives this name, in the format of any version.
pub(super) fn is_entry(path: &Path, name: &str) -> bool {
    #[derive(Deserialize)]
    struct Manifest {
        entry: Entry,
    }
    #[derive(Deserialize)]
    struct Entry {
        key: String,
    }
    let key = || {
        let metadata = file_metadata(&mut open_unused(path).ok()?).ok()?;
        let metadata = metadata.custom_schema_metadata.as_ref().filter(|metadata| metadata.contains_key(HEADER))?;
        Some(serde_json::from_str::<Manifest>(metadata.get(MANIFEST)?).ok()?.entry.key)
    };
    is_entry_name(name) && key().is_some_and(|key| name.starts_with(&name_of(&key)))
}
