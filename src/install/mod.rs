//! `tracebook install`, `uninstall` and `doctor`: the kernelspec, the JupyterLab extension, the cells toolchain.

mod compiler;
mod doctor;
mod download;
mod error;
mod extension;
mod fetched;
mod kernelspec;
mod location;
mod packed;
mod platform;
mod sources;
mod toolchain;

pub use doctor::doctor;
pub use error::InstallError;
pub use location::Location;
pub use packed::PACK_LEVEL;
pub(crate) use sources::carried;

use crate::engine::{CellsToolchain, default_folder};
use std::path::PathBuf;

/// What `tracebook install` installs, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallOptions {
    /// The folder to install under.
    pub location: Location,
    /// What to do about the cells toolchain.
    pub cells: Cells,
    /// For packages: the kernelspec names the program relative to itself, in `bin` beside `share`, and the cells toolchain is
    /// not built. Meant for [`Location::Prefix`].
    pub relocatable: bool,
}

/// What to do about the cells toolchain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cells {
    /// Build it.
    #[default]
    Build,
    /// Do not build it: Rust cells then fail with the command that does.
    Skip,
    /// Build it and do nothing else.
    Only,
    /// Install a packed one and do nothing else: from a URL, a file or a folder, or from the release of this program.
    Fetch(Option<String>),
    /// Pack the one that is built into a folder and do nothing else.
    Pack {
        /// Where the archive and its checksum are written.
        folder: PathBuf,
        /// The level of zstd, 1 to 19.
        level: i32,
    },
}

/// Installs, and calls `report` with each step.
///
/// # Errors
/// [`InstallError`], with the folder or the command.
pub fn install(options: &InstallOptions, report: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    if let Some(note) = platform::note() {
        report(&format!("note: {note}"));
    }
    let toolchain = CellsToolchain::at(default_folder().ok_or(InstallError::NoDataFolder)?);
    match &options.cells {
        Cells::Fetch(from) => {
            fetched::fetch(&toolchain, from.as_deref(), report)?;
            report(&format!("  Rust cells: {}", toolchain.folder().display()));
            report("done: restart running kernels");
            return Ok(());
        }
        Cells::Pack { folder, level } => return packed::pack(&toolchain, folder, *level, report).map(drop),
        Cells::Build | Cells::Skip | Cells::Only => {}
    }
    if options.cells != Cells::Only {
        let share = options.location.share()?;
        report(&format!("installing under {}", share.display()));
        let kernelspec = kernelspec::install(&share, Some(&toolchain).filter(|_| !options.relocatable))?;
        report(&format!("  kernel:    {}", kernelspec.display()));
        let extension = extension::install(&share, options.relocatable)?;
        report(&format!(
            "  extension: {} (draws plots and tables; reload an open JupyterLab page)",
            extension.display()
        ));
    }
    if options.relocatable {
        return Ok(());
    }
    if options.cells == Cells::Skip {
        let program = crate::program::command();
        report(&format!(
            "  Rust cells: skipped (--no-cells); `{program} install --build-cells` builds them later, magics work now"
        ));
        return Ok(());
    }
    match toolchain::build(&toolchain, report) {
        Ok(()) => report(&format!("  Rust cells: {}", toolchain.folder().display())),
        // Magics work without a compiler, so the installation has succeeded.
        Err(InstallError::NoCompiler) if options.cells == Cells::Build => {
            report(
                "  Rust cells: no Rust compiler found, so only magics will work; install one from https://rustup.rs and run this again",
            );
        }
        Err(error) => return Err(error),
    }
    report("done: `jupyter lab`, then choose the kernel \"Rust (Tracebook)\"");
    Ok(())
}

/// Removes the kernelspec and the extension. The cells toolchain stays, since all installations of the user share it.
///
/// # Errors
/// [`InstallError`], with the folder.
pub fn uninstall(location: &Location, report: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    let share = location.share()?;
    for folder in [kernelspec::folder(&share), extension::folder(&share)] {
        match std::fs::remove_dir_all(&folder) {
            Ok(()) => report(&format!("removed {}", folder.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                report(&format!("not there: {}", folder.display()))
            }
            Err(source) => return Err(InstallError::Write { path: folder, source }),
        }
    }
    if let Some(folder) = default_folder().filter(|folder| folder.exists()) {
        report(&format!("the library for Rust cells stays in {} (other installations may use it)", folder.display()));
    }
    Ok(())
}
