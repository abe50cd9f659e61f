//! Bandwidth of collectives, and bytes by peer.

pub(crate) mod collective;
pub(crate) mod splits;
