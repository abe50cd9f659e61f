//! What a cell shows, on its way to the front end.

pub mod message;
mod output;
mod pace;
mod streams;

pub use message::Message;
pub use output::{Output, Sink};
pub use pace::Pace;
pub use streams::{Chunk, Stdio, Streams};
