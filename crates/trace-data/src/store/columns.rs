//! Types of stored columns: those of fixed width, and categories, which are stored as codes.

use crate::frame::Categories;
use polars::prelude::{CompatLevel, DataType};
use polars_arrow::datatypes::ArrowDataType;
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

    /// Whether a column of the record batch may have this type.
    pub(super) fn is_stored_as(self, dtype: &DataType) -> bool {
        match self {
            Self::Category => matches!(dtype, DataType::UInt8 | DataType::UInt16 | DataType::UInt32),
            other => *dtype == other.in_file(),
        }
    }

    /// Whether values of a packed column may have so many bytes.
    pub(super) fn is_packed_as(self, width: usize) -> bool {
        match self {
            Self::Category => matches!(width, 1 | 2 | 4),
            Self::Bool => false,
            Self::I8 | Self::U8 => width == 1,
            Self::I16 | Self::U16 => width == 2,
            Self::I32 | Self::U32 | Self::F32 => width == 4,
            Self::I64 | Self::U64 | Self::F64 => width == 8,
        }
    }

    /// Returns the type that the column has in the file, except for symbols of fewer than 32 bits.
    pub(super) fn in_arrow(self) -> ArrowDataType {
        self.in_file().to_arrow(CompatLevel::newest())
    }

    /// Returns the type that the column has in the file, except for symbols of fewer than 32 bits.
    fn in_file(self) -> DataType {
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
