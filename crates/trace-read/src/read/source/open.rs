//! Path or bytes → JSON text: gzip and zstd decompressed, Perfetto's protobuf decoded. The first bytes decide what a file is,
//! not its name.

use super::archive::{Entry, is_archive};
use super::damage::Damage;
use super::gzip::GzipReader;
use super::input::Input;
use super::meter::Meter;
use super::zstd::ZstdReader;
use crate::domain::archive_of;
use crate::error::{StorageError, StorageReason};
use crate::read::perfetto::{HEAD, PerfettoText, is_perfetto};
use crate::read::remote::{self, Location};
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Error as IoError, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first bytes of zstd data.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens the JSON text of a file, of an entry of a zip archive, or of the object of an address.
///
/// # Errors
/// If it cannot be opened; if the entry is encrypted, or compressed in another way than by deflate.
pub fn open_file<'m>(path: &Path, meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    match Location::of(path)? {
        Location::Local(path) => open_local(&path, meter),
        Location::Remote(uri) => open_input(&remote::describe(&uri, meter)?, meter),
    }
}

/// The most bytes of text that are read at once: files beside a trace have some hundred megabytes at most, and small compressed files may
/// have any number.
const MOST_TEXT: u64 = 1 << 30;

/// Reads the whole text of a file that is small beside a trace: JSON, also gzip or zstd.
///
/// # Errors
/// If it cannot be opened or read, is not UTF-8, or has more than 1 GiB of text.
pub fn read_text(path: &Path) -> Result<String> {
    text_of(open_file(path, &Meter::default())?, MOST_TEXT).map_err(|error| failed(path, error))
}

fn text_of(file: impl Read, most: u64) -> std::io::Result<String> {
    let mut text = String::new();
    if file.take(most + 1).read_to_string(&mut text)? as u64 > most {
        let reason = format!("it has more than {most} bytes of text, which is more than such a file may have");
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
    }
    Ok(text)
}

/// Opens the JSON text of an input; of an object only if it is the one that was listed.
///
/// # Errors
/// If it cannot be opened.
pub fn open_input<'m>(input: &Input, meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    match Location::of(&input.path)? {
        Location::Local(path) => open_local(&path, meter),
        Location::Remote(uri) => {
            let bytes = remote::open(&uri, input, meter)?;
            json_text(Metered { inner: bytes, meter }, &input.path).map_err(|error| failed(&input.path, error))
        }
    }
}

fn open_local<'m>(path: &Path, meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    let failed = |error| failed(path, error);
    if let Some((archive, name)) = archive_of(path)
        && is_archive(archive)
    {
        let entry = Entry::find(archive, name)?.open(|file| Metered { inner: file, meter })?;
        return json_text(entry, path).map_err(failed);
    }
    let file = File::open(path).map_err(failed)?;
    json_text(Metered { inner: file, meter }, path).map_err(failed)
}

/// Opens JSON text in memory.
///
/// # Errors
/// None in practice: reading memory does not fail.
pub fn open_bytes<'m>(bytes: &'m [u8], meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    json_text(Metered { inner: bytes, meter }, Path::new("")).map_err(|error| failed(Path::new("bytes"), error))
}

fn failed(path: &Path, error: IoError) -> Error {
    if let Some(reason) = refusal(&error) {
        return StorageError::Refused { uri: path.display().to_string(), reason }.into();
    }
    match error.kind() {
        // The error of `Metered` in a cancelled load.
        ErrorKind::ConnectionAborted => Error::Interrupted,
        _ => Error::Io { path: path.to_owned(), error },
    }
}

/// Returns why storage did not give the bytes, if the error is about that.
fn refusal(error: &IoError) -> Option<StorageReason> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<StorageReason>()).cloned()
}

/// Returns the JSON text of data; `path` may name its rank.
fn json_text<'m>(reader: impl Read + Send + 'm, path: &Path) -> std::io::Result<Box<dyn Read + Send + 'm>> {
    let mut reader = BufReader::with_capacity(128 * 1024, reader);
    let head = reader.fill_buf()?;
    let (is_gzip, is_zstd) = (head.starts_with(&GZIP), head.starts_with(&ZSTD));
    let text = Peeked::new(match () {
        () if is_gzip => Box::new(GzipReader::new(reader)) as Box<dyn Read + Send + 'm>,
        () if is_zstd => Box::new(ZstdReader::new(reader)?),
        () if is_perfetto(head) => return Ok(Box::new(PerfettoText::new(reader, &path.to_string_lossy()))),
        () => return Ok(Box::new(reader)),
    });
    let is_perfetto = is_perfetto(&text.head);
    Ok(if is_perfetto { Box::new(PerfettoText::new(text, &path.to_string_lossy())) } else { Box::new(text) })
}

/// Reader whose first bytes are known.
struct Peeked<R> {
    head: Vec<u8>,
    /// How much of the head was read.
    at: usize,
    /// The error that follows the head.
    failed: Option<IoError>,
    inner: R,
}

impl<R: Read> Peeked<R> {
    fn new(mut inner: R) -> Self {
        let mut head = Vec::with_capacity(HEAD);
        let failed = inner.by_ref().take(HEAD as u64).read_to_end(&mut head).err();
        Self { head, at: 0, failed, inner }
    }
}

impl<R: Read> Read for Peeked<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.head.len() {
            return match self.failed.take() {
                Some(error) => Err(error),
                None => self.inner.read(buffer),
            };
        }
        let length = buffer.len().min(self.head.len() - self.at);
        buffer[..length].copy_from_slice(&self.head[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
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
    if let Some(damage) = error.get_ref().and_then(|inner| inner.downcast_ref::<Damage>()) {
        return Ok(damage.to_string());
    }
    if let Some(reason) = refusal(&error) {
        return Err(StorageError::Refused { uri: file.to_owned(), reason }.into());
    }
    match error.kind() {
        ErrorKind::UnexpectedEof => Ok("the gzip data ends early".to_owned()),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => Ok(format!("the gzip data is damaged ({error})")),
        ErrorKind::ConnectionAborted => Err(Error::Interrupted),
        _ => Err(Error::Io { path: file.into(), error }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn texts_of_more_than_the_most_bytes_are_refused() {
        assert_eq!(text_of(&b"1234"[..], 4).unwrap(), "1234");
        let error = text_of(std::io::repeat(b' '), 4).unwrap_err();
        assert!(error.to_string().contains("more than 4 bytes of text"), "{error}");
    }
}
