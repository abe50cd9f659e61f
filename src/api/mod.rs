//! What a cell can call: names, signatures and documentation of our library, of polars and of the standard library.
//!
//! rust-analyzer would know more, and needs seconds and gigabytes. Completion and inspection need an answer in a tenth of a
//! second, also while a cell runs; so what can be called is an index. `data/` holds the parts of polars, plotly,
//! serde_json and the standard library, written from their sources by a test of this room (`make api-index`); the part of our
//! own library is read from the sources that the binary carries when it is first asked for, so it cannot be old. What the
//! notebook's cells define is read from their text, by the same scan.

mod bindings;
mod cells;
mod columns;
mod commands;
mod complete;
mod everyday;
mod expression;
mod index;
mod infer;
mod inspect;
mod item;
mod outputs;
mod scan;
mod schema;
mod shape;
mod sources;
mod type_text;
mod within;

pub(crate) use complete::complete;
pub(crate) use index::warm_up;
pub(crate) use inspect::inspect;
use item::Kind;
use type_text::Type;

#[cfg(test)]
mod tests;
