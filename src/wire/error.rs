//! Why the wire could not be opened.

use std::path::PathBuf;

/// Why the wire could not be opened. Once it is open, nothing that arrives can end it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The connection file could not be read.
    #[error("cannot read the connection file {path}: {source}")]
    ConnectionFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The connection file is not what Jupyter writes.
    #[error("{path} is not a connection file: {source}")]
    NotAConnection {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A signature scheme that we do not speak.
    #[error("signature scheme `{scheme}` is not supported (hmac-sha256 is)")]
    Scheme {
        /// What the connection file asks for.
        scheme: String,
    },
    /// A socket could not be bound.
    #[error("cannot listen on {endpoint}: {source}")]
    Bind {
        /// Where.
        endpoint: String,
        /// Why.
        source: std::io::Error,
    },
    /// A socket, pipe or thread could not be made.
    #[error("cannot open the {what}: {source}")]
    Open {
        /// What could not be made.
        what: &'static str,
        /// Why.
        source: std::io::Error,
    },
}
