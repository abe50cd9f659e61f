//! Attention, forward and backward.

use super::call::{Call, Family, NoModel, Note, Work};
use super::pairs::{Causal, Mask};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{Tensor, half_bytes, product, sum, times};

/// Positions of the arguments of attention.
pub(crate) struct Layout {
    /// Query, key, value.
    pub(crate) inputs: [usize; 3],
    /// The order of dimensions.
    pub(crate) order: Order,
    pub(crate) causal: CausalArgument,
    /// Ends of packed sequences, of queries and keys: with them, batch and length are one dimension.
    pub(crate) ends: Option<[usize; 2]>,
    /// The longest packed sequence, of queries and keys.
    pub(crate) longest: Option<[usize; 2]>,
    /// The width of a window, to the left and to the right.
    pub(crate) window: Option<[usize; 2]>,
    /// Bias or mask that is added.
    pub(crate) bias: Option<usize>,
}

/// The order of the dimensions of queries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Batch, heads, length, width.
    HeadsFirst,
    /// Batch, length, heads, width; without batch if sequences are packed.
    LengthFirst,
}

/// The argument that says whether attention is causal.
#[derive(Clone, Copy)]
pub(crate) enum CausalArgument {
    /// A truth value; aligned at the first query and key.
    TopLeft(usize),
    /// A truth value; aligned at the last query and key.
    End(usize),
    /// A number: 1 is aligned at the first, 2 at the last.
    Kind(usize),
}

/// Sizes of attention.
struct Sizes {
    batch: u128,
    heads: u128,
    key_heads: u128,
    /// Pairs of a query and a key, of all sequences.
    pairs: u128,
    /// Queries and keys of all sequences.
    queries: u128,
    keys: u128,
    width: u128,
    value_width: u128,
}

/// Length, heads, width and batch of a tensor.
fn split(tensor: &Tensor<'_>, order: Order) -> Result<(u128, u64, u64, u64), NoModel> {
    Ok(match (order, tensor.dims) {
        (Order::HeadsFirst, &[.., heads, length, width]) => {
            let batch = tensor.dims.len().checked_sub(3).and_then(|end| tensor.dims.get(..end)).unwrap_or_default();
            (product(batch), length, heads, width)
        }
        (Order::LengthFirst, &[batch, length, heads, width]) => (batch.into(), length, heads, width),
        (Order::LengthFirst, &[length, heads, width]) => (1, length, heads, width),
        _ => return Err(NoModel::Mismatch),
    })
}

fn mask(call: &Call<'_>, layout: &Layout) -> Result<(Mask, bool), NoModel> {
    let truth = |at: usize| call.operands.bool(at).ok_or(NoModel::NoValue { argument: at });
    let causal = match layout.causal {
        CausalArgument::TopLeft(at) if truth(at)? => Causal::TopLeft,
        CausalArgument::End(at) if truth(at)? => Causal::End,
        CausalArgument::Kind(at) => match call.operands.int(at) {
            Some(0) => Causal::No,
            Some(1) => Causal::TopLeft,
            Some(2) => Causal::End,
            _ => return Err(NoModel::NoValue { argument: at }),
        },
        _ => Causal::No,
    };
    // Negative: no window.
    let width = |at: usize| call.operands.int(at).and_then(|width| u64::try_from(width).ok());
    let [left, right] = layout.window.map_or([None, None], |window| window.map(width));
    let is_causal = causal != Causal::No || (left.is_some() && right == Some(0));
    let causal = if is_causal && causal == Causal::No { Causal::End } else { causal };
    // Windows to both sides are not counted.
    let is_bound = !is_causal && (left.is_some() || right.is_some());
    Ok((Mask { causal, window: if is_causal { left } else { None } }, is_bound))
}

