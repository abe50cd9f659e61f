//! A stored column, as the manifest names it.

use super::columns::ColumnType;
use super::packed::Packed;
use serde::{Deserialize, Serialize};

/// Name and type of a stored column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredColumn {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: ColumnType,
    /// CRC-32 of the values, and of the bitmap of those that are there.
    pub(super) crc32: u32,
    /// Of a column of which few rows have a value: where these values are. It is not in the record batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) packed: Option<Packed>,
}
