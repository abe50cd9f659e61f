//! Files in object storage and on web servers: addresses, listings, and the stream of one request per file.
//!
//! Addresses are known to every build; the rest needs the feature `cloud`. Credentials, endpoints and regions are those of the
//! environment or of the machine, as `object_store` finds them.

#[cfg(not(feature = "cloud"))]
mod absent;
#[cfg(feature = "cloud")]
mod answer;
#[cfg(feature = "cloud")]
mod client;
#[cfg(feature = "cloud")]
mod failure;
#[cfg(feature = "cloud")]
mod guard;
#[cfg(feature = "cloud")]
mod listing;
#[cfg(feature = "cloud")]
mod redirect;
#[cfg(all(test, feature = "cloud"))]
mod server;
#[cfg(feature = "cloud")]
mod storage;
#[cfg(feature = "cloud")]
mod transfer;
mod uri;

#[cfg(not(feature = "cloud"))]
pub use absent::Connections;
#[cfg(not(feature = "cloud"))]
pub(super) use absent::{describe, inputs, matches, open};
#[cfg(feature = "cloud")]
pub(super) use listing::{describe, inputs, matches};
#[cfg(feature = "cloud")]
pub use storage::Connections;
#[cfg(feature = "cloud")]
pub(super) use transfer::open;
pub use uri::Location;
pub(super) use uri::Uri;

use crate::Error;
use crate::error::{StorageError, StorageReason};

/// Returns the error of an object.
fn refused(uri: &Uri, reason: StorageReason) -> Error {
    StorageError::Refused { uri: uri.to_string(), reason }.into()
}
