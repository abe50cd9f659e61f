//! The Jupyter wire: sockets, signatures and frames; bytes on one side, typed messages on the other.
//!
//! One thread owns the ROUTER sockets and does nothing but move frames, so no answer waits for a cell. iopub speaks ZMTP
//! itself, with a queue for each client, so that no client waits for another. The heartbeat has a thread of its own. What arrives damaged, unsigned or wrongly signed is dropped with a line in
//! the log; no message can end the loop.

mod bind;
mod connection;
mod error;
mod frame;
mod header;
mod heartbeat;
mod json;
#[cfg(test)]
mod oracle;
mod outbox;
mod private;
mod publisher;
mod sign;
mod sockets;
mod stream;
mod waker;
mod zmtp;

pub use connection::Connection;
pub use error::WireError;
pub use frame::{Channel, Request};
pub use header::{Origin, PROTOCOL_VERSION};
pub use outbox::Outbox;
pub use sockets::Wire;
