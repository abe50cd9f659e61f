//! Types of stored columns: those of fixed width, and categories, which are stored as codes.

use crate::frame::Categories;
use polars::prelude::DataType;
use serde::{Deserialize, Serialize};

/// Type of a stored column, as the manifest names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ColumnType {
    /// The number of a text in the file's symbol table.
    Category,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

/// Name and type of a stored column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredColumn {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: ColumnType,
    /// CRC-32 of the values, and of the bitmap of those that are there.
    pub(super) crc32: u32,
}

impl ColumnType {
    /// Returns the stored type of a column; `None` if such columns are not stored.
    pub(super) fn of(dtype: &DataType) -> Option<Self> {
        Some(match dtype {
            DataType::Categorical(..) => Self::Category,
            DataType::Boolean => Self::Bool,
            DataType::Int8 => Self::I8,
            DataType::Int16 => Self::I16,
            DataType::Int32 => Self::I32,
            DataType::Int64 => Self::I64,
            DataType::UInt8 => Self::U8,
            DataType::UInt16 => Self::U16,
            DataType::UInt32 => Self::U32,
            DataType::UInt64 => Self::U64,
            DataType::Float32 => Self::F32,
            DataType::Float64 => Self::F64,
            _ => return None,
        })
    }

    /// Returns the type that the column has in a frame.
    pub(super) fn in_frame(self, categories: &Categories) -> DataType {
        if self == Self::Category { categories.dtype().clone() } else { self.in_file() }
    }

    /// Returns the type that the column has in the file.
    pub(super) fn in_file(self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::I8 => DataType::Int8,
            Self::I16 => DataType::Int16,
            Self::I32 => DataType::Int32,
            Self::I64 => DataType::Int64,
            Self::U8 => DataType::UInt8,
            Self::U16 => DataType::UInt16,
            Self::Category | Self::U32 => DataType::UInt32,
            Self::U64 => DataType::UInt64,
            Self::F32 => DataType::Float32,
            Self::F64 => DataType::Float64,
        }
    }
}
