//! The kernelspec: how Jupyter finds and starts the kernel.

use super::InstallError;
use crate::engine::{CELLS_VARIABLE, CellsKit};
use std::path::{Path, PathBuf};

const TEMPLATE: &str = include_str!("../../kernelspec/kernel.json");
const LOGOS: [(&str, &[u8]); 3] = [
    ("logo-svg.svg", include_bytes!("../../kernelspec/logo-svg.svg")),
    ("logo-32x32.png", include_bytes!("../../kernelspec/logo-32x32.png")),
    ("logo-64x64.png", include_bytes!("../../kernelspec/logo-64x64.png")),
];

/// Where the kernelspec stands.
pub(super) fn folder(share: &Path) -> PathBuf {
    share.join("kernels").join("tracebook")
}

/// Writes the kernelspec; its `argv` is absolute, since Jupyter need not have this binary on its path.
pub(super) fn install(share: &Path, kit: &CellsKit) -> Result<PathBuf, InstallError> {
    let folder = folder(share);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Write { path, source }
    };
    std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let exe = std::env::current_exe().and_then(std::fs::canonicalize).map_err(failed(Path::new("tracebook")))?;
    let mut spec: serde_json::Value =
        serde_json::from_str(TEMPLATE).map_err(std::io::Error::from).map_err(failed(&folder))?;
    spec["argv"][0] = exe.to_string_lossy().into_owned().into();
    spec["env"][CELLS_VARIABLE] = kit.folder().to_string_lossy().into_owned().into();
    let text = serde_json::to_vec_pretty(&spec).map_err(std::io::Error::from).map_err(failed(&folder))?;
    let files = LOGOS.into_iter().chain([("kernel.json", text.as_slice())]);
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::write(&path, content).map_err(failed(&path))?;
    }
    Ok(folder)
}
