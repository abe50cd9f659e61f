//! The script that stands for cargo on a machine that has a compiler and no cargo.
//!
//! evcxr does not start without a cargo. Cells do not call it: only `:dep` does, and this script tells what that needs.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SCRIPT: &str =
    "#!/bin/sh\necho ':dep needs cargo and none was found; install one from https://rustup.rs' >&2\nexit 1\n";

/// Writes the script into `bin` unless a cargo is on the search path or in the home directory.
///
/// # Errors
/// If it cannot be written.
pub(in crate::engine) fn write(bin: &Path, search_path: &OsStr) -> std::io::Result<()> {
    let home = dirs::home_dir().map(|home| home.join(".cargo").join("bin"));
    if std::env::split_paths(search_path).chain(home).any(|folder| folder.join("cargo").is_file()) {
        return Ok(());
    }
    let script = bin.join("cargo");
    std::fs::write(&script, SCRIPT)?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_is_written_only_without_cargo() {
        let (bin, path) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(path.path().join("cargo"), "").unwrap();
        write(bin.path(), path.path().as_os_str()).unwrap();
        assert!(!bin.path().join("cargo").exists());
    }

    #[test]
    fn script_says_what_needs_cargo() {
        let bin = tempfile::tempdir().unwrap();
        let script = bin.path().join("cargo");
        std::fs::write(&script, SCRIPT).unwrap();
        let output = std::process::Command::new("sh").arg(&script).output().unwrap();
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains(":dep needs cargo"));
    }
}
