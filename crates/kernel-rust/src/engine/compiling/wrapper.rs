//! This binary as the compiler that evcxr calls: as `mold`, and as cargo's `RUSTC_WRAPPER`.
//!
//! evcxr runs `mold -run cargo build …`. Our script of that name (see `mold_script`) has the kernel compile a cell without
//! dependencies (see `compile_server`) and calls this binary for everything else: then cargo builds the dependencies and calls this
//! binary as its `RUSTC_WRAPPER`, which adds the dylib to the cell's crate.

use super::crate_clash;
use super::direct::{CompileJob, link_cells};
use super::linker::Linker;
use super::moved;
use super::process_group::ProcessGroup;
use super::rustc;
use super::toolchain::{CELLS_VARIABLE, CellsToolchain};
use crate::engine::patching::cell_crate::{self, CELL_CRATE};
use crate::engine::patching::environment::{RUN_FOLDER, USER_PATH};
use crate::engine::patching::evcxr_source;
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// The variable that tells this binary that cargo calls it as `RUSTC_WRAPPER`.
const WRAPPER: &str = "TRACEBOOK_RUSTC_WRAPPER";
/// The variable in which evcxr names the file for the path of a compiled cell.
const ANSWER_FILE: &str = "EVCXR_EXECUTION_SO_PATH";
/// The file with the last notes on crates of two versions, in the run's folder.
const NOTES_FILE: &str = "clashes";

/// Acts as the compiler if this binary was called as one, and then does not return.
pub(in crate::engine) fn hook() {
    if std::env::var_os(WRAPPER).is_some() {
        std::process::exit(wrap_rustc(std::env::args_os().skip(1).collect()));
    }
    let name = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&name).file_name().unwrap_or_default();
    if name == "mold" {
        std::process::exit(compile(std::env::args_os().skip(1).collect()));
    }
}

