//! Manifest of a table's file: what it holds besides its columns.

use super::stored_column::StoredColumn;
use super::table_kind::TableKind;
use crate::{Compat, RankInfo, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// What a file holds besides its columns.
#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) table: TableKind,
    pub(super) rows: usize,
    pub(super) compat: Compat,
    pub(super) info: RankInfo,
    pub(super) warnings: Vec<Warning>,
    pub(super) columns: Vec<StoredColumn>,
    /// The symbol table.
    pub(super) texts: Vec<String>,
    /// Of an entry of the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) entry: Option<Entry>,
}

/// What an entry of the cache says of itself.
#[derive(Serialize, Deserialize)]
pub(super) struct Entry {
    /// The file and the options from which it was made.
    pub(super) key: String,
    /// The time of change that the file was given, in seconds since 1970: one with another time was written to since.
    written: u64,
}

impl Entry {
    /// Creates the note of an entry that is made now.
    pub(super) fn now(key: String) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        // Whole seconds, which every file system can store.
        Self { key, written: now.as_secs() }
    }

    /// Returns the time of change that the file is given.
    pub(super) fn written(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.written)
    }

    /// Whether the file has not been written to since.
    pub(super) fn is_untouched(&self, found: &Metadata) -> bool {
        found.modified().is_ok_and(|modified| modified == self.written())
    }
}

impl Manifest {
    /// Replaces the name of the file from which the rank was loaded, also in warnings.
    pub(super) fn rename(&mut self, file: &str) {
        let old = std::mem::replace(&mut self.info.file, file.to_owned());
        if old == file {
            return;
        }
        for warning in &mut self.warnings {
            let renamed = serde_json::to_value(&*warning).map(|mut value| {
                rename(&mut value, &old, file);
                value
            });
            if let Ok(renamed) = renamed.and_then(serde_json::from_value) {
                *warning = renamed;
            }
        }
    }
}

/// Replaces every text that equals `old`.
fn rename(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::String(text) if text == old => new.clone_into(text),
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, old, new)),
        Value::Object(members) => members.values_mut().for_each(|value| rename(value, old, new)),
        _ => {}
    }
}
