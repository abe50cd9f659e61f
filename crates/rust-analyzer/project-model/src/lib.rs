//! The part of `ra_ap_project_model` that evcxr uses: a project without folders and crates, for which cargo is not asked.

use ra_ap_paths::{AbsPath, AbsPathBuf};
use ra_ap_vfs::FileId;
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// The manifest of a project; its contents are not read.
#[derive(Debug)]
pub struct ProjectManifest;

impl ProjectManifest {
    /// Returns the manifest of a project.
    ///
    /// # Errors
    /// Never.
    pub fn from_manifest_file(_: AbsPathBuf) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

/// Where the sources of the standard library are.
#[derive(Debug)]
pub enum RustLibSource {
    /// Wherever the compiler has them.
    Discover,
}

/// Settings of a project.
#[derive(Debug, Default)]
pub struct CargoConfig {
    /// Where the sources of the standard library are.
    pub sysroot: Option<RustLibSource>,
    /// Features that are turned on.
    pub features: Vec<String>,
}

/// A project.
#[derive(Debug)]
pub struct ProjectWorkspace;

impl ProjectWorkspace {
    /// Returns a project.
    ///
    /// # Errors
    /// Never.
    pub fn load(_: ProjectManifest, _: &CargoConfig, _: &dyn Fn(String)) -> Result<Self, Infallible> {
        Ok(Self)
    }

    /// Returns the folders of the project: none.
    #[must_use]
    pub fn to_roots(&self) -> Vec<PackageRoot> {
        Vec::new()
    }

    /// Returns the crates of the project, none, and an empty list for macros.
    pub fn to_crate_graph(
        &self,
        _: &mut dyn FnMut(&AbsPath) -> Option<FileId>,
        _: &FxHashMap<String, String>,
    ) -> (CrateGraph, ()) {
        (CrateGraph, ())
    }
}

/// A folder of a project.
#[derive(Debug)]
pub struct PackageRoot {
    /// Folders with sources.
    pub include: Vec<AbsPathBuf>,
    /// Folders below these that are left out.
    pub exclude: Vec<AbsPathBuf>,
}

/// The crates of a project.
#[derive(Debug)]
pub struct CrateGraph;
