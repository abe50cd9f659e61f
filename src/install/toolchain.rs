//! The build of the cells toolchain, with the compiler that will compile the cells.
//!
//! Cargo compiles `crates/cells` as a dylib, from the same dependencies that `cargo build --release` compiled for the
//! kernel, so after such a build only little is compiled. What the compiler of a cell needs is copied to the folder of the
//! toolchain: the dylib, the metadata of all crates in it, the macros that it uses, and the worker program.

use super::{InstallError, sources};
use crate::engine::{CellsToolchain, compiler_version};
use kernel_base::provenance::provenance;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds the toolchain, in place of an older one.
///
/// # Errors
/// If the compiler fails, the toolchain does not compile a test cell, or a file cannot be written.
pub(super) fn build(toolchain: &CellsToolchain, report: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    let version = compiler_version().ok_or(InstallError::NoCompiler)?;
    let sources = sources::find(&sibling(toolchain, "build"))?;
    if sources.is_copy && sources::checkout_changed() {
        report(
            "  Rust cells: the checkout that this program was built from has changed; after `cargo build --release` in it, \
             `tracebook install` takes seconds",
        );
    }
    report(if sources.is_copy {
        "  Rust cells: building their library from the sources that came with this program (10 to 20 minutes, once per version; \
         cargo fetches what it depends on)"
    } else {
        "  Rust cells: building their library (seconds after `cargo build --release`, else about 15 minutes)"
    });
    let artifacts = compile(&sources.folder)?;
    let next = sibling(toolchain, "next");
    let written = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Write { path, source }
    };
    let _ = std::fs::remove_dir_all(&next);
    let fresh = CellsToolchain::at(&next);
    std::fs::create_dir_all(fresh.metadata()).map_err(written(&next))?;
    for artifact in &artifacts.metadata {
        let name = artifact.file_name().unwrap_or_default();
        let to = fresh.metadata().join(name);
        std::fs::copy(artifact, &to).map_err(written(&to))?;
    }
    std::fs::copy(&artifacts.library, fresh.library()).map_err(written(&fresh.library()))?;
    std::fs::write(fresh.compiler_file(), &version).map_err(written(&fresh.compiler_file()))?;
    std::fs::write(fresh.sources_file(), provenance().hash).map_err(written(&fresh.sources_file()))?;
    let length = std::fs::metadata(fresh.library()).map_err(written(&fresh.library()))?.len();
    std::fs::write(fresh.length_file(), length.to_string()).map_err(written(&fresh.length_file()))?;
    link_worker_of_this_program(&fresh)?;
    // Without a stub, cells are linked against the dylib itself.
    let _ = write_stub(&artifacts.library, &fresh);
    remove_unread_metadata(&fresh);
    try_cells(&fresh)?;
    replace(toolchain, &next)?;
    if sources.is_copy {
        // A gigabyte that is no longer needed. After a failure it stays, so that the next attempt continues there.
        let _ = std::fs::remove_dir_all(&sources.folder);
    }
    Ok(())
}

/// Compiles a cell against the library, and one against the stub, which is removed if that fails.
///
/// # Errors
/// If a cell does not compile against the library.
pub(super) fn try_cells(toolchain: &CellsToolchain) -> Result<(), InstallError> {
    try_cell(toolchain, &toolchain.library())?;
    if toolchain.stub().is_file() && try_cell(toolchain, &toolchain.stub()).is_err() {
        // Cells are then linked against the dylib itself.
        let _ = std::fs::remove_file(toolchain.stub());
    }
    Ok(())
}

/// Puts the folder `next` in place of the toolchain.
///
/// # Errors
/// If a folder cannot be renamed.
pub(super) fn replace(toolchain: &CellsToolchain, next: &Path) -> Result<(), InstallError> {
    let _ = std::fs::remove_dir_all(toolchain.folder());
    std::fs::rename(next, toolchain.folder())
        .map_err(|source| InstallError::Write { path: toolchain.folder().to_owned(), source })
}

/// Returns a folder next to that of the toolchain.
pub(super) fn sibling(toolchain: &CellsToolchain, ending: &str) -> PathBuf {
    let name = toolchain.folder().file_name().unwrap_or_default().to_string_lossy();
    toolchain.folder().with_file_name(format!("{name}.{ending}"))
}

/// The files that cargo has built.
struct Artifacts {
    library: PathBuf,
    metadata: BTreeSet<PathBuf>,
}

