//! Bytes in a file without a name: part of an answer that does not fit in memory.

use super::new_file::NewFile;
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Result as IoResult, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes in a file that is private to the process and has no name.
#[derive(Debug)]
pub struct SpilledBytes(File);

impl SpilledBytes {
    /// Writes what `write` passes to its argument to a file in `folder` without a name.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(folder: &Path, write: impl FnOnce(&mut dyn Write) -> IoResult<()>) -> Result<Self> {
        let failed = |error| Error::Io { path: folder.to_owned(), error };
        let new = NewFile::create(folder, 0o400).map_err(failed)?;
        let mut out = BufWriter::with_capacity(1 << 18, &new.file);
        write(&mut out).map_err(failed)?;
        out.flush().map_err(failed)?;
        drop(out);
        Ok(Self(new.file.try_clone().map_err(failed)?))
    }

    /// Returns a reader of the bytes, from the first one on.
    pub fn reader(&self) -> impl BufRead + '_ {
        BufReader::with_capacity(1 << 16, FromStart { file: &self.0, at: 0 })
    }
}

/// Reads a file from its start, whatever its position is for others.
struct FromStart<'f> {
    file: &'f File,
    at: u64,
}

impl Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bytes_are_read_as_often_as_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let spilled =
            SpilledBytes::write(folder.path(), |out| (0..5).try_for_each(|n| writeln!(out, "line {n}"))).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        for _ in 0..2 {
            let lines: Vec<String> = spilled.reader().lines().map(|line| line.unwrap()).collect();
            assert_eq!((lines.len(), lines[4].as_str()), (5, "line 4"));
        }
    }
}
