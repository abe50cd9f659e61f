//! A column on its way to a file.

use super::batch::{Node, aligned};
use super::columns::ColumnType;
use super::contents::{add_bits, bytes_of_bits};
use super::packed::Packed;
use super::stored_column::StoredColumn;
use super::symbols::{NewSymbols, SymbolOf};
use flate2::Crc;
use polars::prelude::{Column, PolarsResult};
use polars_arrow::array::{Array, BooleanArray, PrimitiveArray};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::types::NativeType;
use std::fs::File;
use std::io::{BufWriter, Result as IoResult, Write};

/// Bytes that are summed and written at a time: they stay in the processor's cache in between.
const PIECE: usize = 256 << 10;

/// A column is packed if fewer than one row in eight has a value.
const PACKED: usize = 8;

/// A column that is to be written.
pub(super) struct NewColumn {
    name: String,
    kind: ColumnType,
    values: Values,
    rows: usize,
    /// A bit for each row: whether it has a value; `None` if all rows have one.
    validity: Option<Bitmap>,
    /// The number of values, if rows without a value are not written; `None` if all rows are.
    packed: Option<usize>,
}

enum Values {
    /// Values of so many bytes each.
    Numbers(PrimitiveArray<u8>, usize),
    Bits(Bitmap),
    /// Codes of texts, the symbol of each code, and the bytes of a stored symbol.
    Codes(PrimitiveArray<u32>, SymbolOf, usize),
}

impl NewColumn {
    /// Prepares a column: with `is_small` in as few bytes as possible, else in the form in which polars uses a mapped file. Returns `None`
    /// if columns of its type are not stored.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn of(column: &Column, symbols: &mut NewSymbols, is_small: bool) -> PolarsResult<Option<Self>> {
        let Some(kind) = ColumnType::of(column.dtype()) else { return Ok(None) };
        let column = column.as_materialized_series().rechunk();
        let physical = column.to_physical_repr();
        let [array] = physical.chunks().as_slice() else { return Ok(None) };
        let validity = array.validity().filter(|validity| validity.unset_bits() > 0).cloned();
        let values = if kind == ColumnType::Category {
            let Some(codes) = array.as_any().downcast_ref::<PrimitiveArray<u32>>() else { return Ok(None) };
            let symbol_of = symbols.add(&column, codes)?;
            let width = if is_small { symbols.width() } else { 4 };
            Values::Codes(codes.clone(), symbol_of, width)
        } else if let Some(bits) = array.as_any().downcast_ref::<BooleanArray>() {
            Values::Bits(bits.values().clone())
        } else if let Some((bytes, width)) = numbers(array.as_ref()) {
            Values::Numbers(bytes, width)
        } else {
            return Ok(None);
        };
        let rows = array.len();
        let present = rows - validity.as_ref().map_or(0, Bitmap::unset_bits);
        let is_packed = is_small && !matches!(values, Values::Bits(_)) && present < rows / PACKED;
        let name = column.name().to_string();
        Ok(Some(Self { name, kind, values, rows, validity, packed: is_packed.then_some(present) }))
    }

    pub(super) fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// Returns the name of the column and its type in the file.
    pub(super) fn field(&self) -> Field {
        let dtype = match &self.values {
            Values::Codes(_, _, 1) => ArrowDataType::UInt8,
            Values::Codes(_, _, 2) => ArrowDataType::UInt16,
            _ => self.kind.in_arrow(),
        };
        Field::new(self.name.as_str().into(), dtype, true)
    }

    /// Returns its sizes in the batch.
    pub(super) fn node(&self) -> Node {
        let values = match &self.values {
            Values::Numbers(bytes, _) => bytes.len(),
            Values::Bits(_) => self.rows.div_ceil(8),
            Values::Codes(codes, _, width) => codes.len() * width,
        };
        let nulls = self.validity.as_ref().map_or(0, Bitmap::unset_bits);
        Node { nulls, validity: if nulls == 0 { 0 } else { self.rows.div_ceil(8) }, values }
    }

    /// Writes the column: the bitmap of the values that are there, if any is missing, and the values.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn write(&self, out: &mut Output<'_>) -> IoResult<StoredColumn> {
        let validity_at = out.at;
        if let Some(validity) = &self.validity {
            out.add(&bytes_of_bits(validity))?;
            out.align()?;
        }
        let values_at = out.at;
        let mut crc = Crc::new();
        match (&self.values, &self.validity) {
            (Values::Bits(bits), _) => {
                let bytes = bytes_of_bits(bits);
                add_bits(&mut crc, &bytes, self.rows);
                out.add(&bytes)?;
            }
            (Values::Numbers(bytes, width), Some(validity)) if self.is_packed() => {
                let mut present = Vec::with_capacity(self.packed.unwrap_or(0) * width);
                let bytes = bytes.values().as_slice();
                let values = validity.true_idx_iter().filter_map(|row| bytes.get(row * width..(row + 1) * width));
                values.for_each(|value| present.extend_from_slice(value));
                out.add_summed(&present, &mut crc)?;
            }
            (Values::Numbers(bytes, _), _) => out.add_summed(bytes.values().as_slice(), &mut crc)?,
            (Values::Codes(codes, symbol_of, width), Some(validity)) if self.is_packed() => {
                let codes = codes.values().as_slice();
                let codes = validity.true_idx_iter().filter_map(|row| codes.get(row));
                let symbols = codes.map(|&code| symbol_of.get(code));
                add_symbols(symbols, *width, out, &mut crc)?;
            }
            (Values::Codes(codes, symbol_of, width), Some(validity)) => {
                let rows = codes.values_iter().zip(validity.iter());
                let symbols = rows.map(|(&code, is_there)| if is_there { symbol_of.get(code) } else { 0 });
                add_symbols(symbols, *width, out, &mut crc)?;
            }
            (Values::Codes(codes, symbol_of, width), None) => {
                add_symbols(codes.values_iter().map(|&code| symbol_of.get(code)), *width, out, &mut crc)?;
            }
        }
        out.align()?;
        if let Some(validity) = &self.validity {
            add_bits(&mut crc, &bytes_of_bits(validity), self.rows);
        }
        let width = match &self.values {
            Values::Numbers(_, width) | Values::Codes(_, _, width) => *width,
            Values::Bits(_) => 1,
        };
        let packed = self.packed.map(|count| Packed { bitmap: validity_at, values: values_at, count, width });
        Ok(StoredColumn { name: self.name.clone(), kind: self.kind, crc32: crc.sum(), packed })
    }
}

