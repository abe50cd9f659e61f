//! Path or bytes → the JSON text, gzip undone. What a file is, its first bytes say, not its name.

use super::gzip::Unpacked;
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Error as IoError, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What a load shares with whoever watches it.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Bytes read, as they lie on disk.
    pub(crate) bytes: AtomicU64,
    /// Events seen.
    pub(crate) events: AtomicU64,
    /// Set to end the load.
    pub(crate) stop: AtomicBool,
}

impl Meter {
    /// Ends a load that is to end: asked before each read, and between the steps that make columns of what was read.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if it is to end.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) || crate::exec::checkpoint::interrupted() {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

/// The JSON text of a file.
///
/// # Errors
/// If it cannot be opened.
pub(crate) fn open_file<'m>(path: &Path, meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    let failed = |error| failed(path, error);
    let file = File::open(path).map_err(failed)?;
    plain(Metered { inner: file, meter }).map_err(failed)
}

/// The JSON text in memory.
///
/// # Errors
/// None in practice: memory can be read.
pub(crate) fn open_bytes<'m>(bytes: &'m [u8], meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    plain(Metered { inner: bytes, meter }).map_err(|error| failed(Path::new("bytes"), error))
}

fn failed(path: &Path, error: IoError) -> Error {
    match error.kind() {
        // What `Metered` says when it is told to end.
        ErrorKind::ConnectionAborted => Error::Interrupted,
        _ => Error::Io { path: path.to_owned(), error },
    }
}

fn plain<'m>(reader: impl Read + Send + 'm) -> std::io::Result<Box<dyn Read + Send + 'm>> {
    let mut reader = BufReader::with_capacity(128 * 1024, reader);
    let is_gzip = reader.fill_buf()?.starts_with(&GZIP);
    Ok(if is_gzip { Box::new(Unpacked::new(reader)) } else { Box::new(reader) })
}

/// Counts what it reads and ends when it is told to.
struct Metered<'m, R> {
    inner: R,
    meter: &'m Meter,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.meter.check().is_err() {
            return Err(IoError::from(ErrorKind::ConnectionAborted));
        }
        let read = self.inner.read(buffer)?;
        self.meter.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
