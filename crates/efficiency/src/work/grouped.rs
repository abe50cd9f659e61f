//! Products of matrices by group, and mixtures of experts.

use super::call::{Call, Family, NoModel, Note, Work, result};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{half_bytes, product, times};

/// Positions of scales and bias, of the ends of groups, and of the number of the result's type.
pub(crate) struct Layout {
    pub(crate) offsets: usize,
    pub(crate) rest: &'static [usize],
    pub(crate) out_type: Option<usize>,
}

/// Counts products of groups: rows, columns or the shared dimension of a 2-d input are divided among the groups.
pub(crate) fn products(call: &Call<'_>, layout: &Layout) -> Result<Work, NoModel> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let groups_of_offsets = || call.operands.dims(layout.offsets).map(product);
    let (flops, out) = match (a.dims, b.dims) {
        // Rows divided, or columns.
        ([m, k], [_, inner, n]) | ([_, m, k], [inner, n]) if k == inner => {
            (times(&[2, (*m).into(), (*n).into(), (*k).into()]), product(&[*m, *n]))
        }
        // The shared dimension divided: the gradient of weights, a result for each group.
        ([m, k], [inner, n]) if k == inner => {
            let groups = groups_of_offsets()
                .filter(|&groups| groups > 0)
                .ok_or(NoModel::NoValue { argument: layout.offsets })?;
            (times(&[2, (*m).into(), (*n).into(), (*k).into()]), times(&[groups, (*m).into(), (*n).into()]))
        }
        ([g, m, k], [groups, inner, n]) if k == inner && g == groups => {
            (times(&[2, (*g).into(), (*m).into(), (*n).into(), (*k).into()]), product(&[*g, *m, *n]))
        }
        _ => return Err(NoModel::Mismatch),
    };
    let flops = flops.saturating_mul(u128::from(a.element.values_per_element()));
    let recorded = layout.out_type.and_then(|at| call.operands.int(at)).and_then(DataType::numbered);
    let narrow = matches!(a.element, DataType::F8 | DataType::F4Pair | DataType::I8);
    let out_type = call.out_type.or(recorded).unwrap_or(if narrow { DataType::Bf16 } else { a.element });
    let rest = layout.rest.iter().fold(0u128, |sum, &at| sum.saturating_add(call.optional(at)));
    let moved = [a.half_bytes(), b.half_bytes(), rest, result(out, out_type)];
    Ok(Work::of(Family::Grouped, a.element.matrix_peak(), flops, &moved))
}

/// The sizes of a mixture of experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Experts {
    /// Tokens.
    pub tokens: u64,
    /// Width of a token.
    pub hidden: u64,
    /// Width within an expert.
    pub inner: u64,
    /// Experts on this device.
    pub experts: u64,
    /// Experts that a token chooses.
    pub chosen: u64,
    /// Whether an expert has a gate besides its first product.
    pub is_gated: bool,
    /// The type of tokens.
    pub input: DataType,
    /// The type of weights.
    pub weights: DataType,
    /// The type of the result.
    pub output: DataType,
}

/// Returns the experts that tokens are expected to reach if they choose evenly.
fn reached(experts: u64, chosen: u64, tokens: u64) -> f64 {
    if experts == 0 {
        return 0.0;
    }
    let missed = (experts.saturating_sub(chosen) as f64 / experts as f64).powf(tokens as f64);
    experts as f64 * (1.0 - missed)
}

/// Counts a fused mixture of experts: both products of each chosen expert, the activation, and the weighted sum of the results.
pub fn mixture_of_experts(sizes: &Experts) -> Work {
    let [t, h, i, k] = [sizes.tokens, sizes.hidden, sizes.inner, sizes.chosen].map(u128::from);
    let first = if sizes.is_gated { 2 } else { 1 };
    let flops = [
        times(&[2, t, h, i, k, first]),
        times(&[2, t, h, i, k]),
        times(&[t, h, k.saturating_mul(2).saturating_sub(1)]),
    ];
    let reached = reached(sizes.experts, sizes.chosen, sizes.tokens);
    let weights = reached * sizes.hidden as f64 * sizes.inner as f64 * (first + 1) as f64;
    let tokens = product(&[sizes.tokens, sizes.hidden]);
    let moved = [
        half_bytes(tokens, sizes.input),
        // Weights as values: two of them are in one element of pairs.
        ((weights * sizes.weights.bytes() * 2.0).round() as u128),
        result(tokens, sizes.output),
    ];
    let flops = flops.iter().fold(0u128, |sum, &one| sum.saturating_add(one));
    let peak = if sizes.input.bytes() >= sizes.weights.bytes() { sizes.input } else { sizes.weights }.matrix_peak();
    Work::of(Family::Grouped, peak, flops, &moved).noted(Some(Note::ExpertsExpected))
}

/// Counts a fused mixture of experts from tokens (T × H), weights (E × gI × H, E × H × I) and the chosen experts (T × k).
pub(crate) fn experts(call: &Call<'_>, chosen_at: usize) -> Result<Work, NoModel> {
    let (tokens, first, second) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let chosen = call.tensor(chosen_at)?;
    match (tokens.dims, first.dims, second.dims, chosen.dims) {
        (&[t, h], &[experts, rows, width], &[of, out, inner], &[of_tokens, k])
            if t == of_tokens && experts == of && h == out && (rows == inner || Some(rows) == inner.checked_mul(2)) =>
        {
            let pairs = first.element.values_per_element();
            if width.checked_mul(pairs) != Some(h) {
                return Err(NoModel::Mismatch);
            }
            Ok(mixture_of_experts(&Experts {
                tokens: t,
                hidden: h,
                inner: inner.saturating_mul(second.element.values_per_element()),
                experts,
                chosen: k,
                is_gated: rows != inner,
                input: tokens.element,
                weights: first.element,
                output: call.out(tokens.element),
            }))
        }
        _ => Err(NoModel::Mismatch),
    }
}
