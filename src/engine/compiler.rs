//! One rustc call per cell.
//!
//! evcxr runs `mold -run cargo build …` (see `environment`). A script stands there as `mold`, which asks the kernel (see
//! `server`): a cell without dependencies of its own is compiled directly against the prebuilt dylib. Whatever else evcxr
//! asks for is done by this binary, which the script then calls as `mold`: with dependencies, cargo does its work, and we
//! come back as cargo's `RUSTC_WRAPPER` to add the dylib to the cell's crate.

use super::clash;
use super::direct::{Job, link_cells};
use super::environment::{RUN_FOLDER, USER_PATH};
use super::linker::Linker;
use super::probe;
use super::source;
use super::toolchain::{CELLS_VARIABLE, CellsKit};
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// The crate name that evcxr gives to every cell.
pub(super) const CELL_CRATE: &str = "ctx";
/// Set for cargo, so that this binary knows it is called as `RUSTC_WRAPPER`.
const WRAPPER: &str = "TRACEBOOK_RUSTC_WRAPPER";
/// Is in the run's folder while cells are compiled with optimisation, whatever evcxr's level.
const OPTIMISED_FILE: &str = "optimised";
/// The variable in which evcxr names the file for the path of a compiled cell.
const ANSWER_FILE: &str = "EVCXR_EXECUTION_SO_PATH";
/// What the user was told about crates that come in twice, in the run's folder.
const NOTES_FILE: &str = "clashes";
/// The process group of the running compiler, in the run's folder.
const GROUP_FILE: &str = "compiler.pid";

/// Acts as the compiler if that is how this binary was called, and then does not return.
pub(super) fn hook() {
    if std::env::var_os(WRAPPER).is_some() {
        std::process::exit(wrap_rustc(std::env::args_os().skip(1).collect()));
    }
    let name = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&name).file_name().unwrap_or_default();
    if name == "mold" {
        std::process::exit(compile(std::env::args_os().skip(1).collect()));
    }
}

/// Whether cells are compiled with optimisation from now on.
pub(super) fn optimise(run_folder: &Path, on: bool) {
    let file = run_folder.join(OPTIMISED_FILE);
    // Without the file, the cell is as right and only slower.
    let _ = if on { std::fs::write(file, "") } else { std::fs::remove_file(file) };
}

/// Whether they are.
pub(super) fn is_optimised(run_folder: &Path) -> bool {
    run_folder.join(OPTIMISED_FILE).exists()
}

/// Ends the compiler that is running, if one is; returns whether there was one.
pub(super) fn stop(run_folder: &Path) -> bool {
    let group = std::fs::read_to_string(run_folder.join(GROUP_FILE)).ok().and_then(|text| text.trim().parse().ok());
    let Some(group) = group.and_then(rustix::process::Pid::from_raw) else { return false };
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).is_ok()
}