/// Compiles `crates/cells` as a dylib.
fn compile(sources: &Path) -> Result<Artifacts, InstallError> {
    let arguments = [
        "rustc",
        "--release",
        "--locked",
        "-p",
        "cells",
        "--lib",
        "--crate-type",
        "dylib",
        "--message-format",
        "json-render-diagnostics",
    ];
    let failed = || InstallError::Command { command: format!("cargo {} -- -C prefer-dynamic", arguments.join(" ")) };
    let mut command = Command::new("cargo");
    // At level `s` rustc lets cells use the instances of generic code in this crate (which alone is compiled so). The stub
    // needs its metadata as a file.
    command
        .args(arguments)
        .args(["--", "-C", "prefer-dynamic", "-C", "opt-level=s", "--emit=metadata"])
        .current_dir(sources)
        .stdout(Stdio::piped());
    // A relative target folder is relative to the user's current folder.
    if let Some(target) = std::env::var_os("CARGO_TARGET_DIR").and_then(|folder| std::path::absolute(folder).ok()) {
        command.env("CARGO_TARGET_DIR", target);
    }
    let mut child = command.spawn().map_err(|_| failed())?;
    let (mut library, mut metadata) = (None, BTreeSet::new());
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["reason"] != "compiler-artifact" {
                continue;
            }
            let is_cells = message["target"]["name"] == "cells";
            let is_macro =
                message["target"]["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "proc-macro"));
            let files =
                message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str).map(PathBuf::from);
            for file in files {
                let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default();
                match ending {
                    "so" if is_cells => library = Some(file),
                    "so" if is_macro => drop(metadata.insert(file)),
                    "rmeta" if !is_cells => drop(metadata.insert(file)),
                    "rlib" if !is_cells => drop(metadata.insert(file.with_extension("rmeta"))),
                    _ => {}
                }
            }
        }
    }
    let ended_well = child.wait().is_ok_and(|status| status.success());
    let library = library.filter(|_| ended_well).ok_or_else(failed)?;
    metadata.retain(|file| file.is_file());
    Ok(Artifacts { library, metadata })
}

/// Writes the stub, a library with the metadata of the dylib and without symbols. To read the 150,000 symbols takes a linker longer
/// than the rest of a cell, and the worker process, which has loaded the dylib, resolves them anyway.
fn write_stub(library: &Path, toolchain: &CellsToolchain) -> Result<(), InstallError> {
    let failed = || InstallError::Command { command: "rustc … stub.rs".to_owned() };
    let folder = tempfile::tempdir().map_err(|_| failed())?;
    // `library` is cargo's copy; rustc wrote the metadata beside the original.
    let metadata = library.parent().map(|target| target.join("deps").join("libcells.rmeta"));
    let metadata = metadata.and_then(|file| std::fs::read(file).ok()).ok_or_else(failed)?;
    let (name, assembly) = ("metadata.bin", ".section .rustc,\\\"\\\",@progbits\\n.incbin \\\"metadata.bin\\\"");
    std::fs::write(folder.path().join(name), as_section(&metadata)).map_err(|_| failed())?;
    let source = format!("core::arch::global_asm!(\"{assembly}\");");
    std::fs::write(folder.path().join("stub.rs"), source).map_err(|_| failed())?;
    if let Some(link) = toolchain.stub().parent() {
        std::fs::create_dir_all(link).map_err(|_| failed())?;
    }
    let mut command = Command::new("rustc");
    command.args(["--edition", "2024", "--crate-type", "cdylib", "-C", "prefer-dynamic", "stub.rs", "-o"]);
    let stub = std::path::absolute(toolchain.stub()).map_err(|_| failed())?;
    let output = command.arg(stub).current_dir(folder.path()).output();
    output.ok().filter(|output| output.status.success()).map(drop).ok_or_else(failed)
}

/// Returns metadata in the format of the section `.rustc` of a dylib: its first eight bytes, its length, all of it.
fn as_section(metadata: &[u8]) -> Vec<u8> {
    let magic = metadata.get(..8).unwrap_or_default();
    [magic, &(metadata.len() as u64).to_le_bytes(), metadata].concat()
}

/// The source of the worker program.
const WORKER: &str = "crates/cells/src/bin/tracebook-worker.rs";

