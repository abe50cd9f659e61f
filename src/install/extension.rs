//! The JupyterLab extension: ours from `labextension/`, plotly.js from the `plotly` crate.

use super::InstallError;
use std::path::{Path, PathBuf};

/// Our files, as they stand in `labextension/`.
const FILES: &[(&str, &str)] = &[
    ("package.json", include_str!("../../labextension/package.json")),
    ("install.json", include_str!("../../labextension/install.json")),
    ("static/remoteEntry.js", include_str!("../../labextension/static/remoteEntry.js")),
    ("static/figure.js", include_str!("../../labextension/static/figure.js")),
    ("static/table.js", include_str!("../../labextension/static/table.js")),
    ("static/theme.js", include_str!("../../labextension/static/theme.js")),
];

/// Where the extension stands.
pub(super) fn folder(share: &Path) -> PathBuf {
    share.join("labextensions").join("tracebook-labextension")
}

/// Writes the extension.
pub(super) fn install(share: &Path) -> Result<PathBuf, InstallError> {
    let folder = folder(share);
    let plotly = trace_view::offline_plotly_js();
    let files = FILES.iter().copied().chain([("static/plotly.min.js", plotly.as_ref())]);
    for (name, content) in files {
        let path = folder.join(name);
        let written = match path.parent() {
            Some(parent) => std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, content)),
            None => Ok(()),
        };
        written.map_err(|source| InstallError::Write { path, source })?;
    }
    Ok(folder)
}
