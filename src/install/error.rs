//! What can go wrong while installing.

use std::path::PathBuf;

/// Why an installation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// A folder or file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no home, so no place for data of the user.
    #[error("no data folder: HOME is not set; name a place with --prefix, or set HOME")]
    NoDataFolder,
    /// Neither a virtual environment nor a python3.
    #[error(
        "--sys-prefix needs a Python: activate a virtual environment, or install python3, or use --user or --prefix DIR"
    )]
    NoPython,
    /// There is no `rustc` or `cargo`.
    #[error("Rust cells need a Rust compiler and none was found; install one from https://rustup.rs")]
    NoCompiler,
    /// A command failed; its own message stands above.
    #[error("`{command}` failed; its message stands above")]
    Command {
        /// The command.
        command: String,
    },
    /// A built library does not work.
    #[error("the library for Rust cells was built, but a first cell does not run with it: {reason}")]
    DoesNotRun {
        /// What happened.
        reason: String,
    },
}