/// Links the worker program against the dylib, so that it shares one copy of all crates with the cells. Its source comes with
/// this program.
///
/// # Errors
/// If it does not compile.
pub(super) fn link_worker_of_this_program(toolchain: &CellsToolchain) -> Result<(), InstallError> {
    let failed = || InstallError::Command { command: "rustc … tracebook-worker.rs".to_owned() };
    let text = sources::carried().iter().find(|(path, _)| *path == WORKER).map(|(_, text)| *text).ok_or_else(failed)?;
    let folder = tempfile::tempdir().map_err(|_| failed())?;
    let source = folder.path().join("tracebook-worker.rs");
    std::fs::write(&source, text).map_err(|_| failed())?;
    let mut command = Command::new("rustc");
    command.args(["--edition", "2024", "--crate-name", "tracebook_worker", "--crate-type", "bin", "-Copt-level=2"]);
    command.args(["-C", "prefer-dynamic", "-C", "rpath"]);
    let with = |prefix: &str, path: &Path| {
        let mut text = std::ffi::OsString::from(prefix);
        text.push(path);
        text
    };
    command
        .arg("-L")
        .arg(with("dependency=", &toolchain.metadata()))
        .arg("--extern")
        .arg(with("cells=", &toolchain.library()));
    command.arg("-o").arg(toolchain.worker()).arg(&source);
    command.status().ok().filter(|status| status.success()).map(drop).ok_or_else(failed)
}

/// Removes the metadata of crates that the compiler does not open for a cell: those that only build scripts and macros use. If
/// the compiler does not tell, all stays.
fn remove_unread_metadata(toolchain: &CellsToolchain) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let read = compile_cell(
        toolchain,
        &toolchain.library(),
        folder.path(),
        &["--emit=dep-info,metadata", "-Zbinary-dep-depinfo"],
    )
    .and_then(|()| std::fs::read_to_string(folder.path().join("cell.d")).map_err(|error| error.to_string()));
    let Ok(list) = read else { return };
    let read = read_metadata(&list, &toolchain.metadata());
    let Ok(entries) = std::fs::read_dir(toolchain.metadata()) else { return };
    if read.is_empty() {
        return;
    }
    for entry in entries.flatten().filter(|entry| !read.contains(&entry.file_name().to_string_lossy().into_owned())) {
        let _ = std::fs::remove_file(entry.path());
    }
}

/// Returns the files in `folder` that a dep-info file names.
fn read_metadata(list: &str, folder: &Path) -> BTreeSet<String> {
    // A blank in a path is escaped.
    let words = list.replace("\\ ", "\0");
    let paths = words.split_whitespace().map(|word| PathBuf::from(word.trim_end_matches(':').replace('\0', " ")));
    let inside = paths.filter(|path| path.parent() == Some(folder));
    inside.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
}

/// Compiles one cell against the toolchain, so that a missing file is found now and not in a notebook.
fn try_cell(toolchain: &CellsToolchain, cells: &Path) -> Result<(), InstallError> {
    let failed = |reason: String| InstallError::TestCell { reason };
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    compile_cell(toolchain, cells, folder.path(), &[]).map_err(failed)
}

/// Compiles a cell in `folder`; returns the message of the compiler if it fails.
fn compile_cell(toolchain: &CellsToolchain, cells: &Path, folder: &Path, flags: &[&str]) -> Result<(), String> {
    let source = folder.join("cell.rs");
    let text = "use cells::prelude::*; #[unsafe(no_mangle)] pub extern \"C\" fn cell() -> usize { DataFrame::empty().height() }";
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let output = Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "cdylib", "-C", "prefer-dynamic", "-C", "rpath", "--out-dir"])
        .arg(folder)
        .arg("-L")
        .arg(format!("dependency={}", toolchain.metadata().display()))
        .arg("--extern")
        .arg(format!("cells={}", cells.display()))
        .args(flags)
        .arg(&source)
        // For -Z flags.
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_that_a_cell_reads_is_named_by_dep_info() {
        let list = "/x/cell.d: cell.rs /my\\ data/metadata/liba.rmeta /my\\ data/metadata/libm.so /my\\ data/libcells.so\n\n\
                    /my\\ data/metadata/liba.rmeta:\n";
        let read = read_metadata(list, Path::new("/my data/metadata"));
        assert_eq!(read.into_iter().collect::<Vec<_>>(), ["liba.rmeta", "libm.so"]);
    }
}
