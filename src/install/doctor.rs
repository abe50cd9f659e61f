//! `tracebook doctor`: what Jupyter and Rust cells need, looked at one by one, and the way out where something is amiss.

use super::{Location, extension, kernelspec};
use crate::engine::{CELLS_VARIABLE, CellsToolchain, ToolchainError, compiler_version, default_folder};
use crate::program::{command, shell_word};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What was found out about one thing: how it is, or what is wrong and what mends it.
type Finding = Result<String, String>;

/// Looks at everything, telling one line each on `say`; how many things are wrong.
///
/// With a `location` the kernelspec and the extension are looked for there, otherwise wherever Jupyter looks.
pub fn doctor(location: Option<&Location>, say: &mut dyn FnMut(&str)) -> usize {
    let shares = match location {
        Some(location) => location.share().into_iter().collect(),
        None => shares(),
    };
    let spec = shares.iter().find_map(|share| read(kernelspec::folder(share).join("kernel.json")));
    let toolchain = toolchain(spec.as_ref().map(|(_, spec)| spec));
    let history = crate::dispatch::history_path();
    let findings = [
        ("compiler", compiler()),
        ("linker", linker()),
        ("Rust cells", cells(toolchain.as_ref())),
        ("kernel", kernel(spec)),
        ("extension", lab_extension(&shares)),
        (
            "data",
            writable(
                "the library for Rust cells and what is compiled for it",
                toolchain.as_ref().map(CellsToolchain::folder),
            ),
        ),
        (
            "history",
            history.as_deref().map_or_else(
                || Ok("not kept on disk".to_owned()),
                |file| writable("the history of cells", file.parent()),
            ),
        ),
        ("temporary", writable("a run's files", Some(&std::env::temp_dir()))),
    ];
    for (what, finding) in &findings {
        let (state, text) = match finding {
            Ok(text) => ("ok", text),
            Err(text) => ("WRONG", text),
        };
        say(&format!("{state:<5} {what:<10} {text}"));
    }
    findings.iter().filter(|(_, finding)| finding.is_err()).count()
}

