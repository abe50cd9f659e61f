//! The environment that evcxr reads: a folder of our own for everything a run writes, and the variables that steer
//! evcxr without a fork.

use super::leftovers::{self, PREFIX};
use super::server;
use super::toolchain::{CELLS_VARIABLE, default_folder};
use crate::timeline;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names the run's folder, set for the second start of the process and for its children.
pub(crate) const RUN_FOLDER: &str = "TRACEBOOK_RUN_FOLDER";

/// The process that the folder was made for. A kernel that is started from a cell inherits the variables, and must not
/// take the folder for its own.
const RUN_PROCESS: &str = "TRACEBOOK_RUN_PROCESS";

/// The search path of the user, without our folder in front.
pub(crate) const USER_PATH: &str = "TRACEBOOK_USER_PATH";

/// The folder of one run; removed with everything in it when this is dropped.
pub struct RunFolder {
    path: PathBuf,
    /// Held while the run lives. Where it cannot be had, nobody takes the folder for one that was left behind either.
    _claim: Option<std::fs::File>,
}

impl RunFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // An engine that is still starting makes the folders it writes to, with those above them. So the place is taken by
        // a file while what stood there goes.
        let mut ended = self.path.clone().into_os_string();
        ended.push("-ended");
        let moved = std::fs::rename(&self.path, &ended).and_then(|()| std::fs::File::create_new(&self.path)).is_ok();
        let folder = if moved { Path::new(&ended) } else { &self.path };
        // A child that is just dying may write its last files at this moment. What is left after that is no reason to end
        // with an error.
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

/// Enters the environment of a run.
///
/// evcxr and its rust-analyzer read the process's environment, which a program with threads cannot change safely. So the
/// process starts itself once more, in place and with the same process id, with the variables set.
///
/// # Errors
/// If the temporary folder cannot be written, or the process cannot start itself.
pub fn enter() -> std::io::Result<RunFolder> {
    let process = std::process::id().to_string();
    let own = std::env::var_os(RUN_PROCESS).is_some_and(|value| value == process.as_str());
    if let Some(path) = std::env::var_os(RUN_FOLDER).filter(|_| own) {
        let path = PathBuf::from(path);
        let claim = leftovers::claim(&path).ok();
        if let Some(temporary) = path.parent().map(Path::to_owned) {
            // Beside the start, since it may have much to remove; it need not come to its end.
            let _ =
                std::thread::Builder::new().name("leftovers".to_owned()).spawn(move || leftovers::sweep(&temporary));
        }
        return Ok(RunFolder { path, _claim: claim });
    }
    // Traces, the text of cells and what is compiled of it are for the user alone.
    let private = std::fs::Permissions::from_mode(0o700);
    let path = tempfile::Builder::new().prefix(PREFIX).permissions(private).tempdir()?.keep();
    let exe = std::env::current_exe()?;
    let variables = lay_out(&path, &exe)?;
    let error = Command::new(exe).args(std::env::args_os().skip(1)).envs(variables).exec();
    let _ = std::fs::remove_dir_all(&path);
    Err(error)
}

/// Gives a process of the user's the environment that the user gave us.
pub(super) fn restore(command: &mut Command) {
    if let Some(path) = std::env::var_os(USER_PATH) {
        command.env("PATH", path);
    }
    for name in ["CARGO", "RUSTC", "RUST_SRC_PATH", "EVCXR_TMPDIR", "EVCXR_CONFIG_DIR"] {
        command.env_remove(name);
    }
}

/// Makes the folder's contents and returns the variables that point at them.
fn lay_out(path: &Path, exe: &Path) -> std::io::Result<Vec<(&'static str, OsString)>> {
    let folder = |name: &str| -> std::io::Result<PathBuf> {
        let folder = path.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    };
    // evcxr takes `mold` for its linker when it finds one, and then runs `mold -run cargo build …`: this is how we get
    // to compile a cell ourselves.
    let (bin, program) = (folder("bin")?, folder("program")?.join("mold"));
    std::os::unix::fs::symlink(exe, &program)?;
    server::write_script(&bin.join("mold"), path, &program)?;
    // rust-analyzer would start cargo ten times and read the sources of std and of every dependency: 10 s and 1.6 GB. Without
    // answers and with an empty std it stays small;
    // the types it then cannot tell come from the compiler.
    let source = folder("rust-src")?;
    for name in ["core", "alloc", "std", "proc_macro", "test"] {
        let src = folder(&format!("rust-src/{name}/src"))?;
        std::fs::write(src.join("lib.rs"), "")?;
    }
    let (quiet, cell) = (folder("quiet")?, folder("evcxr")?);
    let cargo = super::cargo::write(&quiet, &cell)?;
    // evcxr's own default, level 2, would have to be changed later, and everything be loaded a second time. At level 2 a
    // cell with polars takes five times as long to compile, and what is slow at level 0 runs in the optimised dylib anyway.
    std::fs::write(folder("config")?.join("evcxr.toml"), "[evcxr]\nopt_level = \"0\"\n")?;
    let user_path = std::env::var_os("PATH").unwrap_or_default();
    let mut search = bin.into_os_string();
    search.push(":");
    search.push(&user_path);
    let kit =
        std::env::var_os(CELLS_VARIABLE).or_else(|| default_folder().map(PathBuf::into_os_string)).unwrap_or_default();
    let mut variables = vec![
        (CELLS_VARIABLE, kit),
        (RUN_FOLDER, path.as_os_str().to_owned()),
        (RUN_PROCESS, std::process::id().to_string().into()),
        (USER_PATH, user_path),
        ("PATH", search),
        ("RUST_SRC_PATH", source.into_os_string()),
        ("CARGO", cargo.into_os_string()),
        ("RUSTC", quiet.join("none").into_os_string()),
        ("EVCXR_TMPDIR", cell.into_os_string()),
        ("EVCXR_CONFIG_DIR", folder("config")?.into_os_string()),
    ];
    if crate::log::wants_cells() {
        variables.push((timeline::FILE, path.join("timeline").into_os_string()));
    }
    Ok(variables)
}
