//! Conversations with the front end (comms of the Jupyter protocol), which are answered while a cell runs.
//!
//! A front end opens a conversation with a *target*, by name, and both sides send messages with JSON and buffers until one of them
//! closes it. Every kind of conversation is one file and one row in [`TARGETS`]. The work of conversations runs on threads of its own,
//! bounded in number; `docs/comms.md` describes the messages.

mod comms;
mod echo;
mod entry;
mod limits;
mod reply;
mod session;
mod target;
mod targets;
#[cfg(test)]
mod tests;
mod timeline;
mod workers;

pub use comms::{Comms, Incoming};
pub use reply::{Line, Reply};
pub use target::{Conversation, Target};
pub use targets::TARGETS;
