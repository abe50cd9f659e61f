//! The messages of `src/wire` alone, compiled from the same files.

#[allow(dead_code)]
#[path = "../../../src/wire"]
mod wire {
    mod frame;
    mod header;
    mod json;
    pub(crate) mod oracle;
    mod sign;
}

/// Reads bytes as a message.
///
/// # Panics
/// If it is taken for what it is not.
pub fn agrees(bytes: &[u8]) {
    wire::oracle::agrees(bytes);
}
