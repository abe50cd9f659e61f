//! Zip archives with a file per rank: their entries by name, and the data of one entry.

use super::inflate::{Inflate, Stored};
use super::names::is_rank_name;
use crate::error::NotATraceReason;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// The first bytes of a zip archive, and of one without entries.
const STARTS: [[u8; 4]; 2] = [*b"PK\x03\x04", *b"PK\x05\x06"];

/// Returns whether a regular file is a zip archive, by its first bytes.
pub(super) fn is_archive(file: &Path) -> bool {
    let mut head = [0; 4];
    File::open(file).and_then(|mut file| file.read_exact(&mut head)).is_ok() && STARTS.contains(&head)
}

/// Returns the trace files of an archive below a folder of it, as paths that go on from the archive, by name: those of the
/// folder itself, or of the only folder in it that has any.
///
/// # Errors
/// If the archive is damaged, or has no trace file there, or several folders of them.
pub(super) fn entries(archive: &Path, inside: &Path) -> Result<Vec<PathBuf>> {
    let names = open(archive)?;
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for name in names.file_names() {
        let entry = Path::new(name);
        // A name such as `../a.json` or `/a.json` leads out of the archive.
        let is_below = entry.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if is_below && entry == inside {
            return Ok(vec![archive.join(entry)]);
        }
        let file = entry.file_name().unwrap_or_default().to_string_lossy();
        let is_hidden = entry.iter().any(|part| part == "__MACOSX" || part.as_encoded_bytes().starts_with(b"."));
        if is_below && !is_hidden && is_rank_name(&file) && entry.starts_with(inside) {
            let folder = entry.parent().unwrap_or(Path::new("")).to_owned();
            folders.entry(folder).or_default().push(archive.join(entry));
        }
    }
    let least = folders.keys().map(|folder| folder.components().count()).min();
    folders.retain(|folder, _| Some(folder.components().count()) == least);
    if folders.len() == 1
        && let Some((_, mut files)) = folders.pop_first()
    {
        files.sort();
        return Ok(files);
    }
    let folders = folders.keys().map(|folder| folder.display().to_string()).collect();
    Err(Error::NoTraceFiles { path: archive.join(inside), folders })
}

/// Returns the size of an entry as it is stored in its archive; `None` for anything else.
pub(super) fn stored_size(path: &Path) -> Option<u64> {
    let (archive, name) = crate::domain::archive_of(path)?;
    is_archive(archive).then(|| Entry::find(archive, name).ok()).flatten().map(|entry| entry.size)
}

fn open(archive: &Path) -> Result<ZipArchive<BufReader<File>>> {
    let file = File::open(archive).map_err(|error| Error::Io { path: archive.to_owned(), error })?;
    ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(archive, error))
}

/// Returns the error of an archive or of an entry that cannot be read.
fn damaged(path: &Path, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) if error.raw_os_error().is_some() => Error::Io { path: path.to_owned(), error },
        error => {
            let fix = format!("`unzip -t FILE` checks it ({error}); copy or download it again");
            let reason = NotATraceReason::OtherFormat { format: "a damaged or incomplete zip archive", fix };
            Error::NotATrace { file: path.display().to_string(), reason }
        }
    }
}

/// Where the data of an entry is, and what it must be when it is decompressed.
pub(super) struct Entry {
    archive: PathBuf,
    method: CompressionMethod,
    start: u64,
    /// The size in the archive.
    size: u64,
    length: u64,
    crc: u32,
}

impl Entry {
    /// Finds an entry by its name.
    ///
    /// # Errors
    /// If there is none, it is encrypted, or the archive is damaged there.
    pub(super) fn find(archive: &Path, name: &Path) -> Result<Self> {
        let path = archive.join(name);
        let mut open = open(archive)?;
        let at = open.file_names().position(|entry| Path::new(entry) == name);
        let not_found = || Error::Io { path: path.clone(), error: std::io::ErrorKind::NotFound.into() };
        let entry = open.by_index_raw(at.ok_or_else(not_found)?).map_err(|error| damaged(&path, error))?;
        if entry.encrypted() {
            let fix = "extract it with `unzip`, which asks for the password".to_owned();
            let reason = NotATraceReason::OtherFormat { format: "an encrypted entry of a zip archive", fix };
            return Err(Error::NotATrace { file: path.display().to_string(), reason });
        }
        Ok(Self {
            archive: archive.to_owned(),
            method: entry.compression(),
            start: entry.data_start().ok_or_else(not_found)?,
            size: entry.compressed_size(),
            length: entry.size(),
            crc: entry.crc32(),
        })
    }

    /// Opens the data, decompressed; `metered` wraps the file.
    ///
    /// # Errors
    /// If it is not compressed by deflate, or the file cannot be opened.
    pub(super) fn open<'m, M: Read + Send + 'm>(
        &self,
        metered: impl FnOnce(File) -> M,
    ) -> Result<Box<dyn Read + Send + 'm>> {
        let failed = |error| Error::Io { path: self.archive.clone(), error };
        let mut file = File::open(&self.archive).map_err(failed)?;
        file.seek(SeekFrom::Start(self.start)).map_err(failed)?;
        let data = BufReader::with_capacity(128 * 1024, metered(file).take(self.size));
        match self.method {
            CompressionMethod::Stored => Ok(Box::new(Stored::new(data, self.length, self.crc))),
            CompressionMethod::Deflated => Ok(Box::new(Inflate::new(data, self.length, self.crc))),
            other => {
                let fix = format!("its method is {other}: extract it with `unzip` or `7z x`");
                let reason = NotATraceReason::OtherFormat { format: "an entry that is not compressed by deflate", fix };
                Err(Error::NotATrace { file: self.archive.display().to_string(), reason })
            }
        }
    }
}
