//! The Jupyter wire protocol: sockets, signatures and frames; bytes on one side, typed messages on the other.
//!
//! One thread owns the ROUTER sockets and only moves frames, so no reply waits for a cell. iopub is a ZMTP publisher of our own with a
//! queue for each subscriber, so that none waits for another. The heartbeat has a thread of its own. Damaged, unsigned and wrongly
//! signed messages are dropped with a line in the log; no message can end the loop.

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
mod publisher;
mod sign;
mod sockets;
mod stream;
mod umask;
mod waker;
mod zmtp;
#[cfg(test)]
mod zmtp_oracle;

pub use connection::Connection;
pub use error::WireError;
pub use frame::{Channel, Request};
pub use header::{Origin, PROTOCOL_VERSION};
pub use outbox::Outbox;
pub use sockets::Wire;
