//! Reasons for which a small file that the library keeps for its user cannot be used.

/// Why a file of accepted changes or of baselines cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VersionedFileReason {
    /// The operating system refused. The message contains its reason, so that no source is linked.
    #[error("{0}")]
    System(std::io::Error),
    /// It is a folder, a pipe or a device.
    #[error("it is not a regular file; name another one")]
    NotAFile,
    /// The file is not what was written.
    #[error("it is damaged ({0}); restore it, or remove it to begin again")]
    Damaged(String),
    /// A later version of the program wrote the file.
    #[error("it has version {version}, and this program knows version {known}; update tracebook")]
    Newer {
        /// The version of the file.
        version: u64,
        /// The latest version that is known.
        known: u64,
    },
    /// The file is larger than any that was written.
    #[error("it is larger than {}; name another file", trace_view::format::bytes(*.0))]
    TooLarge(u64),
}
