//! The Jupyter wire: sockets, signatures and frames; bytes on one side, typed messages on the other.
//!
//! One thread owns the four ROUTER and XPUB sockets and does nothing but move frames, so no answer waits for a cell.
//! The heartbeat has a thread of its own. What arrives damaged, unsigned or wrongly signed is dropped with a line in
//! the log; no message can end the loop.

mod connection;
mod error;
mod flight;
mod frame;
mod header;
mod heartbeat;
#[cfg(test)]
mod oracle;
mod outbox;
mod sign;
mod sockets;
mod waker;

pub use connection::Connection;
pub use error::WireError;
pub use frame::{Channel, Request};
pub use header::{Origin, PROTOCOL_VERSION};
pub use outbox::Outbox;
pub use sockets::Wire;
