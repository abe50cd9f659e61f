//! The sources of the library for cells: the checkout that this binary was built from, which has most of it compiled, as long
//! as it still is what it was then; else as the binary carries them.

use super::InstallError;
use std::path::{Path, PathBuf};

/// Where the sources were when this binary was built.
const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");

/// What stands in for the code of packages whose manifests alone are needed.
const STUBS: &[(&str, &str)] =
    &[("src/lib.rs", ""), ("src/main.rs", "fn main() {}\n"), ("crates/trace-testkit/src/lib.rs", "")];

mod carried {
    // `FILES`, path and text, as `build.rs` found them.
    include!(concat!(env!("OUT_DIR"), "/sources.rs"));
}

/// The folder of a workspace in which `-p cells` can be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sources {
    /// The workspace.
    pub(super) folder: PathBuf,
    /// Whether it was made for this build, and cargo's own folder with it.
    pub(super) unpacked: bool,
}

/// The sources that the binary carries: path and text.
pub(crate) fn carried() -> &'static [(&'static str, &'static str)] {
    carried::FILES
}

/// Where the sources are found.
///
/// # Errors
/// If `folder` is needed and cannot be written.
pub(super) fn find(folder: &Path) -> Result<Sources, InstallError> {
    choose(Path::new(CHECKOUT), folder)
}

/// Whether the checkout is there, and is no longer what this binary was built from.
pub(super) fn checkout_changed() -> bool {
    Path::new(CHECKOUT).join("crates/cells/Cargo.toml").is_file() && !is_what_was_built(Path::new(CHECKOUT))
}

/// The checkout, or the sources unpacked into `folder`. The library must be of the same sources as the kernel, which hand
/// each other files; and whatever else lies where a binary of a wheel was once built is no business of its user's.
fn choose(checkout: &Path, folder: &Path) -> Result<Sources, InstallError> {
    if is_what_was_built(checkout) {
        return Ok(Sources { folder: checkout.to_owned(), unpacked: false });
    }
    unpack(folder)?;
    Ok(Sources { folder: folder.to_owned(), unpacked: true })
}

/// Whether a folder holds the very sources that this binary carries.
fn is_what_was_built(folder: &Path) -> bool {
    carried::FILES
        .iter()
        .all(|(path, text)| std::fs::read_to_string(folder.join(path)).is_ok_and(|there| there == *text))
}

fn unpack(folder: &Path) -> Result<(), InstallError> {
    for (path, text) in carried::FILES.iter().chain(STUBS) {
        let path = folder.join(path);
        // What an earlier attempt compiled from the same text need not be compiled again.
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
    fn what_the_binary_carries_is_a_workspace_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        unpack(folder.path()).unwrap();
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
    fn a_checkout_is_taken_only_as_long_as_it_is_what_was_built() {
        let (checkout, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let chosen = || choose(checkout.path(), folder.path()).unwrap();
        assert_eq!(chosen(), Sources { folder: folder.path().to_owned(), unpacked: true }, "there is none");
        unpack(checkout.path()).unwrap();
        assert_eq!(chosen(), Sources { folder: checkout.path().to_owned(), unpacked: false });
        std::fs::write(checkout.path().join("crates/trace/src/lib.rs"), "// pulled").unwrap();
        assert_eq!(chosen(), Sources { folder: folder.path().to_owned(), unpacked: true }, "it has changed");
        assert!(is_what_was_built(folder.path()));
    }

    #[test]
    fn it_carries_what_is_compiled_and_no_more() {
        let names: Vec<&str> = carried::FILES.iter().map(|(path, _)| *path).collect();
        for name in
            ["Cargo.lock", "./Cargo.toml", "crates/cells/src/bin/tracebook-worker.rs", "crates/trace/src/lib.rs"]
        {
            assert!(names.contains(&name), "{name} of {names:?}");
        }
        assert!(!names.iter().any(|name| name.contains("tests")));
        let size: usize = carried::FILES.iter().map(|(_, text)| text.len()).sum();
        assert!(size < 2_000_000, "{size} bytes");
    }
}
