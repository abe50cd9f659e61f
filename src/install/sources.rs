//! The sources that the cells toolchain is built from: the checkout that this binary was built from, as long as it is unchanged
//! (most of it is compiled there), else the copy in this binary.

use super::InstallError;
use std::path::{Path, PathBuf};

/// The checkout that this binary was built from.
const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");

/// Empty code for packages of which only the manifest is needed.
const STUBS: &[(&str, &str)] = &[
    ("src/lib.rs", ""),
    ("src/main.rs", "fn main() {}\n"),
    ("tests/suite.rs", ""),
    ("crates/kernel-base/src/lib.rs", ""),
    ("crates/kernel-magic/src/lib.rs", ""),
    ("crates/kernel-rust/src/lib.rs", ""),
    ("crates/rust-analyzer/base-db/src/lib.rs", ""),
    ("crates/rust-analyzer/hir/src/lib.rs", ""),
    ("crates/rust-analyzer/ide/src/lib.rs", ""),
    ("crates/rust-analyzer/ide-db/src/lib.rs", ""),
    ("crates/rust-analyzer/project-model/src/lib.rs", ""),
    ("crates/rust-analyzer/span/src/lib.rs", ""),
    ("crates/rust-analyzer/vfs-notify/src/lib.rs", ""),
    ("crates/trace-testkit/src/lib.rs", ""),
];

mod embedded {
    // `FILES`, path and text, as `build.rs` found them.
    include!(concat!(env!("OUT_DIR"), "/sources.rs"));
}

/// A workspace in which `-p cells` can be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sources {
    /// The folder of the workspace.
    pub(super) folder: PathBuf,
    /// Whether the workspace was written for this build; it then contains cargo's target folder, too.
    pub(super) is_copy: bool,
}

/// Returns the sources in this binary: path and text.
pub(crate) fn carried() -> &'static [(&'static str, &'static str)] {
    embedded::FILES
}

/// Returns the checkout if it is unchanged, else a copy of the sources in `folder`.
///
/// # Errors
/// If the copy cannot be written.
pub(super) fn find(folder: &Path) -> Result<Sources, InstallError> {
    choose(Path::new(CHECKOUT), folder)
}

/// Whether the checkout exists and differs from what this binary was built from.
pub(super) fn checkout_changed() -> bool {
    Path::new(CHECKOUT).join("crates/cells/Cargo.toml").is_file() && !is_unchanged(Path::new(CHECKOUT))
}

/// Returns `checkout` if it is unchanged, else a copy in `folder`. The kernel and the toolchain exchange files, so both must be
/// built from the same sources.
fn choose(checkout: &Path, folder: &Path) -> Result<Sources, InstallError> {
    if is_unchanged(checkout) {
        return Ok(Sources { folder: checkout.to_owned(), is_copy: false });
    }
    write_copy(folder)?;
    Ok(Sources { folder: folder.to_owned(), is_copy: true })
}

/// Whether a folder contains exactly the sources in this binary.
fn is_unchanged(folder: &Path) -> bool {
    embedded::FILES
        .iter()
        .all(|(path, text)| std::fs::read_to_string(folder.join(path)).is_ok_and(|found| found == *text))
}

/// Writes the sources in this binary to `folder`.
fn write_copy(folder: &Path) -> Result<(), InstallError> {
    for (path, text) in embedded::FILES.iter().chain(STUBS) {
        let path = folder.join(path);
        // An unchanged file keeps its time, so that cargo does not compile it again after a failed attempt.
        if std::fs::read_to_string(&path).is_ok_and(|old| old == *text) {
            continue;
        }
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|source| InstallError::Write { path, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn copy_is_a_complete_workspace() {
        let folder = tempfile::tempdir().unwrap();
        write_copy(folder.path()).unwrap();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let tree = Command::new(cargo)
            .args(["tree", "--offline", "--locked", "-p", "cells", "--prefix", "none"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&tree.stdout);
        assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
        assert!(text.contains("polars v") && text.contains(&*folder.path().join("crates/trace").to_string_lossy()));
    }

    #[test]
    fn only_an_unchanged_checkout_is_used() {
        let (checkout, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let chosen = || choose(checkout.path(), folder.path()).unwrap();
        assert_eq!(chosen(), Sources { folder: folder.path().to_owned(), is_copy: true }, "there is no checkout");
        write_copy(checkout.path()).unwrap();
        assert_eq!(chosen(), Sources { folder: checkout.path().to_owned(), is_copy: false });
        std::fs::write(checkout.path().join("crates/trace/src/lib.rs"), "// pulled").unwrap();
        assert_eq!(chosen(), Sources { folder: folder.path().to_owned(), is_copy: true }, "it has changed");
        assert!(is_unchanged(folder.path()));
    }

    #[test]
    fn copy_has_only_compiled_sources() {
        let names: Vec<&str> = embedded::FILES.iter().map(|(path, _)| *path).collect();
        for name in
            ["Cargo.lock", "./Cargo.toml", "crates/cells/src/bin/tracebook-worker.rs", "crates/trace/src/lib.rs"]
        {
            assert!(names.contains(&name), "{name} of {names:?}");
        }
        assert!(!names.iter().any(|name| name.contains("tests")));
        let size: usize = embedded::FILES.iter().map(|(_, text)| text.len()).sum();
        assert!(size < 6_000_000, "{size} bytes");
    }
}
