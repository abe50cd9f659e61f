//! One rustc call per cell.
//!
//! evcxr runs `mold -run cargo build …` (see `environment`); this binary stands there as `mold`. For a cell without
//! dependencies of its own it compiles evcxr's source directly against the prebuilt dylib. With dependencies, cargo does
//! its work, and we come back as cargo's `RUSTC_WRAPPER` to add the dylib to the cell's crate.

use super::clash;
use super::environment::{RUN_FOLDER, USER_PATH};
use super::ready::{Kept, Outcome};
use super::source;
use super::toolchain::{CELLS_VARIABLE, CellsKit};
use super::transient::Unkept;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The crate name that evcxr gives to every cell.
pub(super) const CELL_CRATE: &str = "ctx";
/// Set for cargo, so that this binary knows it is called as `RUSTC_WRAPPER`.
const WRAPPER: &str = "TRACEBOOK_RUSTC_WRAPPER";
/// The types found by the last analysis, `name → type`, in the run's folder.
const TYPES_FILE: &str = "types.json";
/// What the last compilation that failed says of variables, in the run's folder.
const UNKEPT_FILE: &str = "unkept.json";
/// Is in the run's folder while cells are compiled with optimisation, whatever evcxr's level.
const OPTIMISED_FILE: &str = "optimised";
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

