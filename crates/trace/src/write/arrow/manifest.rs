//! Header and manifest of a saved file: what the metadata of its schema holds.

use crate::error::SavedFileReason;
use crate::{Compat, RankInfo, TraceSet, Warning};
use polars::prelude::PlSmallStr;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Metadata of a schema.
pub(super) type Metadata = BTreeMap<PlSmallStr, PlSmallStr>;

/// The key of the [`Header`].
pub(super) const HEADER: &str = "tracebook";
/// The key of the [`Manifest`].
pub(super) const MANIFEST: &str = "tracebook.trace";
/// The version of the layout; changes whenever the layout does. Version 1 had no header.
pub(super) const FORMAT: u32 = 2;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Trace,
    Frame,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Self::Trace => "a trace",
            Self::Frame => "a frame",
        }
    }
}

/// The first thing that is verified.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    kind: Kind,
    /// CRC-32 of the manifest's text; of the empty text for a frame.
    manifest_crc32: u32,
}

/// What the file of a trace holds besides events.
#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) label: String,
    pub(super) compat: Compat,
    pub(super) warnings: Vec<Warning>,
    pub(super) ranks: Vec<RankInfo>,
    /// The columns that each rank has; a batch has those of all.
    pub(super) columns: Vec<Vec<String>>,
    /// The columns of codes.
    pub(super) categorical: BTreeSet<String>,
    /// The texts by code, for all codes up to the highest that occurs.
    pub(super) texts: Vec<String>,
}

impl Manifest {
    /// Creates the manifest of a trace, without columns and texts.
    pub(super) fn of(trace: &TraceSet) -> Self {
        Self {
            label: trace.label().to_owned(),
            compat: trace.compat(),
            warnings: trace.warnings().to_vec(),
            ranks: trace.info().into_iter().cloned().collect(),
            columns: Vec::new(),
            categorical: BTreeSet::new(),
            texts: Vec::new(),
        }
    }
}

/// Returns the metadata of a file: its header, and `manifest` if it is one of a trace.
pub(super) fn metadata(manifest: Option<&Manifest>) -> serde_json::Result<Metadata> {
    let text = manifest.map(serde_json::to_string).transpose()?;
    let kind = if manifest.is_some() { Kind::Trace } else { Kind::Frame };
    let header = Header { format: FORMAT, kind, manifest_crc32: crc32(text.as_deref().unwrap_or_default()) };
    let header = (PlSmallStr::from_static(HEADER), PlSmallStr::from_string(serde_json::to_string(&header)?));
    let manifest = text.map(|text| (PlSmallStr::from_static(MANIFEST), PlSmallStr::from_string(text)));
    Ok(std::iter::once(header).chain(manifest).collect())
}

/// Verifies the header of a file of `expected` kind; returns the text of its manifest, empty for a frame.
pub(super) fn verified(metadata: &Metadata, expected: Kind) -> Result<&str, SavedFileReason> {
    let text = |key: &str| metadata.get(key).map(PlSmallStr::as_str);
    let manifest = text(MANIFEST).unwrap_or_default();
    let Some(header) = text(HEADER) else {
        return Err(if manifest.is_empty() {
            SavedFileReason::Foreign
        } else {
            SavedFileReason::Version { found: 1, expected: FORMAT }
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
    if manifest_crc32 != crc32(manifest) {
        return Err(SavedFileReason::Checksum);
    }
    Ok(manifest)
}

fn crc32(text: &str) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    crc.sum()
}
