//! The kernelspec, by which Jupyter finds and starts the kernel.

use super::InstallError;
use crate::engine::{CELLS_VARIABLE, CellsToolchain};
use std::path::{Path, PathBuf};

const TEMPLATE: &str = include_str!("../../kernelspec/kernel.json");
const LOGOS: [(&str, &[u8]); 3] = [
    ("logo-svg.svg", include_bytes!("../../kernelspec/logo-svg.svg")),
    ("logo-32x32.png", include_bytes!("../../kernelspec/logo-32x32.png")),
    ("logo-64x64.png", include_bytes!("../../kernelspec/logo-64x64.png")),
];

/// Returns the folder of the kernelspec.
pub(super) fn folder(share: &Path) -> PathBuf {
    share.join("kernels").join("tracebook")
}

/// The text that Jupyter replaces by the folder of the kernelspec.
pub(super) const OWN_FOLDER: &str = "{resource_dir}";

/// The path of the program relative to the kernelspec, for packages.
const PROGRAM_BESIDE: &str = "{resource_dir}/../../../../bin/tracebook";

/// Writes the kernelspec; returns its folder. The path of the program is absolute, since this binary need not be on Jupyter's search
/// path.
///
/// For a package `toolchain` is `None`: then the kernelspec contains no path of this machine, the program is named relative to it,
/// and the cells toolchain is found in its default folder.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn install(share: &Path, toolchain: Option<&CellsToolchain>) -> Result<PathBuf, InstallError> {
    let folder = folder(share);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Write { path, source }
    };
    std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let mut spec: serde_json::Value =
        serde_json::from_str(TEMPLATE).map_err(std::io::Error::from).map_err(failed(&folder))?;
    if let Some(toolchain) = toolchain {
        let exe = std::env::current_exe().and_then(std::fs::canonicalize).map_err(failed(Path::new("tracebook")))?;
        spec["argv"][0] = exe.to_string_lossy().into_owned().into();
        spec["env"][CELLS_VARIABLE] = toolchain.folder().to_string_lossy().into_owned().into();
    } else {
        spec["argv"][0] = PROGRAM_BESIDE.into();
    }
    let text = serde_json::to_vec_pretty(&spec).map_err(std::io::Error::from).map_err(failed(&folder))?;
    let files = LOGOS.into_iter().chain([("kernel.json", text.as_slice())]);
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::write(&path, content).map_err(failed(&path))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn packaged_kernelspec_has_no_absolute_path() {
        let root = tempfile::tempdir().unwrap();
        let folder = install(&root.path().join("share/jupyter"), None).unwrap();
        let spec: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("kernel.json")).unwrap()).unwrap();
        assert_eq!(spec["env"], serde_json::json!({}));
        let program = spec["argv"][0].as_str().unwrap().replace(OWN_FOLDER, &folder.to_string_lossy());
        std::fs::create_dir(root.path().join("bin")).unwrap();
        std::fs::write(root.path().join("bin/tracebook"), "").unwrap();
        assert!(Path::new(&program).is_file(), "{program}");
    }
}
