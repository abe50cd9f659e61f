//! Sources: the trace files of a path, a folder, a zip archive or an address, and their JSON text: gzip and zstd decompressed,
//! Perfetto's protobuf decoded.

mod archive;
mod damage;
mod files;
mod format;
mod gzip;
mod inflate;
mod input;
mod meter;
mod names;
mod open;
mod pattern;
mod zstd;

pub(super) use damage::Damage;
#[cfg(feature = "cloud")]
pub(super) use files::trace_names;
pub use files::{label_of, trace_files};
pub(super) use format::{HEAD_SIZE, foreign_format};
#[cfg(test)]
pub(super) use gzip::GzipReader;
pub use input::{Input, Inputs};
pub use meter::Meter;
pub use names::{ANNOTATIONS, is_trace_name};
pub(super) use open::data_error;
pub use open::{open_bytes, open_file, open_input, read_text};
pub use pattern::{has_wildcard, is_name_match};