/// `-run <cargo> [--offline] <command> …`
fn compile(arguments: Vec<OsString>) -> i32 {
    let mut rest = arguments.into_iter().skip_while(|argument| argument == "-run");
    let Some(cargo) = rest.next() else { return 2 };
    let rest: Vec<OsString> = rest.collect();
    let command =
        rest.iter().find(|argument| !argument.to_string_lossy().starts_with("--")).cloned().unwrap_or_default();
    let analyse = command == "check";
    let kit = std::env::var_os(CELLS_VARIABLE).map(CellsKit::at);
    let manifest = std::fs::read_to_string("Cargo.toml").unwrap_or_default();
    let Some(kit) = kit.filter(|_| analyse || command == "build") else {
        if command == "metadata" && !has_dependencies(&manifest) {
            // evcxr asks whether the dependencies are well; there is none but the tokio of the dylib.
            return i32::from(writeln!(std::io::stdout(), "{{}}").is_err());
        }
        return cargo_itself(&cargo, &rest, false);
    };
    let _group = Group::enter();
    let Some(run_folder) = std::env::var_os(RUN_FOLDER).map(PathBuf::from) else { return 2 };
    if let Err(error) = source::adapt(Path::new("src/lib.rs"), &run_folder, analyse) {
        return fail(&format!("the cell's source: {error}"));
    }
    if has_dependencies(&manifest) {
        let without: String = manifest.split_inclusive('\n').filter(|line| !is_evcxrs_tokio(line)).collect();
        if without != manifest
            && let Err(error) = std::fs::write("Cargo.toml", without)
        {
            return fail(&format!("the cell's manifest: {error}"));
        }
        return cargo_itself(&cargo, &rest, true);
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let linker = Linker::default();
    let job = Job {
        crate_folder: Path::new("."),
        run_folder: &run_folder,
        kit: &kit,
        rustc: &rustc,
        linker: &linker,
        analyse,
        bound: &[],
        expect_success: true,
        started: None,
        waiting: &Mutex::default(),
    };
    match job.compile() {
        Ok(None) => 0,
        Ok(Some(library)) => match hand_over(&library, std::env::var_os(ANSWER_FILE).map(PathBuf::from)) {
            Ok(()) => 0,
            Err(message) => fail(&message),
        },
        Err(messages) => fail(messages.trim_end()),
    }
}

/// Tells evcxr where the compiled cell is: the path in the file `answer`.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn hand_over(library: &Path, answer: Option<PathBuf>) -> Result<(), String> {
    let library = std::fs::canonicalize(library).unwrap_or_else(|_| library.to_owned());
    let Some(answer) = answer else { return Ok(()) };
    std::fs::write(answer, library.as_os_str().as_encoded_bytes())
        .map_err(|error| format!("the path of the compiled cell: {error}"))
}

/// cargo, as evcxr wanted it; `wrapped` adds the dylib to the cell's crate.
fn cargo_itself(cargo: &OsString, arguments: &[OsString], wrapped: bool) -> i32 {
    let mut command = Command::new(cargo);
    command.args(arguments).env_remove("CARGO");
    if let Some(path) = std::env::var_os(USER_PATH) {
        command.env("PATH", path);
    }
    if wrapped {
        command.env(WRAPPER, "1");
        if let Ok(exe) = std::env::current_exe() {
            command.env("RUSTC_WRAPPER", exe);
        }
        return with_progress(command);
    }
    fail(&format!("cargo: {}", command.exec()))
}

/// Runs cargo; what it says about the dependencies it fetches and compiles goes to the notebook as it comes.
fn with_progress(mut cargo: Command) -> i32 {
    let Ok(mut child) = cargo.stderr(Stdio::piped()).spawn() else { return fail("cargo cannot be started") };
    let run_folder = std::env::var_os(RUN_FOLDER).map(PathBuf::from);
    let pipe = run_folder.as_ref().map(|folder| folder.join("pipes").join("err"));
    let mut notebook = pipe.and_then(|pipe| std::fs::OpenOptions::new().read(true).write(true).open(pipe).ok());
    let lines = child.stderr.take().map(|stderr| std::io::BufReader::new(stderr).lines());
    for line in lines.into_iter().flatten().map_while(Result::ok) {
        if is_progress(&line)
            && let Some(notebook) = &mut notebook
        {
            // A notebook that cannot be written is told by the cell's own output.
            let _ = notebook.write_all(format!("{}\n", line.trim()).as_bytes());
        }
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    let notes: String = clash::notes(&std::fs::read_to_string("Cargo.lock").unwrap_or_default())
        .iter()
        .map(|note| format!("{note}\n"))
        .collect();
    let told = run_folder.map(|folder| folder.join(NOTES_FILE));
    if let (Some(notebook), Some(told)) = (&mut notebook, told)
        && std::fs::read_to_string(&told).unwrap_or_default() != notes
    {
        // Once per set of dependencies.
        let _ = notebook.write_all(notes.as_bytes());
        let _ = std::fs::write(told, notes);
    }
    child.wait().ok().and_then(|status| status.code()).unwrap_or(1)
}

/// Whether cargo tells of work on a dependency, and not on the cell itself.
fn is_progress(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let verb = words.next().unwrap_or_default();
    matches!(verb, "Compiling" | "Checking" | "Downloading" | "Downloaded" | "Updating" | "Adding")
        && words.next() != Some(CELL_CRATE)
}

/// `RUSTC_WRAPPER <rustc> …`
fn wrap_rustc(arguments: Vec<OsString>) -> i32 {
    let mut arguments = arguments.into_iter();
    let Some(rustc) = arguments.next() else { return 2 };
    let arguments: Vec<OsString> = arguments.collect();
    let mut command = Command::new(rustc);
    command.args(&arguments).env_remove(WRAPPER);
    let is_cell = arguments.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1] == CELL_CRATE);
    let kit = std::env::var_os(CELLS_VARIABLE).map(CellsKit::at);
    let (true, Some(kit)) = (is_cell, kit) else {
        return fail(&format!("rustc: {}", command.exec()));
    };
    link_cells(&mut command, &kit);
    let run_folder = std::env::var_os(RUN_FOLDER).map(PathBuf::from);
    if run_folder.as_deref().is_some_and(is_optimised) {
        // Of two levels the last one counts.
        command.args(["-Copt-level=2", "-Cdebug-assertions=off"]);
    }
    let analyse = !arguments.iter().any(|argument| {
        argument.to_string_lossy().starts_with("--emit") && argument.to_string_lossy().contains("link")
    });
    let analysis = run_folder.as_deref().filter(|_| analyse);
    probe::prepare(&mut command, analyse, false);
    if let Some(run_folder) = &run_folder {
        probe::keep_private(&mut command, run_folder);
    }
    match probe::start(command, false) {
        Ok(child) => {
            let mut said = String::new();
            let mut say = |line: &str| {
                let _ = writeln!(std::io::stderr(), "{line}");
                said.push_str(line);
                said.push('\n');
            };
            let (status, _) = probe::finish(child, analysis, &mut say);
            if let Some(run_folder) = run_folder.filter(|_| status != 0 && !analyse) {
                probe::keep_unkept(&run_folder, &said);
            }
            status
        }
        Err(error) => fail(&format!("rustc cannot be started: {error}")),
    }
}

