//! The files of the JupyterLab extension: `labextension/`, and plotly.js from the `plotly` crate.

use super::InstallError;
use kernel_base::scripts::SCRIPTS;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What JupyterLab loads first, as `package.json` names it.
const ENTRY: &str = "static/remoteEntry.js";
const PACKAGE: &str = include_str!("../../labextension/package.json");
const INSTALL: &str = include_str!("../../labextension/install.json");
/// The same for an extension that pip installs and removes.
const PACKAGED: &str = include_str!("../../labextension/install-package.json");

/// Returns the folder of the extension.
pub(super) fn folder(share: &Path) -> PathBuf {
    share.join("labextensions").join("tracebook-labextension")
}

/// Writes the extension, in place of an older one; returns its folder.
///
/// JupyterLab lets browsers cache scripts for a year, so their folder is named after a hash of them.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn install(share: &Path, packaged: bool) -> Result<PathBuf, InstallError> {
    let folder = folder(share);
    let plotly = trace_render::offline_plotly_js();
    let scripts = scripts(&plotly);
    let version = digest(&scripts);
    match std::fs::remove_dir_all(&folder) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            return Err(InstallError::Write { path: folder, source });
        }
        _ => {}
    }
    for (name, content) in &scripts {
        write(&folder.join("static").join(&version).join(name), content)?;
    }
    write(&folder.join("install.json"), if packaged { PACKAGED } else { INSTALL })?;
    // Last, since this file makes JupyterLab load the extension.
    write(&folder.join("package.json"), &PACKAGE.replace(ENTRY, &versioned_entry(&version)))?;
    Ok(folder)
}

/// Returns the entry point of this program's extension, relative to its folder.
pub(super) fn entry() -> String {
    versioned_entry(&digest(&scripts(&trace_render::offline_plotly_js())))
}

fn versioned_entry(version: &str) -> String {
    format!("static/{version}/remoteEntry.js")
}

fn scripts(plotly: &str) -> Vec<(&'static str, &str)> {
    SCRIPTS.iter().copied().chain([("plotly.min.js", plotly)]).collect()
}

/// Returns twelve hexadecimal digits that depend on all scripts.
fn digest(scripts: &[(&str, &str)]) -> String {
    let mut hash = Sha256::new();
    for (name, content) in scripts {
        hash.update(name);
        hash.update(content);
    }
    hex::encode(&hash.finalize()[..6])
}

fn write(path: &Path, content: &str) -> Result<(), InstallError> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(path, content))
        .map_err(|source| InstallError::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn package_names_an_existing_script() {
        let share = tempfile::tempdir().unwrap();
        let old = folder(share.path()).join("static/old");
        std::fs::create_dir_all(&old).unwrap();
        let folder = install(share.path(), false).unwrap();
        let package: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("package.json")).unwrap()).unwrap();
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
        let entry = folder.join(package["jupyterlab"]["_build"]["load"].as_str().unwrap());
        assert_ne!(entry, folder.join(ENTRY));
        assert!(entry.is_file() && entry.with_file_name("plotly.min.js").is_file() && !old.exists());
    }
}
