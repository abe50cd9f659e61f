//! The folder of a run, which holds everything that the run writes, and the second start of the process with evcxr's variables set.

use super::stale_folders::{self, PREFIX};
use crate::engine::compiling::toolchain::{CELLS_VARIABLE, installed_folder};
use crate::engine::patching::cell_crate::CRATE_FOLDER;
use crate::engine::patching::environment::{RUN_FOLDER, USER_PATH};
use crate::engine::patching::{missing_cargo, mold_script};
use crate::timeline;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the id of the process that the folder was made for. A kernel that is started from a cell inherits the
/// variables, and must not use the folder of its parent.
const RUN_PROCESS: &str = "TRACEBOOK_RUN_PROCESS";

/// The folder of one run; removed with everything in it on drop.
pub struct RunFolder {
    path: PathBuf,
    /// The lock that marks the folder as in use. Without one (its file could not be made) the folder is never removed as stale.
    _claim: Option<std::fs::File>,
}

impl RunFolder {
    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // An engine that is still starting creates folders in this one, and this one again if it is gone. So a file has its
        // name while the folder is removed under another.
        let mut ended = self.path.clone().into_os_string();
        ended.push("-ended");
        let moved = std::fs::rename(&self.path, &ended).and_then(|()| std::fs::File::create_new(&self.path)).is_ok();
        let folder = if moved { Path::new(&ended) } else { &self.path };
        // A child that is about to end may still write files; what is left after the last attempt is not worth an error.
        for _ in 0..20 {
            match std::fs::remove_dir_all(folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                _ => break,
            }
        }
        if moved {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Creates the run's folder and sets the variables that steer evcxr.
///
/// evcxr reads the process's environment, which a program with threads cannot change safely. So the
/// process replaces itself by a second start with the variables set; the process id stays.
///
/// # Errors
/// If the temporary folder cannot be written, or the second start fails.
pub fn enter() -> std::io::Result<RunFolder> {
    let process = std::process::id().to_string();
    let own = std::env::var_os(RUN_PROCESS).is_some_and(|value| value == process.as_str());
    if let Some(path) = std::env::var_os(RUN_FOLDER).filter(|_| own) {
        let path = PathBuf::from(path);
        let claim = stale_folders::claim(&path).ok();
        if let Some(temporary) = path.parent().map(Path::to_owned) {
            // On a thread, since there may be much to remove; it need not finish.
            let _ = std::thread::Builder::new()
                .name("stale-folders".to_owned())
                .spawn(move || stale_folders::sweep(&temporary));
        }
        return Ok(RunFolder { path, _claim: claim });
    }
    // Traces, cells and compiled cells are private to the user.
    let private = std::fs::Permissions::from_mode(0o700);
    let path = tempfile::Builder::new().prefix(PREFIX).permissions(private).tempdir()?.keep();
    let exe = std::env::current_exe()?;
    let variables = lay_out(&path, &exe)?;
    let error = Command::new(exe).args(std::env::args_os().skip(1)).envs(variables).exec();
    let _ = std::fs::remove_dir_all(&path);
    Err(error)
}

/// Creates the contents of the folder; returns the variables that refer to them.
fn lay_out(path: &Path, exe: &Path) -> std::io::Result<Vec<(&'static str, OsString)>> {
    let folder = |name: &str| -> std::io::Result<PathBuf> {
        let folder = path.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    };
    // evcxr uses `mold` as its linker if it finds one, and then runs `mold -run cargo build …`: a `mold` of ours compiles
    // the cell instead.
    let (bin, program) = (folder("bin")?, folder("program")?.join("mold"));
    std::os::unix::fs::symlink(exe, &program)?;
    mold_script::write(&bin.join("mold"), path, &program)?;
    let cell = folder(CRATE_FOLDER)?;
    // At level 2, evcxr's default, a cell with polars takes five times as long to compile, and slow code is in the optimised
    // dylib anyway. To change the level later would load everything a second time.
    std::fs::write(folder("config")?.join("evcxr.toml"), "[evcxr]\nopt_level = \"0\"\n")?;
    let user_path = std::env::var_os("PATH").unwrap_or_default();
    missing_cargo::write(&bin, &user_path)?;
    let mut search = bin.into_os_string();
    search.push(":");
    search.push(&user_path);
    let toolchain = std::env::var_os(CELLS_VARIABLE)
        .or_else(|| installed_folder().map(PathBuf::into_os_string))
        .unwrap_or_default();
    let mut variables = vec![
        (CELLS_VARIABLE, toolchain),
        (RUN_FOLDER, path.as_os_str().to_owned()),
        (RUN_PROCESS, std::process::id().to_string().into()),
        (USER_PATH, user_path),
        ("PATH", search),
        ("EVCXR_TMPDIR", cell.into_os_string()),
        ("EVCXR_CONFIG_DIR", folder("config")?.into_os_string()),
    ];
    if crate::log::wants_cells() {
        variables.push((timeline::FILE, path.join("timeline").into_os_string()));
    }
    Ok(variables)
}
