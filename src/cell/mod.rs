//! What a person typed: a cell as stretches of Rust and magic lines, and a magic line as words.
//!
//! Nothing here knows which magics exist or what a session holds; a line is a magic by its form alone.

mod brackets;
mod commands;
mod completeness;
#[cfg(test)]
mod corpus_tests;
mod foreign_syntax;
mod magic_cursor;
mod nesting;
#[cfg(any(test, fuzzing))]
pub mod oracle;
mod segment;
mod syntax;
mod token_walk;
mod words;

pub use brackets::{Unpaired, unpaired};
pub use commands::without_commands;
pub use completeness::{Completeness, is_complete};
pub use foreign_syntax::habit;
pub use magic_cursor::{Caret, Spot, caret};
pub use nesting::nests_too_deep;
pub use segment::{Segment, segments};
pub use words::{Piece, Unclosed, Word, words};
