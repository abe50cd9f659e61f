//! The cells toolchain: the prebuilt dylib that cells link, its metadata, the worker program; and the check that it fits the compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable in `kernel.json` that names the folder of the cells toolchain.
pub const CELLS_VARIABLE: &str = "TRACEBOOK_CELLS";

/// The folder with what Rust cells need besides a compiler: the dylib, the metadata of its dependencies, and the worker program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellsToolchain {
    folder: PathBuf,
}

/// Device, inode and modification time (seconds, nanoseconds) of the dylib.
pub(crate) type Identity = (u64, u64, i64, i64);

/// Why Rust cells cannot run here. Magics work all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {
    /// There is no `rustc` or `cargo`.
    #[error(
        "Rust cells need a Rust compiler and none was found; install one from https://rustup.rs, run \
         `{} install --build-cells` and restart the kernel (magics work without one)",
        crate::program::command()
    )]
    NoCompiler,
    /// The toolchain was never built.
    #[error(
        "the library for Rust cells is not built yet; run `{} install --build-cells` in a terminal (10 to 20 minutes, once) \
         and restart the kernel (magics work without it)",
        crate::program::command()
    )]
    NotBuilt,
    /// Another compiler built it.
    #[error(
        "the library for Rust cells was built by {built}, but this machine now has {found}; run \
         `{} install --build-cells` and restart the kernel (magics work all the same)",
        crate::program::command()
    )]
    OtherCompiler {
        /// The compiler that built it.
        built: String,
        /// The compiler found now.
        found: String,
    },
    /// Another build of this program built it.
    #[error(
        "the library for Rust cells was built by another build of Tracebook; run `{} install --build-cells` and \
         restart the kernel (magics work all the same)",
        crate::program::command()
    )]
    OtherBuild,
    /// A file is missing, or differs from what was installed.
    #[error(
        "the library for Rust cells is damaged ({what}); run `{} install --build-cells` and restart the kernel \
         (magics work all the same)",
        crate::program::command()
    )]
    Damaged {
        /// What is wrong.
        what: String,
    },
}

impl CellsToolchain {
    /// Returns the toolchain in `folder`, unchecked.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the toolchain of this run: the one that `kernel.json` names, or the one in the user's data folder (see
    /// `run_folder`).
    ///
    /// # Errors
    /// [`ToolchainError::NotBuilt`].
    pub fn find() -> Result<Self, ToolchainError> {
        let folder = std::env::var_os(CELLS_VARIABLE).filter(|folder| !folder.is_empty());
        folder.map(Self::at).filter(|toolchain| toolchain.library().is_file()).ok_or(ToolchainError::NotBuilt)
    }

    /// Checks that the toolchain fits the compiler found here, and this program.
    ///
    /// # Errors
    /// [`ToolchainError`], with the fix.
    pub fn check(&self) -> Result<(), ToolchainError> {
        let version = compiler_version().ok_or(ToolchainError::NoCompiler)?;
        let built = std::fs::read_to_string(self.compiler_file()).unwrap_or_default();
        if built.trim() != version.trim() {
            let name = |text: &str| text.lines().next().unwrap_or("an unknown compiler").to_owned();
            return Err(ToolchainError::OtherCompiler { built: name(&built), found: name(&version) });
        }
        let sources = std::fs::read_to_string(self.sources_file()).unwrap_or_default();
        if sources.trim() != Self::SOURCES {
            return Err(ToolchainError::OtherBuild);
        }
        self.damage().map_or(Ok(()), |what| Err(ToolchainError::Damaged { what }))
    }

    /// Returns what is wrong with the files, as far as their sizes show.
    fn damage(&self) -> Option<String> {
        let missing = |path: PathBuf| format!("{} is missing", path.display());
        if !self.worker().is_file() {
            return Some(missing(self.worker()));
        }
        if !self.metadata().is_dir() {
            return Some(missing(self.metadata()));
        }
        let length = std::fs::metadata(self.library()).map_or(0, |metadata| metadata.len());
        let built = std::fs::read_to_string(self.length_file()).ok()?.trim().parse::<u64>().ok()?;
        let library = self.library();
        (length != built).then(|| format!("{} has {length} bytes of {built}", library.display()))
    }

    /// Returns what distinguishes this build from a later one in the same folder.
    pub(crate) fn identity(&self) -> Option<Identity> {
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::metadata(self.library()).ok()?;
        // The inode of a removed file may be given to a new one, so it is not enough.
        Some((metadata.dev(), metadata.ino(), metadata.mtime(), metadata.mtime_nsec()))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the dylib.
    pub fn library(&self) -> PathBuf {
        self.folder.join("libcells.so")
    }

    /// Returns the path of the worker program, which runs cells.
    pub fn worker(&self) -> PathBuf {
        self.folder.join("tracebook-worker")
    }

    /// Returns the path of the stub that a cell is compiled and linked against in place of the dylib: the metadata without the
    /// symbols, which are resolved when the cell is loaded. The file need not exist.
    pub fn stub(&self) -> PathBuf {
        self.folder.join("link").join("libcells.so")
    }

    /// Returns the folder with the metadata of all crates in the dylib.
    pub fn metadata(&self) -> PathBuf {
        self.folder.join("metadata")
    }

    /// A hash of the sources of this program.
    pub const SOURCES: &str = env!("TRACEBOOK_SOURCES");

    /// Returns the file with the [`CellsToolchain::SOURCES`] of the program that built the toolchain.
    pub fn sources_file(&self) -> PathBuf {
        self.folder.join("sources.txt")
    }

    /// Returns the file with the length of the dylib when it was built, in bytes.
    pub fn length_file(&self) -> PathBuf {
        self.folder.join("length.txt")
    }

    /// Returns the file with `rustc -vV` of the compiler that built it.
    pub fn compiler_file(&self) -> PathBuf {
        self.folder.join("rustc.txt")
    }
}

/// Returns the output of `rustc -vV`, if there are rustc and cargo.
pub fn compiler_version() -> Option<String> {
    let run = |program: &str, argument: &str| {
        Command::new(program).arg(argument).output().ok().filter(|output| output.status.success())
    };
    // Not `-vV`: cargo would start a dozen processes to find out which Linux this is.
    run("cargo", "-V")?;
    String::from_utf8(run("rustc", "-vV")?.stdout).ok()
}

/// Returns the folder of the toolchain unless `kernel.json` names another. Its name contains our version.
pub fn default_folder() -> Option<PathBuf> {
    Some(dirs::data_local_dir()?.join("tracebook").join(concat!("cells-", env!("CARGO_PKG_VERSION"))))
}
