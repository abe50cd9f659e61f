//! Reductions over dimensions.

use super::call::{Call, Family, NoModel, Work, result};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{product, times};

/// The result of a reduction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// One value, of the type of the input; sums of integers have 64 bits.
    Sum,
    /// One value of the type of the input.
    Value,
    /// A position.
    Position,
    /// A value and its position; without dimensions, a value.
    Both,
    /// A truth value.
    Truth,
    /// Two values.
    Pair,
    /// A running sum: as many values as the input has.
    Running,
}

/// Returns the number of elements of the result: the input without the dimensions that argument 1 names, all if it names none.
fn remaining(call: &Call<'_>, dims: &[u64]) -> u128 {
    let reduced = call.operands.ints(1).filter(|reduced| !reduced.is_empty());
    let Some(reduced) = reduced else { return 1 };
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    let is_reduced = |at: usize| {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        reduced.iter().any(|&dim| dim == at || dim.checked_add(rank) == Some(at))
    };
    let rest: Vec<u64> = dims.iter().enumerate().filter(|(at, _)| !is_reduced(*at)).map(|(_, &dim)| dim).collect();
    product(&rest)
}

/// Counts operations for each element of the input.
pub(crate) fn reduce(call: &Call<'_>, outcome: Outcome, per_element: u128) -> Result<Work, NoModel> {
    let input = call.tensor(0)?;
    let is_binary = matches!(outcome, Outcome::Both)
        && call.operands.tensor(1).is_some_and(|other| !other.dims.is_empty() || input.dims.is_empty());
    if is_binary {
        // `max` of two tensors.
        return super::elementwise::pointwise(call, None);
    }
    let summed = if input.element.is_integer() { DataType::I64 } else { input.element };
    let elements = if outcome == Outcome::Running { input.numel() } else { remaining(call, input.dims) };
    let has_dim = call.operands.int(1).is_some();
    let out = match outcome {
        Outcome::Sum | Outcome::Running => result(elements, call.out(summed)),
        Outcome::Value => result(elements, call.out(input.element)),
        Outcome::Position => result(elements, DataType::I64),
        Outcome::Both if has_dim => result(elements, input.element).saturating_add(result(elements, DataType::I64)),
        Outcome::Both => result(elements, input.element),
        Outcome::Truth => result(elements, DataType::Bool),
        Outcome::Pair => result(elements, input.element).saturating_mul(2),
    };
    let flops = times(&[per_element, input.numel()]);
    Ok(Work::of(Family::Reduction, input.element.vector_peak(), flops, &[input.half_bytes(), out]))
}