/// The types that the last analysis found.
pub(super) fn found_types(run_folder: &Path) -> BTreeMap<String, String> {
    std::fs::read(run_folder.join(TYPES_FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Forgets those of an earlier analysis.
pub(super) fn forget_types(run_folder: &Path) {
    let _ = std::fs::remove_file(run_folder.join(TYPES_FILE));
}

/// What the last compilation that failed says of variables that cannot be kept; it is forgotten then.
pub(super) fn take_unkept(run_folder: &Path) -> Unkept {
    let file = run_folder.join(UNKEPT_FILE);
    let read = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let _ = std::fs::remove_file(file);
    read.unwrap_or_default()
}

/// Whether cells are compiled with optimisation from now on.
pub(super) fn optimise(run_folder: &Path, on: bool) {
    let file = run_folder.join(OPTIMISED_FILE);
    // Without the file, the cell is as right and only slower.
    let _ = if on { std::fs::write(file, "") } else { std::fs::remove_file(file) };
}

fn optimised() -> bool {
    std::env::var_os(RUN_FOLDER).is_some_and(|folder| Path::new(&folder).join(OPTIMISED_FILE).exists())
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
    if let Err(error) = source::adapt(Path::new("src/lib.rs"), analyse) {
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
    let folder = PathBuf::from("direct");
    if let Err(error) = std::fs::create_dir_all(&folder) {
        return fail(&format!("the folder of compiled cells: {error}"));
    }
    let level = manifest.lines().find_map(|line| line.strip_prefix("opt-level = ")).unwrap_or("0");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--crate-name", CELL_CRATE, "--edition", "2024", "src/lib.rs", "--crate-type", "cdylib"]);
    rustc.args(["--error-format=json", "--json=diagnostic-rendered-ansi", "--out-dir"]).arg(&folder);
    let level = if optimised() { "2" } else { level };
    let source = std::fs::read_to_string("src/lib.rs").unwrap_or_default();
    let run_folder = std::env::var_os(RUN_FOLDER).map(PathBuf::from);
    let kept = Kept::of(&kit, run_folder.as_deref(), &source, level).filter(|_| !analyse);
    let library = folder.join(format!("lib{CELL_CRATE}.so"));
    match kept.as_ref().and_then(Kept::outcome) {
        Some(Outcome::Messages(messages)) => return fail(messages.trim_end()),
        Some(Outcome::Library(compiled)) if std::fs::copy(&compiled, &library).is_ok() => return hand_over(&library),
        _ => {}
    }
    // An overflow is an error at every level; the checks inside std would slow an optimised loop down.
    let assertions = if level == "0" { "on" } else { "off" };
    rustc.args(["-C", "debuginfo=0", "-C", "overflow-checks=on"]);
    rustc.arg(format!("-Cdebug-assertions={assertions}")).arg(format!("-Copt-level={level}"));
    if analyse {
        rustc.arg("--emit=metadata");
    }
    link_cells(&mut rustc, &kit);
    let (status, messages) = run_rustc(rustc, analyse);
    if analyse {
        return status;
    }
    if let Some(kept) = kept {
        let outcome = if status == 0 { Outcome::Library(library.clone()) } else { Outcome::Messages(messages) };
        kept.keep(&outcome);
    }
    if status == 0 { hand_over(&library) } else { status }
}

/// Tells evcxr where the compiled cell is.
fn hand_over(library: &Path) -> i32 {
    let library = std::fs::canonicalize(library).unwrap_or_else(|_| library.to_owned());
    if let Some(answer) = std::env::var_os("EVCXR_EXECUTION_SO_PATH")
        && let Err(error) = std::fs::write(answer, library.as_os_str().as_encoded_bytes())
    {
        return fail(&format!("the path of the compiled cell: {error}"));
    }
    0
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
    if optimised() {
        // Of two levels the last one counts.
        command.args(["-Copt-level=2", "-Cdebug-assertions=off"]);
    }
    let analyse = !arguments.iter().any(|argument| {
        argument.to_string_lossy().starts_with("--emit") && argument.to_string_lossy().contains("link")
    });
    run_rustc(command, analyse).0
}

fn link_cells(rustc: &mut Command, kit: &CellsKit) {
    rustc.args(["-C", "prefer-dynamic", "-C", "rpath"]);
    rustc.arg("-L").arg(prefixed("dependency=", &kit.metadata()));
    rustc.arg("-L").arg(prefixed("native=", kit.folder()));
    rustc.arg("--extern").arg(prefixed("cells=", &kit.library()));
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

/// Runs the compiler: its status, and what it said. In an analysis the messages that carry types are taken out and kept for
/// the kernel.
fn run_rustc(mut rustc: Command, analyse: bool) -> (i32, String) {
    if analyse {
        // Whole paths, so that a type can be written in the cell whatever the user imported. The flag is unstable; the
        // analysis makes no code that runs.
        rustc.args(["-Ztrim-diagnostic-paths=no", "--diagnostic-width=100000"]).env("RUSTC_BOOTSTRAP", "1");
    }
    // evcxr takes a warning of an analysis for an error, and shows none of a compilation.
    rustc.arg("-Awarnings");
    if let Some(folder) = std::env::var_os(RUN_FOLDER) {
        // What it puts aside holds names of the cell's, and is nobody else's business.
        rustc.env("TMPDIR", folder);
    }
    let Ok(mut child) = rustc.stderr(Stdio::piped()).spawn() else {
        return (fail("rustc cannot be started"), String::new());
    };
    let mut said = String::new();
    let mut types = BTreeMap::new();
    let mut errors = 0;
    if let Some(output) = child.stderr.take() {
        let mut stderr = std::io::stderr().lock();
        for line in std::io::BufReader::new(output).lines().map_while(Result::ok) {
            if analyse && let Some((name, type_name)) = probed(&line) {
                types.insert(name, type_name);
                continue;
            }
            if line.contains("\"level\":\"failure-note\"") {
                continue;
            }
            errors += usize::from(line.contains("\"level\":\"error\""));
            let _ = writeln!(stderr, "{line}");
            said.push_str(&line);
            said.push('\n');
        }
    }
    let status = child.wait().ok().and_then(|status| status.code()).unwrap_or(1);
    if !analyse {
        if status != 0
            && let Some(folder) = std::env::var_os(RUN_FOLDER)
        {
            let unkept = serde_json::to_vec(&Unkept::of_messages(&said)).unwrap_or_default();
            let _ = std::fs::write(Path::new(&folder).join(UNKEPT_FILE), unkept);
        }
        return (status, said);
    }
    if let Some(folder) = std::env::var_os(RUN_FOLDER) {
        let _ = std::fs::write(Path::new(&folder).join(TYPES_FILE), serde_json::to_vec(&types).unwrap_or_default());
    }
    // The compiler counts the messages we took out; only others are the user's.
    (i32::from(errors > 0), said)
}

const PROBE_START: &str = "PROBE<";
const PROBE_END: &str = ">EBORP";

/// The variable and type that a compiler message carries.
fn probed(line: &str) -> Option<(String, String)> {
    if !line.contains(PROBE_START) {
        return None;
    }
    let message: Value = serde_json::from_str(line).ok()?;
    let message = if message["message"].is_object() { &message["message"] } else { &message };
    let text = message["message"].as_str()?;
    let start = text.find(PROBE_START)? + PROBE_START.len();
    // What the cell leaves open, Rust decides in this way.
    let type_name = text.get(start..text.rfind(PROBE_END)?)?.replace("{integer}", "i32").replace("{float}", "f64");
    let span = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    let source = span["text"].as_array()?.first()?;
    let (from, to) = (source["highlight_start"].as_u64()?, source["highlight_end"].as_u64()?);
    let letters = source["text"].as_str()?.chars();
    let name = letters.skip(usize::try_from(from).ok()? - 1).take(usize::try_from(to - from).ok()?).collect();
    Some((name, type_name))
}

/// Whether the cell's crate has dependencies of its own.
fn has_dependencies(manifest: &str) -> bool {
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
struct Group {
    file: Option<PathBuf>,
}

impl Group {
    fn enter() -> Self {
        let _ = rustix::process::setpgid(None, None);
        let file = std::env::var_os(RUN_FOLDER).map(|folder| Path::new(&folder).join(GROUP_FILE));
        if let Some(file) = &file {
            let _ = std::fs::write(file, std::process::id().to_string());
        }
        Self { file }
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
    fn a_probe_message_tells_variable_and_type() {
        let line = serde_json::json!({
            "message": "PROBE<std::vec::Vec<{integer}>>EBORP",
            "spans": [{"is_primary": true, "text": [{"text": "evcxr_variable_store(größe);", "highlight_start": 22, "highlight_end": 27}]}],
        });
        assert_eq!(probed(&line.to_string()), Some(("größe".to_owned(), "std::vec::Vec<i32>".to_owned())));
        assert_eq!(probed("{\"message\":\"mismatched types\"}"), None);
    }

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
