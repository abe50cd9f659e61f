//! The prebuilt dylib that cells link, and whether it fits the compiler of this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable in `kernel.json` that names the kit's folder.
pub const CELLS_VARIABLE: &str = "TRACEBOOK_CELLS";

/// What Rust cells need beside a compiler: the dylib, the metadata of its dependencies, and the process to run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellsKit {
    folder: PathBuf,
}

/// Device, number and time of change of the library's file.
pub(crate) type Identity = (u64, u64, i64, i64);

/// Why Rust cells cannot run here. Magics work all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KitError {
    /// There is no `rustc` or `cargo`.
    #[error(
        "Rust cells need a Rust compiler and none was found; install one from https://rustup.rs, run \
         `{} install --build-cells` and restart the kernel (magics work without one)",
        crate::program::command()
    )]
    NoCompiler,
    /// The kit was never built.
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
    /// A file of it is missing, or not what was installed.
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

impl CellsKit {
    /// The kit in `folder`, unchecked.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The kit of this run (see `environment`: the one that `kernel.json` names, or the one in the user's data folder).
    ///
    /// # Errors
    /// [`KitError::NotBuilt`].
    pub fn find() -> Result<Self, KitError> {
        let folder = std::env::var_os(CELLS_VARIABLE).filter(|folder| !folder.is_empty());
        folder.map(Self::at).filter(|kit| kit.library().is_file()).ok_or(KitError::NotBuilt)
    }

    /// Whether the kit fits the compiler found here, and this program.
    ///
    /// # Errors
    /// [`KitError`], with the way out.
    pub fn check(&self) -> Result<(), KitError> {
        let version = compiler_version().ok_or(KitError::NoCompiler)?;
        let built = std::fs::read_to_string(self.compiler_file()).unwrap_or_default();
        if built.trim() != version.trim() {
            let name = |text: &str| text.lines().next().unwrap_or("an unknown compiler").to_owned();
            return Err(KitError::OtherCompiler { built: name(&built), found: name(&version) });
        }
        let sources = std::fs::read_to_string(self.sources_file()).unwrap_or_default();
        if sources.trim() != Self::SOURCES {
            return Err(KitError::OtherBuild);
        }
        self.damage().map_or(Ok(()), |what| Err(KitError::Damaged { what }))
    }

    /// What is wrong with its files, as far as it shows without reading them.
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

    /// Tells this build of the kit from a later one in the same folder.
    pub(crate) fn identity(&self) -> Option<Identity> {
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::metadata(self.library()).ok()?;
        // The number of a file that is gone may be given to the next one.
        Some((metadata.dev(), metadata.ino(), metadata.mtime(), metadata.mtime_nsec()))
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The dylib.
    pub fn library(&self) -> PathBuf {
        self.folder.join("libcells.so")
    }

    /// The program that runs cells.
    pub fn worker(&self) -> PathBuf {
        self.folder.join("tracebook-worker")
    }

    /// What a cell is compiled and linked against in place of the dylib: its metadata without its symbols, which are found when
    /// the cell is loaded. It need not be there.
    pub fn stub(&self) -> PathBuf {
        self.folder.join("link").join("libcells.so")
    }

    /// The metadata of everything the dylib was made of.
    pub fn metadata(&self) -> PathBuf {
        self.folder.join("metadata")
    }

    /// Tells the sources of one build from those of another.
    pub const SOURCES: &str = env!("TRACEBOOK_SOURCES");

    /// The [`CellsKit::SOURCES`] of the program that built it.
    pub fn sources_file(&self) -> PathBuf {
        self.folder.join("sources.txt")
    }

    /// The length of the dylib when it was built, in bytes.
    pub fn length_file(&self) -> PathBuf {
        self.folder.join("length.txt")
    }

    /// `rustc -vV` of the compiler that built it.
    pub fn compiler_file(&self) -> PathBuf {
        self.folder.join("rustc.txt")
    }
}

/// `rustc -vV`, if there is a compiler (and cargo beside it).
pub fn compiler_version() -> Option<String> {
    let answer = |program: &str, question: &str| {
        Command::new(program).arg(question).output().ok().filter(|output| output.status.success())
    };
    // Not `-vV`: for that, cargo starts a dozen processes to find out which Linux this is.
    answer("cargo", "-V")?;
    String::from_utf8(answer("rustc", "-vV")?.stdout).ok()
}

/// Where the kit lies unless `kernel.json` says otherwise: keyed by our version; the compiler is checked by its text.
pub fn default_folder() -> Option<PathBuf> {
    Some(dirs::data_local_dir()?.join("tracebook").join(concat!("cells-", env!("CARGO_PKG_VERSION"))))
}