/// Whether the cell's crate has dependencies of its own.
pub(super) fn has_dependencies(manifest: &str) -> bool {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    lines.filter(|line| !is_evcxrs_tokio(line)).any(|line| !line.trim().is_empty())
}

/// Whether this is the line that evcxr adds for `.await`. The dylib brings tokio, and the prelude its name.
fn is_evcxrs_tokio(line: &str) -> bool {
    line.trim() == "tokio = {version=\"1.34.0\", features=[\"rt\", \"rt-multi-thread\"]}"
}

fn fail(message: &str) -> i32 {
    let _ = writeln!(std::io::stderr(), "{message}");
    1
}

/// While this lives, the compiler is a process group of its own that the kernel can end.
pub(super) struct Group {
    file: Option<PathBuf>,
}

impl Group {
    /// Makes this process the group.
    fn enter() -> Self {
        let _ = rustix::process::setpgid(None, None);
        let group = Self { file: std::env::var_os(RUN_FOLDER).map(|folder| Path::new(&folder).join(GROUP_FILE)) };
        group.set(std::process::id());
        group
    }

    /// A group that is yet to be [set](Self::set).
    pub(super) fn of_children(run_folder: &Path) -> Self {
        Self { file: Some(run_folder.join(GROUP_FILE)) }
    }

    /// The group's number.
    pub(super) fn set(&self, group: u32) {
        if let Some(file) = &self.file {
            let _ = std::fs::write(file, group.to_string());
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            let _ = std::fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_dependencies_is_told() {
        assert!(is_progress("   Compiling itoa v1.0.15"));
        assert!(!is_progress("   Compiling ctx v1.0.0 (/tmp/x)") && !is_progress("warning: unused"));
    }

    #[test]
    fn only_lines_below_dependencies_count() {
        assert!(!has_dependencies("[package]\nname = \"ctx\"\n[dependencies]\n\n"));
        assert!(has_dependencies("[package]\n[dependencies]\nregex = \"1\"\n"));
        let tokio = "[dependencies]\n tokio = {version=\"1.34.0\", features=[\"rt\", \"rt-multi-thread\"]}\n";
        assert!(!has_dependencies(tokio));
        assert!(has_dependencies("[dependencies]\ntokio = \"1\"\n"));
    }
}
