//! What a person typed: a cell as stretches of Rust and magic lines, and a magic line as words.
//!
//! Nothing here knows which magics exist or what a session holds; a line is a magic by its form alone.

mod brackets;
mod caret;
mod commands;
mod completeness;
#[cfg(test)]
mod corpus_tests;
mod habits;
mod nesting;
#[cfg(any(test, fuzzing))]
pub mod oracle;
mod rust;
mod segment;
mod syntax;
mod words;

pub use brackets::{Unpaired, unpaired};
pub use caret::{Caret, Spot, caret};
pub use commands::without_commands;
pub use completeness::{Completeness, is_complete};
pub use habits::habit;
pub use nesting::nests_too_deep;
pub use segment::{Segment, segments};
pub use words::{Piece, Unclosed, Word, words};
