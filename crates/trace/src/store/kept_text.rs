//! Lines of text in a file without a name: part of an answer that does not fit in memory.

use super::new_file::NewFile;
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Result as IoResult, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Lines of text in a file that is private to the process and has no name.
#[derive(Debug)]
pub(crate) struct KeptText(File);

impl KeptText {
    /// Writes what `lines` passes to its argument, each a line, to a file in `folder` without a name.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn write(
        folder: &Path,
        lines: impl FnOnce(&mut dyn FnMut(&[u8]) -> IoResult<()>) -> IoResult<()>,
    ) -> Result<Self> {
        let failed = |error| Error::Io { path: folder.to_owned(), error };
        let new = NewFile::create(folder, 0o400).map_err(failed)?;
        let mut out = BufWriter::with_capacity(1 << 18, &new.file);
        let mut line = |line: &[u8]| {
            out.write_all(line)?;
            out.write_all(b"\n")
        };
        lines(&mut line).map_err(failed)?;
        out.flush().map_err(failed)?;
        drop(out);
        Ok(Self(new.file.try_clone().map_err(failed)?))
    }

    /// Passes each line to `line`.
    ///
    /// # Errors
    /// The error of `line`, or of the disk.
    pub(crate) fn each(&self, line: &mut dyn FnMut(&[u8]) -> IoResult<()>) -> IoResult<()> {
        let mut lines = BufReader::with_capacity(1 << 18, FromStart { file: &self.0, at: 0 });
        let mut text = Vec::new();
        loop {
            text.clear();
            if lines.read_until(b'\n', &mut text)? == 0 {
                return Ok(());
            }
            line(text.strip_suffix(b"\n").unwrap_or(&text))?;
        }
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
    fn lines_are_read_as_often_as_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let text = KeptText::write(folder.path(), |line| (0..5).try_for_each(|n| line(format!("line {n}").as_bytes())));
        let text = text.unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        for _ in 0..2 {
            let mut found = Vec::new();
            text.each(&mut |line| {
                found.push(String::from_utf8(line.to_vec()).unwrap());
                Ok(())
            })
            .unwrap();
            assert_eq!((found.len(), found[4].as_str()), (5, "line 4"));
        }
    }
}