/// The folders in which Jupyter looks for kernels and extensions, first come first.
fn shares() -> Vec<PathBuf> {
    let path = std::env::var_os("JUPYTER_PATH").unwrap_or_default();
    let mut shares: Vec<PathBuf> =
        std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let mut own = [Location::User, Location::SysPrefix];
    // In a virtual environment Jupyter prefers what belongs to it.
    if std::env::var_os("VIRTUAL_ENV").is_some_and(|folder| !folder.is_empty()) {
        own.reverse();
    }
    // A package brings all three: what it put beside this program counts, whichever environment is active.
    let beside = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    shares.extend(beside.and_then(|program| Some(program.parent()?.parent()?.join("share").join("jupyter"))));
    shares.extend(own.iter().filter_map(|location| location.share().ok()));
    shares.extend(["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from));
    shares
}

/// A file of JSON, with its path.
fn read(path: PathBuf) -> Option<(PathBuf, Value)> {
    let value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
    Some((path, value))
}

/// The library for cells that the kernel would use.
fn toolchain(spec: Option<&Value>) -> Option<CellsToolchain> {
    let named = spec.and_then(|spec| spec["env"][CELLS_VARIABLE].as_str()).map(PathBuf::from);
    let named = named.or_else(|| std::env::var_os(CELLS_VARIABLE).map(PathBuf::from));
    named.filter(|folder| !folder.as_os_str().is_empty()).or_else(default_folder).map(CellsToolchain::at)
}

fn compiler() -> Finding {
    match compiler_version() {
        Some(version) => Ok(version.lines().next().unwrap_or_default().to_owned()),
        None => {
            let command = command();
            Err(format!(
                "no Rust compiler, so only magics work; install one from https://rustup.rs, then `{command} install --build-cells`"
            ))
        }
    }
}

/// Rust links what it compiles with the C compiler.
fn linker() -> Finding {
    let answer = Command::new("cc").arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    match answer.ok().filter(|answer| answer.status.success()) {
        Some(answer) => Ok(String::from_utf8_lossy(&answer.stdout).lines().next().unwrap_or_default().to_owned()),
        None => {
            Err("no `cc`, with which Rust links cells; install a C compiler (Debian: `apt-get install g++`)".to_owned())
        }
    }
}

fn cells(toolchain: Option<&CellsToolchain>) -> Finding {
    let toolchain = toolchain.ok_or_else(|| {
        format!("no data folder: HOME is not set; set it, then `{} install --build-cells`", command())
    })?;
    let whole = toolchain.library().is_file() && toolchain.worker().is_file() && toolchain.metadata().is_dir();
    let checked = if whole { toolchain.check() } else { Err(ToolchainError::NotBuilt) };
    checked.map_err(|error| error.to_string())?;
    Ok(toolchain.folder().display().to_string())
}

fn kernel(spec: Option<(PathBuf, Value)>) -> Finding {
    let (path, spec) = spec.ok_or_else(|| {
        format!("Jupyter does not know the kernel: no readable kernels/tracebook/kernel.json; run `{}`", install())
    })?;
    // Jupyter puts in the folder of the kernelspec, too.
    let folder = path.parent().unwrap_or(&path).to_string_lossy();
    let program = spec["argv"][0].as_str().unwrap_or_default().replace(kernelspec::OWN_FOLDER, &folder);
    let runs = std::fs::metadata(&program)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0);
    if !runs {
        let path = path.display();
        return Err(format!(
            "{path} names a program that is not there or cannot be run, \"{program}\"; run `{}`",
            install()
        ));
    }
    Ok(format!("{} starts {program}", path.display()))
}

fn lab_extension(shares: &[PathBuf]) -> Finding {
    let found =
        shares.iter().map(|share| extension::folder(share)).find_map(|folder| read(folder.join("package.json")));
    let (path, package) = found.ok_or_else(|| {
        format!(
            "JupyterLab would show tables and figures as plain text and pictures: no extension; run `{}`",
            install()
        )
    })?;
    let folder = path.parent().unwrap_or(&path);
    let entry = package["jupyterlab"]["_build"]["load"].as_str().unwrap_or_default();
    if entry != extension::entry() || !folder.join(entry).is_file() {
        return Err(format!("{} is not the one of this program; run `{}`", folder.display(), install()));
    }
    Ok(folder.display().to_string())
}

/// How to install where the person seems to work.
fn install() -> String {
    let place = std::env::var_os("VIRTUAL_ENV").filter(|folder| !folder.is_empty()).map_or("", |_| " --sys-prefix");
    format!("{} install{place}", command())
}

/// Whether files can be made in a folder, or, where it is not there yet, in the nearest one above it.
fn writable(what: &str, folder: Option<&Path>) -> Finding {
    let folder = folder.ok_or_else(|| format!("no folder for {what}: HOME is not set; set it"))?;
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(folder);
    match tempfile::Builder::new().prefix(".tracebook-").tempfile_in(there) {
        Ok(_) => Ok(format!("{} can be written", folder.display())),
        Err(error) => {
            // tempfile adds the path of its own; the kind says enough.
            let (there, kind) = (shell_word(there.as_os_str()), error.kind());
            Err(format!("{what} cannot be written ({kind}); try `chmod u+rwx {there}`, or make room on its disk"))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_empty_place_has_no_kernel_and_no_extension() {
        let place = tempfile::tempdir().unwrap();
        let mut lines = Vec::new();
        let wrong = doctor(Some(&Location::Prefix(place.path().to_owned())), &mut |line| lines.push(line.to_owned()));
        assert!(wrong >= 2, "{lines:?}");
        for what in ["WRONG kernel ", "WRONG extension "] {
            assert!(lines.iter().any(|line| line.starts_with(what) && line.contains(" install")), "{lines:?}");
        }
    }

    #[test]
    fn a_kernelspec_must_name_a_program() {
        let place = tempfile::tempdir().unwrap();
        let spec = |program: &Path| Some((place.path().join("kernel.json"), serde_json::json!({"argv": [program]})));
        let gone = kernel(spec(&place.path().join("gone"))).unwrap_err();
        assert!(gone.contains("gone") && gone.contains(" install"), "{gone}");
        assert!(kernel(spec(place.path())).is_err(), "a folder is no program");
        assert!(kernel(spec(&std::env::current_exe().unwrap())).is_ok());
    }

    #[test]
    fn an_extension_must_be_of_this_program_and_whole() {
        let place = tempfile::tempdir().unwrap();
        let shares = [place.path().to_owned()];
        let folder = extension::install(place.path(), false).unwrap();
        assert!(lab_extension(&shares).is_ok());
        std::fs::remove_file(folder.join(extension::entry())).unwrap();
        assert!(lab_extension(&shares).unwrap_err().contains(" install"));
    }

    #[test]
    fn a_library_that_is_missing_or_of_another_build_is_told() {
        let place = tempfile::tempdir().unwrap();
        let toolchain = CellsToolchain::at(place.path());
        assert!(cells(Some(&toolchain)).unwrap_err().contains("--build-cells"));
        std::fs::create_dir(toolchain.metadata()).unwrap();
        for file in [toolchain.library(), toolchain.worker(), toolchain.compiler_file(), toolchain.sources_file()] {
            std::fs::write(file, "other").unwrap();
        }
        assert!(cells(Some(&toolchain)).unwrap_err().contains(" install"));
        std::fs::write(toolchain.compiler_file(), compiler_version().unwrap()).unwrap();
        assert!(cells(Some(&toolchain)).unwrap_err().contains("another build"));
        std::fs::write(toolchain.sources_file(), CellsToolchain::SOURCES).unwrap();
        assert!(cells(Some(&toolchain)).is_ok());
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_judged_by_the_one_above() {
        let place = tempfile::tempdir().unwrap();
        assert!(writable("x", Some(&place.path().join("a/b"))).is_ok());
        assert!(!place.path().join("a").exists(), "looking makes nothing");
        std::fs::write(place.path().join("file"), "").unwrap();
        let refused = writable("x", Some(&place.path().join("file/b"))).unwrap_err();
        assert!(refused.starts_with("x cannot be written"), "{refused}");
    }
}
