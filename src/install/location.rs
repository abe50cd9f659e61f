//! The folders in which Jupyter looks for kernels and extensions.

use super::InstallError;
use std::path::PathBuf;
use std::process::Command;

/// The folder to install under.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Location {
    /// The user's own Jupyter folder.
    #[default]
    User,
    /// `PREFIX/share/jupyter`.
    Prefix(PathBuf),
    /// The active Python environment.
    SysPrefix,
}

impl Location {
    /// Returns the folder that contains `kernels` and `labextensions`.
    ///
    /// # Errors
    /// If there is no home directory, or no Python that names its prefix.
    pub fn share(&self) -> Result<PathBuf, InstallError> {
        let below = |prefix: PathBuf| prefix.join("share").join("jupyter");
        match self {
            Location::User => match std::env::var_os("JUPYTER_DATA_DIR").filter(|folder| !folder.is_empty()) {
                Some(folder) => Ok(PathBuf::from(folder)),
                None => dirs::data_dir().map(|folder| folder.join("jupyter")).ok_or(InstallError::NoDataFolder),
            },
            Location::Prefix(prefix) => std::path::absolute(prefix)
                .map(below)
                .map_err(|source| InstallError::Write { path: prefix.clone(), source }),
            Location::SysPrefix => sys_prefix().map(below).ok_or(InstallError::NoPython),
        }
    }
}

/// Returns the active virtual or conda environment, else the prefix of python3.
fn sys_prefix() -> Option<PathBuf> {
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        if let Some(folder) = std::env::var_os(variable).filter(|folder| !folder.is_empty()) {
            return Some(PathBuf::from(folder));
        }
    }
    let answer = Command::new("python3").args(["-c", "import sys; print(sys.prefix)"]).output().ok()?;
    let folder = String::from_utf8(answer.stdout).ok()?;
    (answer.status.success() && !folder.trim().is_empty()).then(|| PathBuf::from(folder.trim()))
}
