//! Sources: the trace files of a path, and their JSON text with gzip decompressed.

mod files;
mod format;
mod gzip;
mod open;

pub(crate) use files::{label_of, trace_files};
pub(super) use format::{HEAD_SIZE, foreign_format};
#[cfg(test)]
pub(super) use gzip::GzipReader;
pub(super) use open::data_error;
pub(crate) use open::{Meter, open_bytes, open_file};
