//! The files of the JupyterLab extension: `labextension/`, and plotly.js from the `plotly` crate.

use super::InstallError;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What JupyterLab loads first, as `package.json` names it.
const ENTRY: &str = "static/remoteEntry.js";
const PACKAGE: &str = include_str!("../../labextension/package.json");
const INSTALL: &str = include_str!("../../labextension/install.json");
/// The same for an extension that pip installs and removes.
const PACKAGED: &str = include_str!("../../labextension/install-package.json");
/// The scripts in `labextension/static`.
pub(crate) const SCRIPTS: &[(&str, &str)] = &[
    ("remoteEntry.js", include_str!("../../labextension/static/remoteEntry.js")),
    ("figure.js", include_str!("../../labextension/static/figure.js")),
    ("fit.js", include_str!("../../labextension/static/fit.js")),
    ("picture.js", include_str!("../../labextension/static/picture.js")),
    ("table.js", include_str!("../../labextension/static/table.js")),
    ("view.js", include_str!("../../labextension/static/view.js")),
    ("heads.js", include_str!("../../labextension/static/heads.js")),
    ("body.js", include_str!("../../labextension/static/body.js")),
    ("status.js", include_str!("../../labextension/static/status.js")),
    ("columns.js", include_str!("../../labextension/static/columns.js")),
    ("rows.js", include_str!("../../labextension/static/rows.js")),
    ("state.js", include_str!("../../labextension/static/state.js")),
    ("paged-rows.js", include_str!("../../labextension/static/paged-rows.js")),
    ("tree.js", include_str!("../../labextension/static/tree.js")),
    ("tree-rows.js", include_str!("../../labextension/static/tree-rows.js")),
    ("tree-width.js", include_str!("../../labextension/static/tree-width.js")),
    ("treegrid.js", include_str!("../../labextension/static/treegrid.js")),
    ("toolbar.js", include_str!("../../labextension/static/toolbar.js")),
    ("copy.js", include_str!("../../labextension/static/copy.js")),
    ("names.js", include_str!("../../labextension/static/names.js")),
    ("width.js", include_str!("../../labextension/static/width.js")),
    ("events.js", include_str!("../../labextension/static/events.js")),
    ("insert.js", include_str!("../../labextension/static/insert.js")),
    ("keys.js", include_str!("../../labextension/static/keys.js")),
    ("element.js", include_str!("../../labextension/static/element.js")),
    ("style.js", include_str!("../../labextension/static/style.js")),
    ("theme.js", include_str!("../../labextension/static/theme.js")),
    ("plugins.js", include_str!("../../labextension/static/plugins.js")),
    ("comm.js", include_str!("../../labextension/static/comm.js")),
    ("notebooks.js", include_str!("../../labextension/static/notebooks.js")),
    ("hyphens.js", include_str!("../../labextension/static/hyphens.js")),
    ("early-runs.js", include_str!("../../labextension/static/early-runs.js")),
    ("durations.js", include_str!("../../labextension/static/durations.js")),
    ("highlight.js", include_str!("../../labextension/static/highlight.js")),
    ("magic.js", include_str!("../../labextension/static/magic.js")),
    ("flame-read.js", include_str!("../../labextension/static/flame-read.js")),
    ("flame.js", include_str!("../../labextension/static/flame.js")),
    ("timeline-colour.js", include_str!("../../labextension/static/timeline-colour.js")),
    ("timeline-cursor.js", include_str!("../../labextension/static/timeline-cursor.js")),
    ("timeline-frame.js", include_str!("../../labextension/static/timeline-frame.js")),
    ("timeline-gl.js", include_str!("../../labextension/static/timeline-gl.js")),
    ("timeline-keys.js", include_str!("../../labextension/static/timeline-keys.js")),
    ("timeline-lane-list.js", include_str!("../../labextension/static/timeline-lane-list.js")),
    ("timeline-lanes.js", include_str!("../../labextension/static/timeline-lanes.js")),
    ("timeline-layout.js", include_str!("../../labextension/static/timeline-layout.js")),
    ("timeline-overlay.js", include_str!("../../labextension/static/timeline-overlay.js")),
    ("timeline-panel.js", include_str!("../../labextension/static/timeline-panel.js")),
    ("timeline-pointer.js", include_str!("../../labextension/static/timeline-pointer.js")),
    ("timeline-raster.js", include_str!("../../labextension/static/timeline-raster.js")),
    ("timeline-renderer.js", include_str!("../../labextension/static/timeline-renderer.js")),
    ("timeline-ruler.js", include_str!("../../labextension/static/timeline-ruler.js")),
    ("timeline-scale.js", include_str!("../../labextension/static/timeline-scale.js")),
    ("timeline-slices.js", include_str!("../../labextension/static/timeline-slices.js")),
    ("timeline-source.js", include_str!("../../labextension/static/timeline-source.js")),
    ("timeline-style.js", include_str!("../../labextension/static/timeline-style.js")),
    ("timeline-text.js", include_str!("../../labextension/static/timeline-text.js")),
    ("timeline-tiles.js", include_str!("../../labextension/static/timeline-tiles.js")),
    ("timeline-tip.js", include_str!("../../labextension/static/timeline-tip.js")),
    ("timeline-view.js", include_str!("../../labextension/static/timeline-view.js")),
    ("timeline-wire.js", include_str!("../../labextension/static/timeline-wire.js")),
    ("timeline.js", include_str!("../../labextension/static/timeline.js")),
];

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
    fn every_script_is_embedded_and_they_stay_small() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("labextension/static");
        let mut in_folder: Vec<String> =
            folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let mut embedded: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
        in_folder.sort();
        embedded.sort_unstable();
        assert_eq!(in_folder, embedded);
        let bytes: usize = SCRIPTS.iter().map(|(_, content)| content.len()).sum();
        assert!(bytes < 400_000, "{bytes}");
    }

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
