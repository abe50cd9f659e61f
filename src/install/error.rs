//! Errors of an installation.

use std::path::PathBuf;

/// Why an installation failed. The underlying error is the source, not part of the message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// A folder or file could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// There is no home directory, so no data folder of the user.
    #[error("no data folder: HOME is not set; set HOME, or name a folder with --prefix")]
    NoDataFolder,
    /// There is neither a virtual environment nor a python3.
    #[error(
        "--sys-prefix needs a Python: activate a virtual environment, or install python3, or use --user or --prefix DIR"
    )]
    NoPython,
    /// There is no `rustc` or `cargo`.
    #[error("Rust cells need a Rust compiler and none was found; install one from https://rustup.rs")]
    NoCompiler,
    /// A command failed; it has printed its own message.
    #[error("`{command}` failed; its message is above")]
    Command {
        /// The command.
        command: String,
    },
    /// The toolchain that was built does not compile a cell.
    #[error("the library for Rust cells was built, but a test cell does not compile with it: {reason}")]
    TestCell {
        /// The message of the compiler.
        reason: String,
    },
}
