//! The types of columns of events as data, for other processes.

use super::Categories;
use polars::prelude::DataType;
use serde::{Deserialize, Serialize};

/// The type of a column of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnType {
    /// 32-bit integers.
    Int32,
    /// 64-bit integers.
    Int64,
    /// 64-bit floats.
    Float64,
    /// Yes or no.
    Boolean,
    /// Texts.
    Text,
    /// Texts of a dictionary.
    Category,
}

impl ColumnType {
    /// Returns the type; `None` for one that no column of events has.
    pub fn of(dtype: &DataType) -> Option<Self> {
        Some(match dtype {
            DataType::Int32 => Self::Int32,
            DataType::Int64 => Self::Int64,
            DataType::Float64 => Self::Float64,
            DataType::Boolean => Self::Boolean,
            DataType::String => Self::Text,
            dtype if dtype.is_categorical() => Self::Category,
            _ => return None,
        })
    }

    /// Returns the type of polars.
    pub fn dtype(self) -> DataType {
        match self {
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::Float64 => DataType::Float64,
            Self::Boolean => DataType::Boolean,
            Self::Text => DataType::String,
            Self::Category => Categories::shared().dtype().clone(),
        }
    }
}
