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
    /// The compiler does not say which commit it was built from.
    #[error(
        "a packed library for Rust cells fits one commit of the compiler, and {compiler} does not name its own; run \
         `{} install --build-cells`, or install a compiler from https://rustup.rs",
        crate::program::command()
    )]
    NoCommit {
        /// The compiler.
        compiler: String,
    },
    /// No release built this program, so nothing is known to fetch from.
    #[error(
        "nothing to fetch the library for Rust cells from: no release built this program; name an archive, its folder or its address \
         with `--fetch-cells URL|FILE|FOLDER`, or run `{} install --build-cells`",
        crate::program::command()
    )]
    NoRelease,
    /// A packed library could not be read.
    #[error(
        "cannot fetch the library for Rust cells: {from}: {reason}; `{} install --build-cells` builds it",
        crate::program::command()
    )]
    Fetch {
        /// The address or the path.
        from: String,
        /// The reason.
        reason: String,
    },
    /// A packed library has no usable checksum.
    #[error(
        "invalid checksum of {name}: expected a file {name}.sha256 with 64 hexadecimal digits, two spaces and that name"
    )]
    NoChecksum {
        /// The name of the archive.
        name: String,
    },
    /// A packed library does not have its checksum.
    #[error("{name} is damaged: its SHA-256 is {found}, expected {expected}; fetch it again")]
    Checksum {
        /// The name of the archive.
        name: String,
        /// The checksum beside it.
        expected: String,
        /// The checksum that it has.
        found: String,
    },
    /// A packed library contains what none contains.
    #[error("{name} is not a library for Rust cells: it has {what}")]
    Unexpected {
        /// The name of the archive.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// A packed library is for another compiler.
    #[error(
        "the packed library for Rust cells fits {packed}, but this machine has {found}; install that compiler \
         (`rustup default {release}`), or run `{} install --build-cells`",
        crate::program::command()
    )]
    OtherCompiler {
        /// The compiler of the library.
        packed: String,
        /// Its release.
        release: String,
        /// The compiler found here.
        found: String,
    },
    /// A packed library is from other sources than this program.
    #[error(
        "{name} belongs to another build of Tracebook; take the library of the release that this program is from, or run \
         `{} install --build-cells`",
        crate::program::command()
    )]
    OtherBuild {
        /// The name of the archive.
        name: String,
    },
    /// There is no library to pack.
    #[error("nothing to pack: {reason}")]
    NothingToPack {
        /// Why.
        reason: String,
    },
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