fn sizes(call: &Call<'_>, layout: &Layout, tensors: [Tensor<'_>; 3]) -> Result<(Sizes, Work), NoModel> {
    let [query, key, value] = tensors;
    let (batch, queries, heads, width) = split(&query, layout.order)?;
    let (key_batch, keys, key_heads, key_width) = split(&key, layout.order)?;
    let (value_batch, value_keys, value_heads, value_width) = split(&value, layout.order)?;
    let is_fitting = batch == key_batch
        && batch == value_batch
        && width == key_width
        && keys == value_keys
        && key_heads == value_heads
        && key_heads > 0
        && heads % key_heads == 0;
    if !is_fitting {
        return Err(NoModel::Mismatch);
    }
    let (mask, is_window_unknown) = mask(call, layout)?;
    let note = match mask.causal {
        Causal::No => None,
        Causal::TopLeft => Some(Note::CausalTopLeft),
        Causal::End => Some(Note::CausalEnd),
    };
    let empty = Work::of(Family::Attention, query.element.matrix_peak(), 0, &[]).noted(note);
    let packed = layout.ends.and_then(|[ends, _]| call.operands.dims(ends)).and_then(|dims| dims.first().copied());
    let (pairs, marked) = match packed {
        None | Some(0) => (times(&[batch, mask.pairs(queries, keys)]), empty),
        Some(_) if !call.lengths.is_empty() => {
            (call.lengths.iter().fold(0, |sum: u128, &[q, k]| sum.saturating_add(mask.pairs(q, k))), empty)
        }
        Some(ends) => {
            let longest = layout.longest.map(|longest| longest.map(|at| call.operands.int(at)));
            let Some([Some(q), Some(k)]) = longest else {
                return Err(NoModel::NoValue { argument: layout.ends.map_or(0, |ends| ends[0]) });
            };
            let (q, k) = (u64::try_from(q).unwrap_or(queries), u64::try_from(k).unwrap_or(keys));
            let most = times(&[(ends - 1).into(), mask.pairs(q, k)]);
            let most = most.min(times(&[queries.into(), k.into()])).min(times(&[q.into(), keys.into()]));
            (most, empty.bound(Note::LengthsUnknown))
        }
    };
    let marked = if is_window_unknown { marked.bound(Note::WindowUnknown) } else { marked };
    let sizes = Sizes {
        batch,
        heads: heads.into(),
        key_heads: key_heads.into(),
        pairs,
        queries: queries.into(),
        keys: keys.into(),
        width: u128::from(width).saturating_mul(query.element.values_per_element().into()),
        value_width: value_width.into(),
    };
    Ok((sizes, marked))
}

fn inputs<'c>(call: &Call<'c>, layout: &Layout) -> Result<[Tensor<'c>; 3], NoModel> {
    let [query, key, value] = layout.inputs;
    Ok([call.tensor(query)?, call.tensor(key)?, call.tensor(value)?])
}

/// Counts attention: a product with the keys and one with the values for each pair.
pub(crate) fn forward(call: &Call<'_>, layout: &Layout) -> Result<Work, NoModel> {
    let tensors = inputs(call, layout)?;
    let (sizes, marked) = sizes(call, layout, tensors)?;
    let flops = times(&[2, sizes.heads, sizes.pairs, sizes.width.saturating_add(sizes.value_width)]);
    let [query, key, value] = tensors.map(|tensor| tensor.half_bytes());
    let out = times(&[sizes.batch, sizes.queries, sizes.heads, sizes.value_width]);
    let bias = layout.bias.map_or(0, |at| call.optional(at));
    let moved = [query, key, value, bias, half_bytes(out, call.out(tensors[0].element))];
    Ok(Work { flops, bytes: sum(&moved).div_ceil(2), ..marked })
}

/// Counts the gradients of attention: five products for each pair, of which one repeats the product with the keys, and the sums of
/// the gradients of keys and values that several heads of queries share.
pub(crate) fn backward(call: &Call<'_>, layout: &Layout, is_recomputed: bool) -> Result<Work, NoModel> {
    let tensors = inputs(call, layout)?;
    let (sizes, marked) = sizes(call, layout, tensors)?;
    let products = if is_recomputed { 3 } else { 2 };
    let widths = times(&[products, sizes.width]).saturating_add(times(&[2, sizes.value_width]));
    let shared = (sizes.heads / sizes.key_heads.max(1)).saturating_sub(1);
    let both = sizes.width.saturating_add(sizes.value_width);
    let flops = times(&[2, sizes.heads, sizes.pairs, widths]).saturating_add(times(&[
        sizes.batch,
        sizes.keys,
        both,
        shared,
        sizes.key_heads,
    ]));
    let [query, key, value] = tensors.map(|tensor| tensor.half_bytes());
    let out = times(&[sizes.batch, sizes.queries, sizes.heads, sizes.value_width]);
    let out = half_bytes(out, tensors[0].element);
    let sums = half_bytes(times(&[sizes.batch, sizes.queries, sizes.heads]), DataType::F32);
    let bias = layout.bias.map_or(0, |at| call.optional(at));
    // Inputs, the result, its gradient and the sums of exponentials are read, the gradients of the inputs are written.
    let moved = [query, key, value, query, key, value, out, out, sums, bias];
    Ok(Work { flops, bytes: sum(&moved).div_ceil(2), ..marked })
}
