//! Work element by element.

use super::call::{Call, Family, NoModel, Note, Work, result};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{Tensor, product, sum, times};

/// Returns the dimensions of a result of several shapes, of which those of size 1 are repeated; `None` if they do not fit.
pub(crate) fn broadcast(shapes: &[&[u64]]) -> Option<Vec<u64>> {
    let length = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut dims = vec![1; length];
    for shape in shapes {
        for (dim, &own) in dims.iter_mut().rev().zip(shape.iter().rev()) {
            match (*dim, own) {
                (_, 1) => {}
                (1, own) => *dim = own,
                (dim, own) if dim == own => {}
                _ => return None,
            }
        }
    }
    Some(dims)
}

/// The type of a result of tensors: those with dimensions decide, if any has some.
fn promoted(tensors: &[Tensor<'_>]) -> Option<DataType> {
    let of = |with_dims: bool| {
        let tensors = tensors.iter().filter(|tensor| !with_dims || !tensor.dims.is_empty());
        tensors.map(|tensor| tensor.element).reduce(DataType::promoted)
    };
    of(true).or_else(|| of(false))
}

/// Counts one operation for each element of the result. `result_type`: the type of the result, unless inputs decide.
pub(crate) fn pointwise(call: &Call<'_>, result_type: Option<DataType>) -> Result<Work, NoModel> {
    let tensors: Vec<Tensor<'_>> = call.operands.tensors().collect();
    let first = *tensors.first().ok_or(if call.operands.is_empty() {
        NoModel::NoShapes
    } else {
        NoModel::NoTensor { argument: 0 }
    })?;
    let shapes: Vec<&[u64]> = tensors.iter().map(|tensor| tensor.dims).collect();
    let is_inplace = call.name.ends_with('_') && !call.name.ends_with("__");
    let dims = if is_inplace { first.dims.to_vec() } else { broadcast(&shapes).ok_or(NoModel::Mismatch)? };
    let input = promoted(&tensors).unwrap_or(first.element);
    let out = if is_inplace { first.element } else { result_type.unwrap_or(call.out(input)) };
    let elements = product(&dims);
    let mut moved: Vec<u128> = tensors.iter().map(Tensor::half_bytes).collect();
    moved.push(result(elements, out));
    Ok(Work::of(Family::Elementwise, input.vector_peak(), elements, &moved))
}

/// Counts one operation for each element of the tensors of a list, with which the other lists go along.
pub(crate) fn foreach(call: &Call<'_>) -> Result<Work, NoModel> {
    let fallback = call.out(DataType::F32);
    let lists: Vec<Vec<Tensor<'_>>> =
        (0..call.operands.len()).filter_map(|at| call.operands.list(at, fallback)).collect();
    let first = lists.first().ok_or(NoModel::NoShapes)?;
    let elements = first.iter().fold(0u128, |sum, tensor| sum.saturating_add(tensor.numel()));
    let of = |list: &Vec<Tensor<'_>>| sum(&list.iter().map(Tensor::half_bytes).collect::<Vec<_>>());
    let written = of(first);
    let mut moved: Vec<u128> = lists.iter().map(of).collect();
    let plain = call.name.trim_end_matches('_');
    if plain.ends_with("_foreach_copy") || plain.ends_with("_foreach_zero") {
        // What is overwritten is not read.
        moved.remove(0);
    }
    moved.push(written);
    let flops = if plain.ends_with("_foreach_copy") || plain.ends_with("_foreach_zero") { 0 } else { elements };
    let peak = first.first().map_or(fallback, |tensor| tensor.element).vector_peak();
    let work = Work::of(Family::Elementwise, peak, flops, &moved);
    let is_untyped = call.out_type.is_none() && (0..call.operands.len()).any(|at| call.operands.has_untyped_list(at));
    Ok(if is_untyped { work.bound(Note::ListTypeUnknown) } else { work })
}

/// Counts the norms of the tensors of a list: a product and an addition for each element.
pub(crate) fn foreach_norm(call: &Call<'_>) -> Result<Work, NoModel> {
    let fallback = call.out(DataType::F32);
    let list = call.operands.list(0, fallback).ok_or(NoModel::NoShapes)?;
    let elements = list.iter().fold(0u128, |sum, tensor| sum.saturating_add(tensor.numel()));
    let moved = sum(&list.iter().map(Tensor::half_bytes).collect::<Vec<_>>());
    let work = Work::of(Family::Reduction, fallback.vector_peak(), times(&[2, elements]), &[moved]);
    let is_untyped = call.out_type.is_none() && call.operands.has_untyped_list(0);
    Ok(if is_untyped { work.bound(Note::ListTypeUnknown) } else { work })
}

/// Counts an activation times a gate, both in one tensor of twice the width: sigmoid, two products.
pub(crate) fn gated_activation(call: &Call<'_>, out_at: Option<usize>, in_at: usize) -> Result<Work, NoModel> {
    let input = call.tensor(in_at)?;
    let elements = input.numel() / 2;
    let out = out_at.and_then(|at| call.operands.data_type(at)).unwrap_or(call.out(input.element));
    let moved = [input.half_bytes(), result(elements, out)];
    Ok(Work::of(Family::Elementwise, input.element.vector_peak(), times(&[5, elements]), &moved))
}

/// Counts the rotation of queries and keys by position.
pub(crate) fn rotary(call: &Call<'_>, query_at: usize, key_at: usize) -> Result<Work, NoModel> {
    let (query, key) = (call.tensor(query_at)?, call.tensor(key_at)?);
    let elements = query.numel().saturating_add(key.numel());
    let moved = [query.half_bytes(), query.half_bytes(), key.half_bytes(), key.half_bytes()];
    Ok(Work::of(Family::Elementwise, query.element.vector_peak(), times(&[3, elements]), &moved))
}