/// Handles `mold -run <cargo> [--offline] <command> …`.
fn compile(arguments: Vec<OsString>) -> i32 {
    let mut rest = arguments.into_iter().skip_while(|argument| argument == "-run");
    let Some(cargo) = rest.next() else { return 2 };
    let rest: Vec<OsString> = rest.collect();
    let command =
        rest.iter().find(|argument| !argument.to_string_lossy().starts_with("--")).cloned().unwrap_or_default();
    let analyse = command == "check";
    let toolchain = std::env::var_os(CELLS_VARIABLE).map(CellsToolchain::at);
    let manifest = std::fs::read_to_string("Cargo.toml").unwrap_or_default();
    let Some(toolchain) = toolchain.filter(|_| analyse || command == "build") else {
        if command == "metadata" && !cell_crate::has_dependencies(&manifest) {
            // evcxr checks the dependencies: there are none but the tokio of the dylib.
            return i32::from(writeln!(std::io::stdout(), "{{}}").is_err());
        }
        return run_cargo(&cargo, &rest, false);
    };
    let _group = ProcessGroup::enter();
    let Some(run_folder) = std::env::var_os(RUN_FOLDER).map(PathBuf::from) else { return 2 };
    if let Err(error) = evcxr_source::rewrite(Path::new("src/lib.rs"), &run_folder, analyse) {
        return fail(&format!("cannot rewrite the cell's source: {error}"));
    }
    if cell_crate::has_dependencies(&manifest) {
        let without: String =
            manifest.split_inclusive('\n').filter(|line| !cell_crate::is_evcxrs_tokio(line)).collect();
        if without != manifest
            && let Err(error) = std::fs::write("Cargo.toml", without)
        {
            return fail(&format!("cannot rewrite the cell's manifest: {error}"));
        }
        return run_cargo(&cargo, &rest, true);
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let linker = Linker::default();
    let job = CompileJob {
        crate_folder: Path::new("."),
        run_folder: &run_folder,
        toolchain: &toolchain,
        rustc: &rustc,
        linker: &linker,
        analyse,
        placeholders: &[],
        expect_success: true,
        started: None,
        prestarted: &Mutex::default(),
    };
    match job.compile() {
        Ok(None) => 0,
        Ok(Some(library)) => {
            match cell_crate::report_library(&library, std::env::var_os(ANSWER_FILE).map(PathBuf::from)) {
                Ok(()) => 0,
                Err(message) => fail(&message),
            }
        }
        Err(messages) => fail(messages.trim_end()),
    }
}

/// Runs cargo as evcxr asked for it; `wrapped` adds the dylib to the cell's crate.
fn run_cargo(cargo: &OsString, arguments: &[OsString], wrapped: bool) -> i32 {
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

/// Runs cargo and prints its progress on dependencies to the notebook as it comes.
fn with_progress(mut cargo: Command) -> i32 {
    let Ok(mut child) = cargo.stderr(Stdio::piped()).spawn() else { return fail("cannot start cargo") };
    let run_folder = std::env::var_os(RUN_FOLDER).map(PathBuf::from);
    let pipe = run_folder.as_ref().map(|folder| folder.join("pipes").join("err"));
    let mut notebook = pipe.and_then(|pipe| std::fs::OpenOptions::new().read(true).write(true).open(pipe).ok());
    let lines = child.stderr.take().map(|stderr| std::io::BufReader::new(stderr).lines());
    for line in lines.into_iter().flatten().map_while(Result::ok) {
        if is_progress(&line)
            && let Some(notebook) = &mut notebook
        {
            // If the pipe is broken, the cell's own output reports it.
            let _ = notebook.write_all(format!("{}\n", line.trim()).as_bytes());
        }
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    let notes: String = crate_clash::notes(&std::fs::read_to_string("Cargo.lock").unwrap_or_default())
        .iter()
        .map(|note| format!("{note}\n"))
        .collect();
    let last = run_folder.map(|folder| folder.join(NOTES_FILE));
    if let (Some(notebook), Some(last)) = (&mut notebook, last)
        && std::fs::read_to_string(&last).unwrap_or_default() != notes
    {
        // Printed once per set of dependencies.
        let _ = notebook.write_all(notes.as_bytes());
        let _ = std::fs::write(last, notes);
    }
    child.wait().ok().and_then(|status| status.code()).unwrap_or(1)
}

/// Whether a line of cargo reports work on a dependency, and not on the cell itself.
fn is_progress(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let verb = words.next().unwrap_or_default();
    matches!(verb, "Compiling" | "Checking" | "Downloading" | "Downloaded" | "Updating" | "Adding")
        && words.next() != Some(CELL_CRATE)
}

/// Handles a call of rustc by cargo: `<rustc> <argument> …`.
fn wrap_rustc(arguments: Vec<OsString>) -> i32 {
    let mut arguments = arguments.into_iter();
    let Some(rustc) = arguments.next() else { return 2 };
    let arguments: Vec<OsString> = arguments.collect();
    let is_cell = arguments.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1] == CELL_CRATE);
    let toolchain = std::env::var_os(CELLS_VARIABLE).map(CellsToolchain::at);
    let (true, Some(toolchain)) = (is_cell, toolchain) else {
        return fail(&format!("rustc: {}", Command::new(rustc).args(&arguments).env_remove(WRAPPER).exec()));
    };
    let run_folder = std::env::var_os(RUN_FOLDER).map(PathBuf::from);
    let analyse = !arguments.iter().any(|argument| {
        argument.to_string_lossy().starts_with("--emit") && argument.to_string_lossy().contains("link")
    });
    let compile = || compile_cell(&rustc, &arguments, &toolchain, run_folder.as_deref(), analyse);
    let compiled = match &run_folder {
        Some(run_folder) if !analyse => moved::with_clones_compiled(Path::new("src/lib.rs"), run_folder, compile),
        _ => compile(),
    };
    if let (Some(run_folder), Err(messages), false) = (&run_folder, &compiled, analyse) {
        rustc::store_unstorable(run_folder, messages);
    }
    let status = i32::from(compiled.is_err());
    let messages = compiled.unwrap_or_else(moved::without_advice);
    let _ = std::io::stderr().write_all(messages.as_bytes());
    status
}

/// Leaves out cargo's disambiguator of the crate: with it, types of the cells before the first dependency would be other types.
fn without_metadata(arguments: &[OsString]) -> Vec<&OsString> {
    let is_metadata = |at: usize| arguments.get(at).is_some_and(|it| it.to_string_lossy().starts_with("metadata="));
    let is_left_out = |at: usize| is_metadata(at) || arguments[at] == "-C" && is_metadata(at + 1);
    (0..arguments.len()).filter(|&at| !is_left_out(at)).map(|at| &arguments[at]).collect()
}

/// Compiles a cell as cargo asks for it; returns the compiler's messages, as an error if it failed.
fn compile_cell(
    rustc: &OsString,
    arguments: &[OsString],
    toolchain: &CellsToolchain,
    run_folder: Option<&Path>,
    analyse: bool,
) -> Result<String, String> {
    let mut command = Command::new(rustc);
    command.args(without_metadata(arguments)).env_remove(WRAPPER);
    link_cells(&mut command, toolchain);
    if run_folder.is_some_and(cell_crate::is_optimised) {
        // The last of two levels counts.
        command.args(["-Copt-level=2", "-Cdebug-assertions=off"]);
    }
    rustc::add_type_flags(&mut command, analyse, false);
    if let Some(run_folder) = run_folder {
        rustc::keep_private(&mut command, run_folder);
    }
    let child = rustc::start(command, false).map_err(|error| format!("cannot start rustc: {error}\n"))?;
    let mut messages = String::new();
    let mut message = |line: &str| {
        messages.push_str(line);
        messages.push('\n');
    };
    let (status, _) = rustc::finish(child, run_folder.filter(|_| analyse), &mut message);
    if status == 0 { Ok(messages) } else { Err(messages) }
}

fn fail(message: &str) -> i32 {
    let _ = writeln!(std::io::stderr(), "{message}");
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_about_dependencies_only() {
        assert!(is_progress("   Compiling itoa v1.0.15"));
        assert!(!is_progress("   Compiling ctx v1.0.0 (/tmp/x)") && !is_progress("warning: unused"));
    }
}
