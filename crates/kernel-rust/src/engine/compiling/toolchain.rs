//! The cells toolchain: the prebuilt dylib that cells link, its metadata, the worker program; and the check that it fits the compiler.

use kernel_base::provenance::{Provenance, provenance};
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
        "Rust cells need a Rust compiler and none was found; install one from https://rustup.rs, run {} and restart the kernel \
         (magics work without one)",
        remedy()
    )]
    NoCompiler,
    /// The toolchain was never built.
    #[error(
        "the library for Rust cells is not installed yet; run {} and restart the kernel (magics work without it)",
        remedy()
    )]
    NotBuilt,
    /// Another compiler built it.
    #[error(
        "the library for Rust cells was built by {built}, but this machine now has {found}; run {} and restart the kernel \
         (magics work all the same)",
        remedy()
    )]
    OtherCompiler {
        /// The compiler that built it.
        built: String,
        /// The compiler found now.
        found: String,
    },
    /// Another build of this program built it.
    #[error(
        "the library for Rust cells was built by another build of Tracebook; run {} and restart the kernel (magics work all \
         the same)",
        remedy()
    )]
    OtherBuild,
    /// A file is missing, or differs from what was installed.
    #[error(
        "the library for Rust cells is damaged ({what}); run {} and restart the kernel (magics work all the same)",
        remedy()
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
        if sources.trim() != provenance().hash {
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
    pub fn identity(&self) -> Option<Identity> {
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

    /// Returns the file with the [hash of the sources](kernel_base::provenance::Provenance::hash) of the program that built the toolchain.
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

/// Returns the output of `rustc -vV`, if there is a rustc. Only `:dep` and building the library need cargo, too.
pub fn compiler_version() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Where releases keep their packed libraries; only a program that a release built knows it.
pub const RELEASES: Option<&str> = option_env!("TRACEBOOK_RELEASES");

/// Returns the command that installs the library for the compiler of this machine, with its time.
pub fn remedy() -> String {
    remedy_for(crate::program::command(), RELEASES.is_some(), provenance(), compiler_version().as_deref())
}

fn remedy_for(program: &str, is_release: bool, built: &Provenance, compiler: Option<&str>) -> String {
    let (commit, version) = (built.compiler_commit, built.compiler);
    let fits = !commit.is_empty() && compiler.is_none_or(|text| text.contains(&format!("commit-hash: {commit}")));
    let build = format!("`{program} install --build-cells` in a terminal (10 to 20 minutes, once)");
    match (is_release, fits) {
        (true, true) => format!("`{program} install --fetch-cells` in a terminal (a minute)"),
        // The release has a library for one compiler only.
        (true, false) => {
            format!("{build}, or install Rust {version} and run `{program} install --fetch-cells` (a minute)")
        }
        (false, _) => format!("{build}, or `--fetch-cells FILE` with the packed library of this build"),
    }
}

/// The name of the folder of the toolchain. It contains our version.
const FOLDER: &str = concat!("cells-", env!("CARGO_PKG_VERSION"));

/// Returns the folder in which the toolchain is installed unless `kernel.json` names another: in the data folder of the user.
pub fn default_folder() -> Option<PathBuf> {
    Some(dirs::data_local_dir()?.join("tracebook").join(FOLDER))
}

/// Returns the folder of the toolchain unless `kernel.json` names another: that of the user or, if there is none, the one that a
/// package has installed with this program, in `share` beside `bin`.
pub fn installed_folder() -> Option<PathBuf> {
    let packaged = || {
        let program = std::env::current_exe().and_then(std::fs::canonicalize).ok()?;
        Some(program.parent()?.parent()?.join("share").join("tracebook").join(FOLDER))
    };
    let is_there = |folder: &PathBuf| CellsToolchain::at(folder).library().is_file();
    let own = default_folder();
    own.clone().filter(is_there).or_else(|| packaged().filter(is_there)).or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedy_is_the_fastest_command_that_fits_the_compiler() {
        let program = Provenance { compiler: "1.0.0", compiler_commit: "59807616e", ..Provenance::default() };
        let remedy_for = |is_release, compiler| remedy_for("x", is_release, &program, compiler);
        let built = "rustc 1.0.0\ncommit-hash: 59807616e\nrelease: 1.0.0";
        let other = "rustc 1.0.0\ncommit-hash: 0\nrelease: 1.0.0";
        assert!(remedy_for(false, Some(built)).starts_with("`x install --build-cells`"));
        assert_eq!(remedy_for(true, Some(built)), "`x install --fetch-cells` in a terminal (a minute)");
        assert_eq!(remedy_for(true, None), remedy_for(true, Some(built)), "a compiler can still be chosen");
        let both = remedy_for(true, Some(other));
        assert!(
            both.contains("--build-cells") && both.contains("Rust 1.0.0") && both.contains("--fetch-cells"),
            "{both}"
        );
    }
}
