//! Accepted changes: a file of the repository says which region may take longer, up to which time, why, and who accepted it.

use super::limit::{LIMITED_CLASSES, fits};
use crate::write::VersionedFile;
use crate::{RegionRow, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The file of accepted changes, unless another one is named: relative to the folder of the repository.
pub const ACCEPTED_FILE: &str = ".tracebook/accepted.json";

const FILE: VersionedFile = VersionedFile { what: "accepted changes", version: 1, most_bytes: 16 << 20 };

/// An accepted change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Accepted {
    /// A call, a kernel, or a path as `a > b > kernel`, where `*` stands for any text; or a class, as `class:idle`.
    pub region: String,
    /// Why it was accepted.
    pub reason: String,
    /// The person or account that accepted it.
    pub by: String,
    /// The day, in UTC: `2026-11-22`.
    pub date: String,
    /// Time of the regions of this name a step, in µs, up to which the change is accepted.
    pub up_to_us: f64,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u64,
    accepted: Vec<Accepted>,
}

impl Accepted {
    /// Accepts a change as of today.
    pub fn now(region: &str, reason: &str, by: &str, up_to_us: f64) -> Self {
        Self { region: region.to_owned(), reason: reason.to_owned(), by: by.to_owned(), date: today(), up_to_us }
    }

    /// Reads a file of accepted changes; nothing if there is none.
    ///
    /// # Errors
    /// [`Error::VersionedFile`](crate::Error::VersionedFile) if it cannot be read, is damaged, or is of a newer version.
    pub fn read_all(path: &Path) -> Result<Vec<Accepted>> {
        Ok(FILE.read::<Document>(path)?.map_or_else(Vec::new, |document| document.accepted))
    }

    /// Adds the change to a file of accepted changes, instead of an older one of the same region. Writes the file whole or not at all,
    /// and creates its folder.
    ///
    /// # Errors
    /// If the file cannot be read or written; a damaged or newer one is left as it is.
    pub fn keep(&self, path: &Path) -> Result<()> {
        let mut accepted = Self::read_all(path)?;
        accepted.retain(|other| other.region != self.region);
        accepted.push(self.clone());
        FILE.write(path, &Document { version: FILE.version, accepted })
    }

    /// Returns whether a region has this name.
    #[doc(hidden)]
    pub fn is_of(&self, row: &RegionRow) -> bool {
        names(&self.region, row)
    }

    /// Returns the class that is accepted as a whole, if it is one.
    #[doc(hidden)]
    pub fn class(&self) -> Option<&'static str> {
        class_of(&self.region)
    }
}

/// Returns whether a pattern names a region: its kernel, a call above it, or its path.
pub fn names(pattern: &str, row: &RegionRow) -> bool {
    let calls = row.path.iter().chain([&row.kernel]);
    let is_one = calls.clone().any(|call| fits(pattern, call)) || fits(pattern, &row.name);
    is_one || (pattern.contains(" > ") && fits(pattern, &calls.cloned().collect::<Vec<_>>().join(" > ")))
}

/// Returns the class of a name as `class:idle`.
pub(super) fn class_of(name: &str) -> Option<&'static str> {
    let class = name.strip_prefix("class:")?.trim().replace([' ', '-'], "_");
    LIMITED_CLASSES.into_iter().find(|known| *known == class)
}

/// The day in UTC.
pub fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    trace_view::format::date((now.as_secs() / 86_400).cast_signed())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn accepted_changes_are_kept_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".tracebook/accepted.json");
        assert!(Accepted::read_all(&path).unwrap().is_empty());
        Accepted::now("aten::mm", "float64 \"needed\"", "Ada", 12.5).keep(&path).unwrap();
        Accepted::now("aten::to", "new", "Ada", 1.0).keep(&path).unwrap();
        Accepted::now("aten::mm", "again", "Bob", 14.0).keep(&path).unwrap();
        let read = Accepted::read_all(&path).unwrap();
        let short: Vec<_> = read.iter().map(|one| (one.region.as_str(), one.by.as_str(), one.up_to_us)).collect();
        assert_eq!(short, [("aten::to", "Ada", 1.0), ("aten::mm", "Bob", 14.0)]);
        assert_eq!(std::fs::read_dir(folder.path().join(".tracebook")).unwrap().count(), 1);
    }

    #[test]
    fn damaged_and_newer_files_are_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("accepted.json");
        for (text, reason) in [
            ("{", "damaged"),
            ("[]", "damaged"),
            ("{\"version\": 1}", "damaged"),
            ("{\"version\": 2, \"accepted\": []}", "version 2"),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = Accepted::now("a", "b", "c", 1.0).keep(&path).unwrap_err().to_string();
            assert!(message.contains(reason) && message.contains("accepted.json"), "{message}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
