//! The file of baselines.

use super::stored::Baseline;
use crate::error::VersionedFileReason;
use crate::write::VersionedFile;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file of baselines, unless another one is named: relative to the folder of the repository.
pub const BASELINES_FILE: &str = ".tracebook/baselines.json";

const FILE: VersionedFile = VersionedFile { what: "baselines", version: 1, most_bytes: 256 << 20 };

/// Baselines by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baselines {
    all: Vec<Baseline>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u64,
    baselines: Vec<Baseline>,
}

impl Baselines {
    /// Reads the file; no baselines if there is none.
    ///
    /// # Errors
    /// [`Error::VersionedFile`] if it cannot be read, is damaged, or is of a newer version.
    pub fn read(path: &Path) -> Result<Baselines> {
        let all = FILE.read::<Document>(path)?.map_or_else(Vec::new, |document| document.baselines);
        let damaged = |reason| Error::VersionedFile {
            what: FILE.what,
            path: path.to_owned(),
            reason: VersionedFileReason::Damaged(reason),
        };
        all.iter().try_for_each(Baseline::check).map_err(damaged)?;
        Ok(Baselines { all })
    }

    /// Writes the file whole or not at all, and creates its folder.
    ///
    /// # Errors
    /// [`Error::VersionedFile`] if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        FILE.write(path, &Document { version: FILE.version, baselines: self.all.clone() })
    }

    /// All baselines, in the order in which they were made.
    pub fn all(&self) -> &[Baseline] {
        &self.all
    }

    /// Returns a baseline.
    pub fn get(&self, name: &str) -> Option<&Baseline> {
        self.all.iter().find(|baseline| baseline.name == name)
    }

    /// Keeps a baseline, instead of one of the same name.
    pub fn insert(&mut self, baseline: Baseline) {
        match self.all.iter_mut().find(|known| known.name == baseline.name) {
            Some(known) => *known = baseline,
            None => self.all.push(baseline),
        }
    }

    /// Removes a baseline, and returns whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.all.len();
        self.all.retain(|baseline| baseline.name != name);
        self.all.len() < before
    }
}
