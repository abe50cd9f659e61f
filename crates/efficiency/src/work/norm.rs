//! Norms, forward and backward.

use super::call::{Call, Family, NoModel, Work, result};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{half_bytes, product, times};

/// Counts a norm with mean and deviation. `weights`: weight and bias; `channels_at`: the argument with their shape, or the second
/// dimension of the input. With `inference_at`, the argument says whether statistics are computed.
pub(crate) fn forward(
    call: &Call<'_>,
    weights: [usize; 2],
    channels: Channels,
    training_at: Option<usize>,
) -> Result<Work, NoModel> {
    let input = call.tensor(0)?;
    let channels = channels.of(call, input.dims)?;
    let has_statistics =
        training_at.map_or(Ok(true), |at| call.operands.bool(at).ok_or(NoModel::NoValue { argument: at }))?;
    let per_element = if has_statistics { 5 } else { 2 };
    let flops = times(&[per_element, input.numel()]).saturating_add(times(&[6, channels]));
    let statistics = if has_statistics { 0 } else { half_bytes(channels.saturating_mul(2), DataType::F32) };
    let [weight, bias] = weights.map(|at| call.optional(at));
    let moved = [input.half_bytes(), weight, bias, statistics, result(input.numel(), call.out(input.element))];
    Ok(Work::of(Family::Norm, input.element.vector_peak(), flops, &moved))
}

/// The source of the number of channels.
#[derive(Clone, Copy)]
pub(crate) enum Channels {
    /// The second dimension of the input.
    Second,
    /// The product of the recorded numbers of an argument.
    Listed(usize),
}

impl Channels {
    fn of(self, call: &Call<'_>, dims: &[u64]) -> Result<u128, NoModel> {
        match self {
            Self::Second => dims.get(1).map(|&channels| channels.into()).ok_or(NoModel::Mismatch),
            Self::Listed(at) => {
                let shape: Option<Vec<u64>> = call.ints(at)?.into_iter().map(|dim| u64::try_from(dim).ok()).collect();
                Ok(product(&shape.ok_or(NoModel::Mismatch)?))
            }
        }
    }
}

/// Counts the gradients of a norm with mean and deviation. `inputs`: the gradient and the input.
pub(crate) fn backward(call: &Call<'_>, inputs: [usize; 2], weight_at: usize) -> Result<Work, NoModel> {
    let (gradient, input) = (call.tensor(inputs[0])?, call.tensor(inputs[1])?);
    let weight = call.optional(weight_at);
    // The weight is read, its gradient and that of the bias are written.
    let moved = [gradient.half_bytes(), input.half_bytes(), input.half_bytes(), times(&[3, weight])];
    Ok(Work::of(Family::Norm, input.element.vector_peak(), times(&[9, input.numel()]), &moved))
}

/// Positions of a norm by the root of the mean square.
pub(crate) struct RootMeanSquare {
    pub(crate) input: usize,
    /// What is added before, and written, too.
    pub(crate) residual: Option<usize>,
    pub(crate) weight: usize,
}

/// The rows of an input of which the last dimensions are normalized.
fn rows(dims: &[u64], width: u64) -> u128 {
    product(dims).checked_div(width.into()).unwrap_or(0)
}

/// Counts a norm by the root of the mean square, of the last dimension or of those of the weight.
pub(crate) fn root_mean_square(
    call: &Call<'_>,
    layout: &RootMeanSquare,
    shape_at: Option<usize>,
) -> Result<Work, NoModel> {
    let input = call.tensor(layout.input)?;
    let weight = call.operands.tensor(layout.weight);
    let shape = shape_at.and_then(|at| Channels::Listed(at).of(call, input.dims).ok());
    let width = shape.unwrap_or_else(|| input.dims.last().copied().unwrap_or(1).into());
    let width = u64::try_from(width).unwrap_or(u64::MAX);
    let sums = times(&[rows(input.dims, width), u128::from(width).saturating_mul(2).saturating_add(2)]);
    let residual = layout.residual.map_or(Ok(None), |at| call.tensor(at).map(Some))?;
    let per_element = if weight.is_some() { 2 } else { 1 } + u128::from(residual.is_some());
    let flops = sums.saturating_add(times(&[per_element, input.numel()]));
    let added = residual.map_or(0, |residual| residual.half_bytes().saturating_mul(2));
    let weight = weight.map_or(0, |weight| weight.half_bytes());
    let moved = [input.half_bytes(), added, weight, result(input.numel(), call.out(input.element))];
    Ok(Work::of(Family::Norm, input.element.vector_peak(), flops, &moved))
}

/// Counts the gradients of a norm by the root of the mean square.
pub(crate) fn root_mean_square_backward(call: &Call<'_>, weight_at: usize) -> Result<Work, NoModel> {
    let (gradient, input) = (call.tensor(0)?, call.tensor(1)?);
    let weight = call.operands.tensor(weight_at);
    let per_element = if weight.is_some() { 10 } else { 8 };
    let weight = weight.map_or(0, |weight| weight.half_bytes().saturating_mul(2));
    let moved = [gradient.half_bytes(), input.half_bytes(), input.half_bytes(), weight];
    Ok(Work::of(Family::Norm, input.element.vector_peak(), times(&[per_element, input.numel()]), &moved))
}
