//! Header of a file: what is verified before anything else is believed.

use crate::error::SavedFileReason;
use polars::prelude::PlSmallStr;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Metadata of a schema.
pub(crate) type Metadata = BTreeMap<PlSmallStr, PlSmallStr>;

/// The key of the [`Header`].
pub(crate) const HEADER: &str = "tracebook";
/// The key of the manifest.
pub(crate) const MANIFEST: &str = "tracebook.manifest";
/// The key of the manifest up to version 2.
const OLD_MANIFEST: &str = "tracebook.trace";
/// The version of the layout; changes whenever the layout does.
pub(crate) const FORMAT: u32 = 5;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A table of a rank.
    Table,
    /// A frame.
    Frame,
    /// All ranks of a trace, up to version 2.
    Trace,
}

impl FileKind {
    fn text(self) -> &'static str {
        match self {
            Self::Table => "a table of a rank",
            Self::Frame => "a frame",
            Self::Trace => "a trace",
        }
    }
}

/// The first thing that is verified.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    kind: FileKind,
    /// CRC-32 of the manifest's text; of the empty text for a frame.
    manifest_crc32: u32,
}

/// Returns the metadata of a file: its header, and its manifest if it has one.
pub fn metadata(kind: FileKind, manifest: Option<String>) -> serde_json::Result<Metadata> {
    let header =
        Header { format: FORMAT, kind, manifest_crc32: crc32(manifest.as_deref().unwrap_or_default().as_bytes()) };
    let header = (PlSmallStr::from_static(HEADER), PlSmallStr::from_string(serde_json::to_string(&header)?));
    let manifest = manifest.map(|text| (PlSmallStr::from_static(MANIFEST), PlSmallStr::from_string(text)));
    Ok(std::iter::once(header).chain(manifest).collect())
}

/// Verifies the header of a file of `expected` kind; returns the text of its manifest, empty for a frame.
pub fn verified(metadata: &Metadata, expected: FileKind) -> Result<&str, SavedFileReason> {
    let text = |key: &str| metadata.get(key).map(PlSmallStr::as_str);
    let Some(header) = text(HEADER) else {
        // Version 1 had no header.
        return Err(match text(OLD_MANIFEST) {
            Some(_) => SavedFileReason::Version { found: 1, expected: FORMAT },
            None => SavedFileReason::Foreign,
        });
    };
    // The version first: other versions may have other fields.
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let invalid = |error: serde_json::Error| SavedFileReason::Manifest(error.to_string());
    let Version { format } = serde_json::from_str(header).map_err(invalid)?;
    if format != FORMAT {
        return Err(SavedFileReason::Version { found: format, expected: FORMAT });
    }
    let Header { kind, manifest_crc32, .. } = serde_json::from_str(header).map_err(invalid)?;
    if kind != expected {
        return Err(SavedFileReason::Kind { found: kind.text(), expected: expected.text() });
    }
    let manifest = text(MANIFEST).unwrap_or_default();
    if manifest_crc32 != crc32(manifest.as_bytes()) {
        return Err(SavedFileReason::Checksum);
    }
    Ok(manifest)
}

/// Returns the CRC-32 of bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}
