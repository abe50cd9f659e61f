//! A trace or a frame as one uncompressed Arrow file, which is mapped into memory instead of being read.
//!
//! The file of a trace has one batch per rank. Categories are written as codes; their texts, and everything else that a
//! trace holds besides events, are JSON in the metadata of the schema (the manifest). If the shared category table of
//! the process gives every text the same code, the columns are the file's pages themselves; otherwise the codes are
//! translated once. A file lists the texts of all codes up to its highest one, so that a process without texts of its
//! own gets the same codes whichever of the writer's files it maps first.
//!
//! [`map`] and [`map_frame`] accept files of this library and this version of the format only. Before a file is mapped,
//! its header, the checksum of its manifest and the bounds of every column are verified; before codes become
//! categories, the highest one is compared with the number of texts. A frame with columns of variable width (texts,
//! lists, categories) is read and validated by polars instead of being mapped.
//!
//! A mapped file must not be written to while anything refers to it. Deleting it, or replacing it by another file, is
//! allowed.

mod manifest;
mod map;
mod save;
#[cfg(test)]
mod tests;

pub use map::{map, map_frame};
pub use save::{save, save_frame};
