//! The messages and the publisher's protocol of `crates/kernel-base/src/wire` alone, compiled from the same files.

#[allow(dead_code)]
#[path = "../../../crates/kernel-base/src/wire"]
mod wire {
    mod frame;
    mod header;
    mod json;
    pub(crate) mod oracle;
    mod sign;
    mod zmtp;
    pub(crate) mod zmtp_oracle;
}

/// Reads bytes as a message.
///
/// # Panics
/// If an invalid message is accepted.
pub fn agrees(bytes: &[u8]) {
    wire::oracle::agrees(bytes);
}

/// Serves bytes as what a client of the publisher sends.
///
/// # Panics
/// If a peer that does not subscribe is accepted, or the result depends on the packets.
pub fn serves(bytes: &[u8]) {
    wire::zmtp_oracle::agrees(bytes);
}
