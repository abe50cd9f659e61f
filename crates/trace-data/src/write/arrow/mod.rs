//! Saved traces and frames: uncompressed Arrow files, which are mapped into memory instead of being read.
//!
//! A saved trace is a folder: a file per rank ([rank files](https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format)
//! with a manifest, described in `docs/rank-files.md`), and `trace.json` with what they do not hold: label, warnings, the list
//! of the files. The folder is whole once it has `trace.json`.
//!
//! [`map`] and [`map_frame`] accept files of this library and this version of the format only. Before a file is mapped,
//! its header, the checksum of its manifest and the bounds of every column are verified. A frame with columns of variable
//! width (texts, lists, categories) is read and validated by polars instead of being mapped.
//!
//! A mapped file must not be written to while anything refers to it. Deleting it, or replacing it by another file, is
//! allowed: a frame that is mapped keeps its pages, and a trace whose file is gone says so when its events are used.

mod listing;
mod map;
mod save;
#[cfg(test)]
mod tests;

pub use map::{map, map_frame};
pub use save::{hand_over, save, save_frame};
