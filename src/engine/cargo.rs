//! What rust-analyzer asks cargo, and what it is told.
//!
//! evcxr's rust-analyzer starts about ten processes of cargo and rustc when it loads a manifest, and then reads the
//! sources of whatever they name. The types of variables come from the compiler here (see `compiler`), so it needs none
//! of that: the environment names a script of ours as its `CARGO`, and no file as its `RUSTC`. It is told of one crate
//! without dependencies; every other question fails, and it goes on without an answer.

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes the script into `folder`; it answers for the crate that evcxr writes into `cell`.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(folder: &Path, cell: &Path) -> std::io::Result<PathBuf> {
    let script = folder.join("cargo");
    std::fs::write(folder.join("metadata.json"), format!("{}\n", metadata(&cell.to_string_lossy())))?;
    // `$0` is how rust-analyzer calls it: by its whole path.
    std::fs::write(&script, "#!/bin/sh\n[ \"$1\" = metadata ] && exec cat \"${0%/*}/metadata.json\"\nexit 1\n")?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700))?;
    Ok(script)
}

/// What `cargo metadata` says of the crate in `folder`, without its dependencies.
fn metadata(folder: &str) -> Value {
    let id = format!("path+file://{folder}#ctx@1.0.0");
    let target = json!({
        "kind": ["cdylib"], "crate_types": ["cdylib"], "name": "ctx", "src_path": format!("{folder}/src/lib.rs"),
        "edition": "2024", "doc": true, "doctest": false, "test": true,
    });
    let package = json!({
        "name": "ctx", "version": "1.0.0", "id": id, "license": null, "license_file": null, "description": null,
        "source": null, "dependencies": [], "targets": [target], "features": {},
        "manifest_path": format!("{folder}/Cargo.toml"), "metadata": null, "publish": null, "authors": [],
        "categories": [], "keywords": [], "readme": null, "repository": null, "homepage": null,
        "documentation": null, "edition": "2024", "links": null, "default_run": null, "rust_version": null,
    });
    json!({
        "packages": [package], "workspace_members": [id], "workspace_default_members": [id],
        "resolve": {"nodes": [{"id": id, "dependencies": [], "deps": [], "features": []}], "root": id},
        "target_directory": format!("{folder}/target"), "build_directory": format!("{folder}/target"),
        "version": 1, "workspace_root": folder, "metadata": null,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_script_tells_of_one_crate_and_of_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let script = write(folder.path(), Path::new("/tmp/x y")).unwrap();
        let ask = |question: &[&str]| Command::new(&script).args(question).output().unwrap();
        let told = ask(&["metadata", "--format-version", "1", "--manifest-path", "/tmp/x y/Cargo.toml"]);
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(told["packages"][0]["targets"][0]["src_path"], "/tmp/x y/src/lib.rs");
        assert_eq!(told["workspace_members"][0], told["packages"][0]["id"]);
        for question in [&["--version"][..], &["locate-project", "--workspace"], &[]] {
            assert!(!ask(question).status.success());
        }
    }
}
