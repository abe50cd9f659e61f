//! Fused optimizers over lists of tensors.

use super::call::{Call, Family, NoModel, Note, Work};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{Tensor, sum, times};

/// A list of an optimizer, and how often it is moved: read, or read and written.
pub(crate) struct StateList {
    pub(crate) at: usize,
    pub(crate) times: u128,
}

/// The list at a position that is read.
pub(crate) const fn is_read(at: usize) -> StateList {
    StateList { at, times: 1 }
}

/// The list at a position that is read and written.
pub(crate) const fn is_updated(at: usize) -> StateList {
    StateList { at, times: 2 }
}

/// Counts operations for each parameter. Lists behind the first may be empty.
pub(crate) fn fused(call: &Call<'_>, per_parameter: u128, lists: &[StateList]) -> Result<Work, NoModel> {
    let fallback = call.out(DataType::F32);
    let parameters = call.operands.list(0, fallback).ok_or(NoModel::NoShapes)?;
    let count = parameters.iter().fold(0u128, |sum, tensor| sum.saturating_add(tensor.numel()));
    let of = |list: &StateList| {
        let tensors = call.operands.list(list.at, fallback).unwrap_or_default();
        times(&[list.times, sum(&tensors.iter().map(Tensor::half_bytes).collect::<Vec<_>>())])
    };
    let moved: Vec<u128> = lists.iter().map(of).collect();
    let work = Work::of(Family::Optimizer, fallback.vector_peak(), times(&[per_parameter, count]), &moved);
    let is_untyped = call.out_type.is_none() && lists.iter().any(|list| call.operands.has_untyped_list(list.at));
    Ok(if is_untyped { work.bound(Note::ListTypeUnknown) } else { work })
}
