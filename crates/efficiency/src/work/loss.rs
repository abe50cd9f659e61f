//! Softmax and losses over classes.

use super::call::{Call, Family, NoModel, Work, result};
use crate::operand::data_type::DataType;
use crate::operand::tensor::times;

/// Counts softmax: maximum, difference, exponential, sum, quotient. `to_float_at`: the argument by which halves become floats.
pub(crate) fn softmax(call: &Call<'_>, to_float_at: Option<usize>) -> Result<Work, NoModel> {
    let input = call.tensor(0)?;
    let is_float = to_float_at.and_then(|at| call.operands.bool(at)) == Some(true);
    let out = if is_float { DataType::F32 } else { call.out(input.element) };
    let moved = [input.half_bytes(), result(input.numel(), out)];
    Ok(Work::of(Family::Loss, input.element.vector_peak(), times(&[5, input.numel()]), &moved))
}

/// Counts the gradient of softmax: product, sum, difference, product.
pub(crate) fn softmax_backward(call: &Call<'_>) -> Result<Work, NoModel> {
    let (gradient, output) = (call.tensor(0)?, call.tensor(1)?);
    let out = call.operands.int(3).and_then(DataType::numbered).unwrap_or(gradient.element);
    let moved = [gradient.half_bytes(), output.half_bytes(), result(gradient.numel(), call.out(out))];
    Ok(Work::of(Family::Loss, gradient.element.vector_peak(), times(&[4, gradient.numel()]), &moved))
}

/// Counts cross entropy in one kernel: softmax, and 12 bytes a row for the target and the loss.
pub(crate) fn cross_entropy(call: &Call<'_>) -> Result<Work, NoModel> {
    let input = call.tensor(0)?;
    let rows = match input.dims {
        [rows, _, rest @ ..] => times(&[(*rows).into(), crate::operand::tensor::product(rest)]),
        _ => 1,
    };
    let moved = [input.half_bytes(), times(&[24, rows])];
    Ok(Work::of(Family::Loss, input.element.vector_peak(), times(&[5, input.numel()]), &moved))
}

/// Counts the loss of recorded logarithms: one value a row is read, by its target.
pub(crate) fn negative_log_likelihood(call: &Call<'_>) -> Result<Work, NoModel> {
    let (input, target) = (call.tensor(0)?, call.tensor(1)?);
    let rows = target.numel();
    // Without reduction, there is a loss for each row.
    let out = if call.operands.int(3) == Some(0) { rows } else { 1 };
    let moved = [result(rows, input.element), target.half_bytes(), call.optional(2), result(out, input.element)];
    Ok(Work::of(Family::Loss, input.element.vector_peak(), rows, &moved))
}

/// Counts the gradient of that loss: zeros, and one value a row.
pub(crate) fn negative_log_likelihood_backward(call: &Call<'_>) -> Result<Work, NoModel> {
    let (gradient, input, target) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let moved = [gradient.half_bytes(), target.half_bytes(), input.half_bytes()];
    Ok(Work::of(Family::Loss, input.element.vector_peak(), target.numel(), &moved))
}
