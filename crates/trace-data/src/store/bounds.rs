//! Verification of an Arrow file before it is mapped.
//!
//! polars builds mapped columns from the positions and lengths that a file states, and checks only some of them. Here
//! all are checked, for columns of fixed width; files with other columns are not mapped.

use super::contents::Extent;
use crate::error::SavedFileReason;
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::io::ipc::format::ipc::planus::ReadAsRoot;
use polars_arrow::io::ipc::format::ipc::{Block, MessageHeaderRef, MessageRef};
use polars_arrow::io::ipc::read::{FileMetadata, read_file_metadata};
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the metadata of an Arrow file.
///
/// # Errors
/// [`SavedFileReason::Foreign`] if the file is not a complete Arrow file.
pub(crate) fn file_metadata<R: Read + Seek>(file: &mut R) -> Result<FileMetadata, SavedFileReason> {
    // Some damage of the footer makes polars panic.
    let read = catch_unwind(AssertUnwindSafe(|| read_file_metadata(file)));
    read.ok().and_then(Result::ok).ok_or(SavedFileReason::Foreign)
}

/// Whether every column has a fixed width, so that its bounds can be verified.
pub(crate) fn is_mappable(metadata: &FileMetadata) -> bool {
    metadata.schema.iter_values().all(|field| bits(&field.dtype).is_some())
}

/// Verifies that all columns of all batches are inside the file and as long as the batch; returns where they are, batch by batch.
///
/// # Errors
/// [`SavedFileReason::Bounds`] if one is not.
pub(crate) fn verify<R: Read + Seek>(file: &mut R, metadata: &FileMetadata) -> Result<Vec<Extent>, SavedFileReason> {
    let widths: Option<Vec<u64>> = metadata.schema.iter_values().map(|field| bits(&field.dtype)).collect();
    let widths = widths.ok_or(SavedFileReason::Bounds)?;
    if metadata.dictionaries.as_ref().is_some_and(|dictionaries| !dictionaries.is_empty()) {
        return Err(SavedFileReason::Bounds);
    }
    let (mut message, mut extents) = (Vec::new(), Vec::new());
    for block in &metadata.blocks {
        let of_batch = extents_of(file, block, metadata.size, &widths, &mut message).ok_or(SavedFileReason::Bounds)?;
        extents.extend(of_batch);
    }
    Ok(extents)
}

/// Verifies one batch; `None` if anything is wrong. `widths` are bits per value, by column.
fn extents_of<R: Read + Seek>(
    file: &mut R,
    block: &Block,
    file_size: u64,
    widths: &[u64],
    message: &mut Vec<u8>,
) -> Option<Vec<Extent>> {
    let (start, meta_length) = (u64::try_from(block.offset).ok()?, u64::try_from(block.meta_data_length).ok()?);
    let body = start.checked_add(meta_length).filter(|&body| body <= file_size)?;
    // A message begins with a continuation marker and its length, or with its length alone.
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut word = [0; 4];
    file.read_exact(&mut word).ok()?;
    if word == [0xff; 4] {
        file.read_exact(&mut word).ok()?;
    }
    let length = u64::try_from(i32::from_le_bytes(word)).ok().filter(|&length| length <= meta_length)?;
    message.clear();
    file.take(length).read_to_end(message).ok()?;
    let header = MessageRef::read_as_root(message).ok()?.header().ok()??;
    let MessageHeaderRef::RecordBatch(batch) = header else { return None };
    if batch.compression().ok()?.is_some() {
        return None;
    }
    let rows = u64::try_from(batch.length().ok()?).ok()?;
    let (nodes, buffers) = (batch.nodes().ok()??, batch.buffers().ok()??);
    if nodes.len() != widths.len() || buffers.len() != 2 * widths.len() {
        return None;
    }
    let mut buffers = buffers.iter().map(|buffer| {
        let (offset, length) = (u64::try_from(buffer.offset()).ok()?, u64::try_from(buffer.length()).ok()?);
        let start = body.checked_add(offset)?;
        start.checked_add(length).filter(|&end| end <= file_size)?;
        Some((start, length))
    });
    let bytes = |start: u64, bits: u64| {
        let (start, length) = (usize::try_from(start).ok()?, usize::try_from(bits.div_ceil(8)).ok()?);
        Some(start..start.checked_add(length)?)
    };
    let mut extents = Vec::with_capacity(widths.len());
    for (node, width) in nodes.iter().zip(widths) {
        let ((validity_start, validity), (values_start, values)) = (buffers.next()??, buffers.next()??);
        let nulls = u64::try_from(node.null_count()).ok()?;
        let has_rows = u64::try_from(node.length()).ok()? == rows && nulls <= rows;
        let has_validity = nulls == 0 || validity.checked_mul(8)? >= rows;
        let bits = rows.checked_mul(*width)?;
        if !has_rows || !has_validity || values.checked_mul(8)? < bits {
            return None;
        }
        extents.push(Extent {
            values: bytes(values_start, bits)?,
            validity: if nulls == 0 { None } else { Some(bytes(validity_start, rows)?) },
            rows: usize::try_from(rows).ok()?,
            is_bits: *width == 1,
        });
    }
    Some(extents)
}

/// Bits of a value; `None` for types of variable width, which refer to other buffers.
fn bits(dtype: &ArrowDataType) -> Option<u64> {
    use ArrowDataType as T;
    Some(match dtype {
        T::Boolean => 1,
        T::Int8 | T::UInt8 => 8,
        T::Int16 | T::UInt16 => 16,
        T::Int32 | T::UInt32 | T::Float32 | T::Date32 => 32,
        T::Int64 | T::UInt64 | T::Float64 | T::Timestamp(..) | T::Duration(_) | T::Time64(_) => 64,
        _ => return None,
    })
}
