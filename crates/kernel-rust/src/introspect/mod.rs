//! Completion and inspection of Rust: names, signatures and documentation of what a cell can call.
//!
//! rust-analyzer would know more, but needs seconds and gigabytes. Completion and inspection must answer within a tenth of a
//! second, also while a cell runs, so both read an index of signatures:
//!
//! * `index` holds it. Its `data/` is written by a test from the sources of polars, plotly, serde_json and the standard library
//!   (`make completion-index`). Our own library is indexed at runtime from the sources that the binary carries, so that part is never
//!   out of date. What the notebook's cells define is indexed from their text by the same scanner.
//! * `infer` finds the type of the expression in front of the cursor, and the columns of a frame, from the text of the cell.

mod bounded;
mod candidate;
mod column_names;
mod complete;
mod engine_commands;
mod frame_page;
mod index;
mod infer;
mod inspect;

pub use complete::complete;
pub use index::warm_up;
pub use inspect::inspect;

#[cfg(test)]
mod tests;
