//! Packed columns of a file: columns with few values, as a bitmap of the rows that have one, and these values.
//!
//! The values of a packed column are spread over its rows when it is read, into memory that the system has zeroed: pages without a
//! value are not written and take no memory.

use super::columns::ColumnType;
use super::contents::Extent;
use super::symbols::Symbols;
use crate::error::SavedFileReason;
use polars::prelude::{Column, IntoColumn, PlSmallStr, Series};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::bitmap::Bitmap;
use polars_arrow::types::NativeType;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where the values of such a column are in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Packed {
    /// Where the bitmap begins, in bytes.
    pub(super) bitmap: usize,
    /// Where the values begin, in bytes.
    pub(super) values: usize,
    /// The number of values.
    pub(super) count: usize,
    /// Bytes of a value.
    pub(super) width: usize,
}

impl Packed {
    /// Verifies that all parts are inside a file of so many bytes; returns where they are.
    ///
    /// # Errors
    /// [`SavedFileReason::Bounds`] if one is not, or if the values have another size than those of the type.
    pub(super) fn extent(self, kind: ColumnType, rows: usize, file: usize) -> Result<Extent, SavedFileReason> {
        let range = |start: usize, length: Option<usize>| -> Option<Range<usize>> {
            let end = start.checked_add(length?)?;
            (end <= file).then_some(start..end)
        };
        let found =
            range(self.bitmap, Some(rows.div_ceil(8))).zip(range(self.values, self.count.checked_mul(self.width)));
        let (validity, values) = found.ok_or(SavedFileReason::Bounds)?;
        if self.count > rows || !kind.is_packed_as(self.width) {
            return Err(SavedFileReason::Bounds);
        }
        Ok(Extent { values, validity: Some(validity), rows, is_bits: false })
    }
}

/// Reads the packed columns of a file.
pub(super) struct PackedColumns<'f> {
    pub(super) file: &'f [u8],
    pub(super) rows: usize,
}

impl PackedColumns<'_> {
    /// Returns a column; symbols as categories.
    ///
    /// # Errors
    /// [`SavedFileReason`] if the bitmap has another number of rows with a value than the file states, or a symbol has no text.
    pub(super) fn column(
        &self,
        name: &str,
        kind: ColumnType,
        packed: Packed,
        symbols: &Symbols,
    ) -> Result<Column, SavedFileReason> {
        let extent = packed.extent(kind, self.rows, self.file.len())?;
        let bytes = |range: Range<usize>| self.file.get(range).ok_or(SavedFileReason::Bounds);
        let bitmap = bytes(extent.validity.unwrap_or_default())?;
        let validity = Bitmap::try_new(bitmap.to_vec(), self.rows).map_err(|_| SavedFileReason::Bounds)?;
        if validity.set_bits() != packed.count {
            return Err(SavedFileReason::Bounds);
        }
        let values = Values { name, bytes: bytes(extent.values)?, validity };
        Ok(match kind {
            ColumnType::Category => symbols.of_packed(name, &values.symbols(packed.width), values.validity)?,
            ColumnType::Bool => return Err(SavedFileReason::Bounds),
            ColumnType::I8 => values.numbers(i8::from_le_bytes),
            ColumnType::I16 => values.numbers(i16::from_le_bytes),
            ColumnType::I32 => values.numbers(i32::from_le_bytes),
            ColumnType::I64 => values.numbers(i64::from_le_bytes),
            ColumnType::U8 => values.numbers(u8::from_le_bytes),
            ColumnType::U16 => values.numbers(u16::from_le_bytes),
            ColumnType::U32 => values.numbers(u32::from_le_bytes),
            ColumnType::U64 => values.numbers(u64::from_le_bytes),
            ColumnType::F32 => values.numbers(f32::from_le_bytes),
            ColumnType::F64 => values.numbers(f64::from_le_bytes),
        })
    }
}

/// The values of a packed column.
struct Values<'f> {
    name: &'f str,
    bytes: &'f [u8],
    validity: Bitmap,
}

impl Values<'_> {
    /// Returns a column of numbers.
    fn numbers<T: NativeType, const WIDTH: usize>(self, number: fn([u8; WIDTH]) -> T) -> Column {
        let mut whole = vec![T::default(); self.validity.len()];
        let (values, _) = self.bytes.as_chunks::<WIDTH>();
        for (row, value) in self.validity.true_idx_iter().zip(values) {
            if let Some(slot) = whole.get_mut(row) {
                *slot = number(*value);
            }
        }
        let array = PrimitiveArray::new(T::PRIMITIVE.into(), whole.into(), Some(self.validity));
        Series::from_array(PlSmallStr::from_str(self.name), array).into_column()
    }

    /// Returns symbols of so many bytes each.
    fn symbols(&self, width: usize) -> Vec<u32> {
        let symbol = |bytes: &[u8]| bytes.iter().rev().fold(0, |symbol, &byte| symbol << 8 | u32::from(byte));
        self.bytes.chunks(width).map(symbol).collect()
    }
}
