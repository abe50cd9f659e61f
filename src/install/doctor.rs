//! `tracebook doctor`: checks what Jupyter and Rust cells need, and prints a fix for each problem.

use super::{Location, extension, kernelspec};
use crate::engine::{CELLS_VARIABLE, CellsToolchain, ToolchainError, compiler_version, installed_folder, remedy};
use crate::program::{command, shell_word};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The result of one check: the state, or the problem and its fix.
type Finding = Result<String, String>;

/// Runs all checks, and calls `report` with one line each; returns the number of problems.
///
/// Looks for the kernelspec and the extension in `location`, or else wherever Jupyter looks.
pub fn doctor(location: Option<&Location>, history: Option<&Path>, report: &mut dyn FnMut(&str)) -> usize {
    let shares = match location {
        Some(location) => location.share().into_iter().collect(),
        None => shares(),
    };
    let spec = shares.iter().find_map(|share| read(kernelspec::folder(share).join("kernel.json")));
    let toolchain = toolchain(spec.as_ref().map(|(_, spec)| spec));
    let findings = [
        ("compiler", compiler()),
        ("linker", linker()),
        ("Rust cells", cells(toolchain.as_ref())),
        ("kernel", kernel(spec)),
        ("extension", lab_extension(&shares)),
        ("data", writable("the library for Rust cells and its cache", toolchain.as_ref().map(CellsToolchain::folder))),
        (
            "history",
            history.map_or_else(
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
        report(&format!("{state:<5} {what:<10} {text}"));
    }
    findings.iter().filter(|(_, finding)| finding.is_err()).count()
}

/// Returns the folders in which Jupyter looks for kernels and extensions, in its order.
fn shares() -> Vec<PathBuf> {
    let path = std::env::var_os("JUPYTER_PATH").unwrap_or_default();
    let mut shares: Vec<PathBuf> =
        std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let mut own = [Location::User, Location::SysPrefix];
    // In a virtual environment Jupyter prefers that environment.
    if std::env::var_os("VIRTUAL_ENV").is_some_and(|folder| !folder.is_empty()) {
        own.reverse();
    }
    // A package installs program, kernelspec and extension under one prefix, whichever environment is active.
    let program = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    shares.extend(program.and_then(|program| Some(program.parent()?.parent()?.join("share").join("jupyter"))));
    shares.extend(own.iter().filter_map(|location| location.share().ok()));
    shares.extend(["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from));
    shares
}

/// Reads a JSON file; returns it with its path.
fn read(path: PathBuf) -> Option<(PathBuf, Value)> {
    let value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
    Some((path, value))
}

/// Returns the cells toolchain that the kernel would use.
fn toolchain(spec: Option<&Value>) -> Option<CellsToolchain> {
    let named = spec.and_then(|spec| spec["env"][CELLS_VARIABLE].as_str()).map(PathBuf::from);
    let named = named.or_else(|| std::env::var_os(CELLS_VARIABLE).map(PathBuf::from));
    named.filter(|folder| !folder.as_os_str().is_empty()).or_else(installed_folder).map(CellsToolchain::at)
}

fn compiler() -> Finding {
    match compiler_version() {
        Some(version) => Ok(version.lines().next().unwrap_or_default().to_owned()),
        None => Err(format!(
            "no Rust compiler: only magics work; install one from https://rustup.rs, then run {}",
            remedy()
        )),
    }
}

/// Checks the C compiler, by which Rust links.
fn linker() -> Finding {
    let answer = Command::new("cc").arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    match answer.ok().filter(|answer| answer.status.success()) {
        Some(answer) => Ok(String::from_utf8_lossy(&answer.stdout).lines().next().unwrap_or_default().to_owned()),
        None => {
            Err("no `cc`: Rust needs it to link cells; install a C compiler (Debian: `apt-get install g++`)".to_owned())
        }
    }
}

fn cells(toolchain: Option<&CellsToolchain>) -> Finding {
    let toolchain =
        toolchain.ok_or_else(|| format!("no data folder: HOME is not set; set it, then run {}", remedy()))?;
    let whole = toolchain.library().is_file() && toolchain.worker().is_file() && toolchain.metadata().is_dir();
    let checked = if whole { toolchain.check() } else { Err(ToolchainError::NotBuilt) };
    checked.map_err(|error| error.to_string())?;
    Ok(toolchain.folder().display().to_string())
}

fn kernel(spec: Option<(PathBuf, Value)>) -> Finding {
    let (path, spec) = spec.ok_or_else(|| {
        format!(
            "the kernel is not installed: Jupyter finds no readable kernels/tracebook/kernel.json; run `{}`",
            install()
        )
    })?;
    // Jupyter replaces this text, too.
    let folder = path.parent().unwrap_or(&path).to_string_lossy();
    let program = spec["argv"][0].as_str().unwrap_or_default().replace(kernelspec::OWN_FOLDER, &folder);
    let runs = std::fs::metadata(&program)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0);
    if !runs {
        let path = path.display();
        return Err(format!(
            "{path} names a program that does not exist or is not executable, \"{program}\"; run `{}`",
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
            "the extension is not installed: JupyterLab shows tables and figures as plain text and pictures; run `{}`",
            install()
        )
    })?;
    let folder = path.parent().unwrap_or(&path);
    let entry = package["jupyterlab"]["_build"]["load"].as_str().unwrap_or_default();
    if entry != extension::entry() || !folder.join(entry).is_file() {
        return Err(format!("{} is from another version of Tracebook; run `{}`", folder.display(), install()));
    }
    Ok(folder.display().to_string())
}

/// Returns the command that installs into the active environment.
fn install() -> String {
    let option = std::env::var_os("VIRTUAL_ENV").filter(|folder| !folder.is_empty()).map_or("", |_| " --sys-prefix");
    format!("{} install{option}", command())
}

/// Checks that files can be created in a folder or, if it does not exist, in its nearest existing parent.
fn writable(what: &str, folder: Option<&Path>) -> Finding {
    let folder = folder.ok_or_else(|| format!("no folder for {what}: HOME is not set; set it"))?;
    let existing = folder.ancestors().find(|above| above.exists()).unwrap_or(folder);
    match tempfile::Builder::new().prefix(".tracebook-").tempfile_in(existing) {
        Ok(_) => Ok(format!("{} is writable", folder.display())),
        Err(error) => {
            // The message of tempfile contains its own path, so only the kind is shown.
            let (existing, kind) = (shell_word(existing.as_os_str()), error.kind());
            Err(format!("cannot write {what}: {kind}; try `chmod u+rwx {existing}`, or free space on its disk"))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn empty_prefix_has_no_kernel_and_no_extension() {
        let root = tempfile::tempdir().unwrap();
        let mut lines = Vec::new();
        let problems =
            doctor(Some(&Location::Prefix(root.path().to_owned())), None, &mut |line| lines.push(line.to_owned()));
        assert!(problems >= 2, "{lines:?}");
        for what in ["WRONG kernel ", "WRONG extension "] {
            assert!(lines.iter().any(|line| line.starts_with(what) && line.contains(" install")), "{lines:?}");
        }
    }

    #[test]
    fn kernelspec_must_name_a_program() {
        let root = tempfile::tempdir().unwrap();
        let spec = |program: &Path| Some((root.path().join("kernel.json"), serde_json::json!({"argv": [program]})));
        let gone = kernel(spec(&root.path().join("gone"))).unwrap_err();
        assert!(gone.contains("gone") && gone.contains(" install"), "{gone}");
        assert!(kernel(spec(root.path())).is_err(), "a folder is not a program");
        assert!(kernel(spec(&std::env::current_exe().unwrap())).is_ok());
    }

    #[test]
    fn extension_must_be_current_and_complete() {
        let root = tempfile::tempdir().unwrap();
        let shares = [root.path().to_owned()];
        let folder = extension::install(root.path(), false).unwrap();
        assert!(lab_extension(&shares).is_ok());
        std::fs::remove_file(folder.join(extension::entry())).unwrap();
        assert!(lab_extension(&shares).unwrap_err().contains(" install"));
    }

    #[test]
    fn toolchain_must_be_complete_and_current() {
        let root = tempfile::tempdir().unwrap();
        let toolchain = CellsToolchain::at(root.path());
        assert!(cells(Some(&toolchain)).unwrap_err().contains("--build-cells"));
        std::fs::create_dir(toolchain.metadata()).unwrap();
        for file in [toolchain.library(), toolchain.worker(), toolchain.compiler_file(), toolchain.sources_file()] {
            std::fs::write(file, "other").unwrap();
        }
        assert!(cells(Some(&toolchain)).unwrap_err().contains(" install"));
        std::fs::write(toolchain.compiler_file(), compiler_version().unwrap()).unwrap();
        assert!(cells(Some(&toolchain)).unwrap_err().contains("another build"));
        std::fs::write(toolchain.sources_file(), kernel_base::provenance::provenance().hash).unwrap();
        assert!(cells(Some(&toolchain)).is_ok());
    }

    #[test]
    fn missing_folder_is_judged_by_its_parent() {
        let root = tempfile::tempdir().unwrap();
        assert!(writable("x", Some(&root.path().join("a/b"))).is_ok());
        assert!(!root.path().join("a").exists(), "the check creates nothing");
        std::fs::write(root.path().join("file"), "").unwrap();
        let refused = writable("x", Some(&root.path().join("file/b"))).unwrap_err();
        assert!(refused.starts_with("cannot write x"), "{refused}");
    }
}
