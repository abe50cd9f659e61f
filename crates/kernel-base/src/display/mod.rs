//! Outputs of a cell as messages to the front end.

pub mod message;
mod output;
mod pace;
mod streams;

pub use message::Message;
pub use output::{Output, Sink};
pub use pace::Pace;
pub use streams::{Stdio, StreamText, Streams};
