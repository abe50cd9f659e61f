//! Sources: trace files of a path, and their JSON text with gzip decompressed.

mod files;
mod format;
mod gzip;
mod open;

pub(crate) use files::{RankText, label_of, trace_files};
pub(super) use format::{ENOUGH, foreign};
#[cfg(test)]
pub(super) use gzip::Unpacked;
pub(crate) use open::{Meter, open_bytes, open_file};
