//! Text of a notebook cell: its segments of Rust and magic lines, and the words of a magic line.
//!
//! Nothing here knows which magics exist or what a session holds; a line is a magic by its form alone.

mod brackets;
mod completeness;
#[cfg(test)]
mod corpus_tests;
mod engine_commands;
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
pub use completeness::{Completeness, is_complete};
pub use engine_commands::without_commands;
pub use foreign_syntax::foreign_syntax_hint;
pub use magic_cursor::{CursorPosition, MagicCursor, OwnedText, magic_cursor, owned_text};
pub use nesting::nests_too_deep;
pub use segment::{Segment, segments};
pub use words::{Piece, Unclosed, Word, words};
