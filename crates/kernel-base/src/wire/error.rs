//! Errors of opening the wire.

use std::path::PathBuf;

/// Why the wire could not be opened. Once it is open, no message can end it. The underlying error is the source, not part of the
/// message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The connection file could not be read.
    #[error("cannot read the connection file {path}")]
    ConnectionFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The connection file is not what Jupyter writes.
    #[error("{path} is not a connection file")]
    NotAConnection {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
    /// An unknown signature scheme.
    #[error("unknown signature scheme `{scheme}`: expected hmac-sha256")]
    Scheme {
        /// The scheme in the connection file.
        scheme: String,
    },
    /// A socket could not be bound.
    #[error("cannot listen on {endpoint}")]
    Bind {
        /// The address.
        endpoint: String,
        /// The reason.
        source: std::io::Error,
    },
    /// A socket, pipe or thread could not be created.
    #[error("cannot open the {what}")]
    Open {
        /// What could not be created.
        what: &'static str,
        /// The reason.
        source: std::io::Error,
    },
}