/// Adds symbols of so many bytes each.
fn add_symbols(symbols: impl Iterator<Item = u32>, width: usize, out: &mut Output<'_>, crc: &mut Crc) -> IoResult<()> {
    let mut bytes = Vec::with_capacity(PIECE + 4);
    let mut symbols = symbols.peekable();
    while symbols.peek().is_some() {
        bytes.clear();
        let piece = symbols.by_ref().take(PIECE / 4);
        match width {
            1 => bytes.extend(piece.map(|symbol| symbol as u8)),
            2 => piece.for_each(|symbol| bytes.extend_from_slice(&(symbol as u16).to_le_bytes())),
            _ => piece.for_each(|symbol| bytes.extend_from_slice(&symbol.to_le_bytes())),
        }
        out.add_summed(&bytes, crc)?;
    }
    Ok(())
}

/// Returns the bytes of a column of numbers, and how many each has.
fn numbers(array: &dyn Array) -> Option<(PrimitiveArray<u8>, usize)> {
    fn of<T: NativeType>(array: &dyn Array) -> Option<(PrimitiveArray<u8>, usize)> {
        let array = array.as_any().downcast_ref::<PrimitiveArray<T>>()?;
        let bytes = array.values().clone().try_transmute::<u8>().ok()?;
        Some((PrimitiveArray::new(ArrowDataType::UInt8, bytes, None), size_of::<T>()))
    }
    of::<i64>(array)
        .or_else(|| of::<i32>(array))
        .or_else(|| of::<f64>(array))
        .or_else(|| of::<i16>(array))
        .or_else(|| of::<i8>(array))
        .or_else(|| of::<u64>(array))
        .or_else(|| of::<u32>(array))
        .or_else(|| of::<u16>(array))
        .or_else(|| of::<u8>(array))
        .or_else(|| of::<f32>(array))
}

/// A file that is being written.
pub(super) struct Output<'f> {
    file: BufWriter<&'f File>,
    /// Bytes written so far.
    at: usize,
}

impl<'f> Output<'f> {
    pub(super) fn new(file: &'f File) -> Self {
        // Larger pieces are not copied.
        Self { file: BufWriter::with_capacity(PIECE, file), at: 0 }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) -> IoResult<()> {
        self.at += bytes.len();
        self.file.write_all(bytes)
    }

    /// Adds bytes, also to a checksum.
    fn add_summed(&mut self, bytes: &[u8], crc: &mut Crc) -> IoResult<()> {
        bytes.chunks(PIECE).try_for_each(|piece| {
            crc.update(piece);
            self.add(piece)
        })
    }

    /// Adds zeros up to the next aligned offset.
    fn align(&mut self) -> IoResult<()> {
        let missing = aligned(self.at) - self.at;
        self.add(&[0; super::batch::ALIGNMENT][..missing])
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> IoResult<()> {
        self.file.flush()
    }
}
