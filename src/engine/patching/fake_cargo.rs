//! The script that rust-analyzer calls in place of cargo.
//!
//! evcxr's rust-analyzer starts about ten processes of cargo and rustc when it loads a manifest, and then reads the sources that they
//! name. It need not: the types of variables come from the compiler. So `CARGO` names this script, which reports one crate
//! without dependencies and fails at every other command, and `RUSTC` names no file. rust-analyzer goes on without answers.

use super::cell_crate::CELL_CRATE;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes the script into `folder`; it reports the crate in the folder `cell`.
///
/// # Errors
/// If it cannot be written.
pub(in crate::engine) fn write(folder: &Path, cell: &Path) -> std::io::Result<PathBuf> {
    let script = folder.join("cargo");
    std::fs::write(folder.join("metadata.json"), format!("{}\n", metadata(&cell.to_string_lossy())))?;
    // `$0` is the absolute path by which rust-analyzer calls the script.
    std::fs::write(&script, "#!/bin/sh\n[ \"$1\" = metadata ] && exec cat \"${0%/*}/metadata.json\"\nexit 1\n")?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700))?;
    Ok(script)
}

/// Returns the output of `cargo metadata` for the crate in `folder`, without dependencies.
fn metadata(folder: &str) -> Value {
    let id = format!("path+file://{folder}#{CELL_CRATE}@1.0.0");
    let target = json!({
        "kind": ["cdylib"], "crate_types": ["cdylib"], "name": CELL_CRATE, "src_path": format!("{folder}/src/lib.rs"),
        "edition": "2024", "doc": true, "doctest": false, "test": true,
    });
    let package = json!({
        "name": CELL_CRATE, "version": "1.0.0", "id": id, "license": null, "license_file": null, "description": null,
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
    fn script_reports_one_crate_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let script = write(folder.path(), Path::new("/tmp/x y")).unwrap();
        let run = |arguments: &[&str]| Command::new(&script).args(arguments).output().unwrap();
        let output = run(&["metadata", "--format-version", "1", "--manifest-path", "/tmp/x y/Cargo.toml"]);
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(metadata["packages"][0]["targets"][0]["src_path"], "/tmp/x y/src/lib.rs");
        assert_eq!(metadata["workspace_members"][0], metadata["packages"][0]["id"]);
        for arguments in [&["--version"][..], &["locate-project", "--workspace"], &[]] {
            assert!(!run(arguments).status.success());
        }
    }
}
