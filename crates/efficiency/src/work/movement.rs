//! Copies, fills, embeddings and indexing: bytes without operations.

use super::call::{Call, Family, NoModel, Note, Work, result};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{Tensor, product, sum, times};

fn moved(element: DataType, half_bytes: &[u128]) -> Work {
    Work::of(Family::Movement, element.vector_peak(), 0, half_bytes)
}

/// Counts a copy into an existing tensor, which may change the type and repeat what is smaller.
pub(crate) fn copy(call: &Call<'_>) -> Result<Work, NoModel> {
    let (to, from) = (call.tensor(0)?, call.tensor(1)?);
    Ok(moved(to.element, &[from.half_bytes(), to.half_bytes()]))
}

/// Counts a copy into a new tensor.
pub(crate) fn duplicate(call: &Call<'_>) -> Result<Work, NoModel> {
    let from = call.tensor(0)?;
    Ok(moved(from.element, &[from.half_bytes(), result(from.numel(), call.out(from.element))]))
}

/// Counts a fill of a tensor.
pub(crate) fn fill(call: &Call<'_>) -> Result<Work, NoModel> {
    let to = call.tensor(0)?;
    Ok(moved(to.element, &[to.half_bytes()]))
}

/// Counts the concatenation of a list of tensors.
pub(crate) fn concatenate(call: &Call<'_>) -> Result<Work, NoModel> {
    let tensors = call.operands.list(0, call.out(DataType::F32)).ok_or(NoModel::NoShapes)?;
    let all = sum(&tensors.iter().map(Tensor::half_bytes).collect::<Vec<_>>());
    let element = tensors.first().map_or(DataType::F32, |tensor| tensor.element);
    let work = moved(element, &[all, all]);
    let is_untyped = call.out_type.is_none() && call.operands.has_untyped_list(0);
    Ok(if is_untyped { work.bound(Note::ListTypeUnknown) } else { work })
}

/// Counts an embedding: a row of the table for each index.
pub(crate) fn embedding(call: &Call<'_>) -> Result<Work, NoModel> {
    let (table, indices) = (call.tensor(0)?, call.tensor(1)?);
    let &[_, width] = table.dims else { return Err(NoModel::Mismatch) };
    let rows = result(times(&[indices.numel(), width.into()]), table.element);
    Ok(moved(table.element, &[rows, rows, indices.half_bytes()]))
}

/// Counts the gradient of an embedding: rows are added into a table of zeros.
pub(crate) fn embedding_backward(call: &Call<'_>) -> Result<Work, NoModel> {
    let (gradient, indices) = (call.tensor(0)?, call.tensor(1)?);
    let rows =
        call.operands.int(2).and_then(|rows| u64::try_from(rows).ok()).ok_or(NoModel::NoValue { argument: 2 })?;
    let width = gradient.dims.last().copied().ok_or(NoModel::Mismatch)?;
    let table = result(times(&[rows.into(), width.into()]), gradient.element);
    let work = moved(gradient.element, &[gradient.half_bytes(), indices.half_bytes(), table]);
    Ok(Work { flops: gradient.numel(), ..work })
}

/// Counts the selection of rows by index.
pub(crate) fn select_rows(call: &Call<'_>) -> Result<Work, NoModel> {
    let (from, indices) = (call.tensor(0)?, call.tensor(2)?);
    let rank = from.dims.len();
    let dim = call.operands.int(1).ok_or(NoModel::NoValue { argument: 1 })?;
    let dim = if dim < 0 { dim.checked_add_unsigned(rank as u64) } else { Some(dim) };
    let dim = dim.and_then(|dim| usize::try_from(dim).ok()).filter(|&dim| dim < rank).ok_or(NoModel::Mismatch)?;
    let others: Vec<u64> = from.dims.iter().enumerate().filter(|(at, _)| *at != dim).map(|(_, &size)| size).collect();
    let rows = result(times(&[product(&others), indices.numel()]), from.element);
    Ok(moved(from.element, &[rows, rows, indices.half_bytes()]))
}

/// Counts the selection of one element by each index.
pub(crate) fn gather(call: &Call<'_>) -> Result<Work, NoModel> {
    let (from, indices) = (call.tensor(0)?, call.tensor(2)?);
    let elements = result(indices.numel(), from.element);
    Ok(moved(from.element, &[elements, elements, indices.half_bytes()]))
}

/// Counts the storage of one element by each index; `is_added`: into what is there, which is read.
pub(crate) fn scatter(call: &Call<'_>, is_added: bool) -> Result<Work, NoModel> {
    let (to, indices) = (call.tensor(0)?, call.tensor(2)?);
    let elements = result(indices.numel(), to.element);
    let source = if call.operands.tensor(3).is_some() { elements } else { 0 };
    let work = moved(to.element, &[source, elements, if is_added { elements } else { 0 }, indices.half_bytes()]);
    Ok(Work { flops: if is_added { indices.numel() } else { 0 }, ..work })
}

/// Counts indexing by a list of tensors: they are repeated to one shape, the other dimensions are taken whole.
pub(crate) fn index(call: &Call<'_>, is_written: bool) -> Result<Work, NoModel> {
    let from = call.tensor(0)?;
    let indices = call.operands.list(1, DataType::I64).ok_or(NoModel::NoShapes)?;
    if indices.len() > from.dims.len() {
        return Err(NoModel::Mismatch);
    }
    let shapes: Vec<&[u64]> = indices.iter().map(|tensor| tensor.dims).filter(|dims| !dims.is_empty()).collect();
    let chosen = super::elementwise::broadcast(&shapes).ok_or(NoModel::Mismatch)?;
    let is_whole = |at: usize| indices.get(at).is_none_or(|tensor| tensor.dims.is_empty());
    let whole: Vec<u64> = from.dims.iter().enumerate().filter(|(at, _)| is_whole(*at)).map(|(_, &dim)| dim).collect();
    let elements = result(times(&[product(&chosen), product(&whole)]), from.element);
    let read = sum(&indices.iter().filter(|one| !one.dims.is_empty()).map(Tensor::half_bytes).collect::<Vec<_>>());
    let source = if is_written { call.optional(2) } else { elements };
    Ok(moved(from.element, &[source, elements, read]))
}

/// Counts the storage of keys and values in a cache, by slot.
pub(crate) fn store_cache(call: &Call<'_>, slots_at: usize) -> Result<Work, NoModel> {
    let (key, value, slots) = (call.tensor(0)?, call.tensor(1)?, call.tensor(slots_at)?);
    let cache = |at: usize, new: Tensor<'_>| result(new.numel(), call.operands.data_type(at).unwrap_or(new.element));
    Ok(moved(key.element, &[key.half_bytes(), value.half_bytes(), cache(2, key), cache(3, value), slots.half_bytes()]))
}
