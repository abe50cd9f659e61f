//! Path or bytes → JSON text, gzip decompressed. The first bytes decide what a file is, not its name.

use super::gzip::GzipReader;
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Error as IoError, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Counters of a load, and the flag that stops it; shared by its threads.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Bytes read from disk.
    pub(crate) bytes: AtomicU64,
    /// Events parsed.
    pub(crate) events: AtomicU64,
    /// Stops the load.
    pub(crate) stop: AtomicBool,
}

impl Meter {
    /// Stops a cancelled load: called before each read, and between the steps that build columns.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the load is cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) || crate::exec::checkpoint::interrupted() {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

/// Opens the JSON text of a file.
///
/// # Errors
/// If it cannot be opened.
pub(crate) fn open_file<'m>(path: &Path, meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    let failed = |error| failed(path, error);
    let file = File::open(path).map_err(failed)?;
    decompressed(Metered { inner: file, meter }).map_err(failed)
}

/// Opens JSON text in memory.
///
/// # Errors
/// None in practice: reading memory does not fail.
pub(crate) fn open_bytes<'m>(bytes: &'m [u8], meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    decompressed(Metered { inner: bytes, meter }).map_err(|error| failed(Path::new("bytes"), error))
}

fn failed(path: &Path, error: IoError) -> Error {
    match error.kind() {
        // The error of `Metered` in a cancelled load.
        ErrorKind::ConnectionAborted => Error::Interrupted,
        _ => Error::Io { path: path.to_owned(), error },
    }
}

fn decompressed<'m>(reader: impl Read + Send + 'm) -> std::io::Result<Box<dyn Read + Send + 'm>> {
    let mut reader = BufReader::with_capacity(128 * 1024, reader);
    let is_gzip = reader.fill_buf()?.starts_with(&GZIP);
    Ok(if is_gzip { Box::new(GzipReader::new(reader)) } else { Box::new(reader) })
}

/// Reader that counts bytes, and fails once the load is cancelled.
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

/// Returns what is wrong with the data, if the data is at fault and not the machine.
///
/// # Errors
/// The error of the machine, or [`Error::Interrupted`].
pub(in crate::read) fn data_error(file: &str, error: IoError) -> Result<String> {
    match error.kind() {
        ErrorKind::UnexpectedEof => Ok("the gzip data ends early".to_owned()),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => Ok(format!("the gzip data is damaged ({error})")),
        ErrorKind::ConnectionAborted => Err(Error::Interrupted),
        _ => Err(Error::Io { path: file.into(), error }),
    }
}
