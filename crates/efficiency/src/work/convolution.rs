//! Convolutions, transposed ones, and their gradients.

use super::call::{Call, Family, NoModel, Work, result};
use crate::operand::tensor::{product, times};

/// Positions of the arguments of a convolution.
pub(crate) struct Layout {
    pub(crate) bias: Option<usize>,
    pub(crate) stride: usize,
    pub(crate) padding: usize,
    pub(crate) dilation: Option<usize>,
    pub(crate) transposed: Transposed,
    pub(crate) output_padding: Option<usize>,
    pub(crate) groups: usize,
}

/// Whether a convolution is transposed.
pub(crate) enum Transposed {
    No,
    Yes,
    /// Its argument says so.
    At(usize),
}

impl Layout {
    fn is_transposed(&self, call: &Call<'_>) -> Result<bool, NoModel> {
        match self.transposed {
            Transposed::No => Ok(false),
            Transposed::Yes => Ok(true),
            Transposed::At(at) => call.operands.bool(at).ok_or(NoModel::NoValue { argument: at }),
        }
    }
}

/// The value of a list for a dimension: one value stands for all.
fn of(list: &[i64], dimension: usize) -> Option<i128> {
    let only = if let [only] = list { Some(only) } else { None };
    list.get(dimension).or(only).map(|&value| i128::from(value))
}

/// Returns the dimensions of the result behind batch and channels. Strides and dilations are at least 1.
fn out_dims(call: &Call<'_>, layout: &Layout, input: &[u64], kernel: &[u64]) -> Result<Vec<u64>, NoModel> {
    let (stride, padding) = (call.ints(layout.stride)?, call.ints(layout.padding)?);
    let dilation = layout.dilation.map_or(Ok(vec![1]), |at| call.ints(at))?;
    let extra = layout.output_padding.map_or(Ok(vec![0]), |at| call.ints(at))?;
    let is_transposed = layout.is_transposed(call)?;
    let mut found = Vec::with_capacity(input.len());
    for (dimension, (&i, &k)) in input.iter().zip(kernel).enumerate() {
        let of = |list: &[i64]| of(list, dimension).ok_or(NoModel::Mismatch);
        let (s, p, d) = (of(&stride)?, of(&padding)?, of(&dilation)?);
        if s < 1 || d < 1 || p < 0 || k < 1 {
            return Err(NoModel::Mismatch);
        }
        let (i, reach) = (i128::from(i), d.saturating_mul(i128::from(k) - 1));
        let out = if is_transposed {
            let extra = of(&extra)?;
            (i - 1)
                .saturating_mul(s)
                .saturating_sub(2 * p)
                .saturating_add(reach)
                .saturating_add(extra)
                .saturating_add(1)
        } else {
            let slack = i.saturating_add(2 * p).saturating_sub(reach).saturating_sub(1);
            if slack < 0 { 0 } else { slack / s + 1 }
        };
        found.push(u64::try_from(out).map_err(|_| NoModel::Mismatch)?);
    }
    Ok(found)
}

/// Counts a convolution: each element of the result is a sum over channels of a group and the kernel. Transposed, each element of
/// the input is spread over the same number of elements of the result.
pub(crate) fn forward(call: &Call<'_>, layout: &Layout) -> Result<Work, NoModel> {
    let (input, weight) = (call.tensor(0)?, call.tensor(1)?);
    let [first, second, kernel @ ..] = weight.dims else { return Err(NoModel::Mismatch) };
    let is_transposed = layout.is_transposed(call)?;
    let (batch, channels, space) = match input.dims {
        [batch, channels, space @ ..] if space.len() == kernel.len() => (*batch, *channels, space),
        // Without a batch.
        [channels, space @ ..] if space.len() == kernel.len() => (1, *channels, space),
        _ => return Err(NoModel::Mismatch),
    };
    // Channels are those of all groups; a group has those of the weight.
    let (of_group, out_per_group) = if is_transposed { (*first, *second) } else { (*second, *first) };
    if of_group == 0 || channels % of_group != 0 || (is_transposed && channels != of_group) {
        return Err(NoModel::Mismatch);
    }
    let out_channels = if is_transposed { groups(call, layout)?.saturating_mul(out_per_group) } else { out_per_group };
    let space = out_dims(call, layout, space, kernel)?;
    let out = times(&[batch.into(), out_channels.into(), product(&space)]);
    let reach = times(&[(*second).into(), product(kernel)]);
    let bias = layout.bias.and_then(|at| call.operands.tensor(at));
    let products = times(&[2, if is_transposed { input.numel() } else { out }, reach]);
    let flops = products.saturating_add(if bias.is_some() { out } else { 0 });
    let moved = [
        input.half_bytes(),
        weight.half_bytes(),
        bias.map_or(0, |bias| bias.half_bytes()),
        result(out, call.out(input.element)),
    ];
    Ok(Work::of(Family::Convolution, input.element.matrix_peak(), flops, &moved))
}

/// The number of groups.
fn groups(call: &Call<'_>, layout: &Layout) -> Result<u64, NoModel> {
    let groups = call.operands.int(layout.groups).ok_or(NoModel::NoValue { argument: layout.groups })?;
    u64::try_from(groups).ok().filter(|&groups| groups > 0).ok_or(NoModel::Mismatch)
}

/// Counts the gradients of a convolution: of its input, of its weight, of its bias, each if it is asked for.
pub(crate) fn backward(call: &Call<'_>, transposed_at: usize, mask_at: usize) -> Result<Work, NoModel> {
    let (gradient, input, weight) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let [_, reach @ ..] = weight.dims else { return Err(NoModel::Mismatch) };
    let is_transposed = call.operands.bool(transposed_at).ok_or(NoModel::NoValue { argument: transposed_at })?;
    let mask = call.operands.bools(mask_at).ok_or(NoModel::NoValue { argument: mask_at })?;
    let &[of_input, of_weight, of_bias] = mask else { return Err(NoModel::NoValue { argument: mask_at }) };
    // A weight is shared by as many products as in the forward direction.
    let spread = if is_transposed { input } else { gradient };
    let products = times(&[2, spread.numel(), product(reach)]);
    let mut flops = 0u128;
    let mut moved = Vec::new();
    for is_wanted in [of_input, of_weight] {
        if is_wanted {
            flops = flops.saturating_add(products);
            moved.extend([gradient, input, weight].map(|tensor| tensor.half_bytes()));
        }
    }
    if of_bias {
        flops = flops.saturating_add(gradient.numel());
        // Its input is read by the others, too.
        if !of_input && !of_weight {
            moved.push(gradient.half_bytes());
        }
        let channels = gradient.dims.get(1).copied().unwrap_or(0);
        moved.push(result(channels.into(), gradient.element));
    }
    Ok(Work::of(Family::Convolution, gradient.element.matrix_peak(), flops, &moved))
}
