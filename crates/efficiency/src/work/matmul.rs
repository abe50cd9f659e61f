//! Products of matrices.

use super::call::{Call, Family, NoModel, Work, result};
use crate::operand::data_type::DataType;
use crate::operand::tensor::{Tensor, product, times};

/// Positions of what a product of matrices takes.
pub(crate) struct Layout {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Whether the second matrix is N × K.
    pub(crate) is_transposed: bool,
    /// Tensors that are read besides: bias and scales.
    pub(crate) rest: &'static [usize],
    /// The argument with the number of the result's type.
    pub(crate) out_type: Option<usize>,
}

/// Rows, columns and the shared dimension of a product, for each of a batch.
struct Sizes {
    batch: u128,
    m: u128,
    n: u128,
    k: u128,
}

/// Splits dimensions into all but the last two, and these.
fn matrix(tensor: &Tensor<'_>) -> Option<(u128, u64, u64)> {
    match tensor.dims {
        [batch @ .., rows, columns] => Some((product(batch), *rows, *columns)),
        _ => None,
    }
}

/// The type of a result of two inputs.
fn result_type(call: &Call<'_>, layout: &Layout, a: DataType, b: DataType) -> DataType {
    let recorded = layout.out_type.and_then(|at| call.operands.int(at)).and_then(DataType::numbered);
    let narrow = matches!(a, DataType::F8 | DataType::F4Pair) || matches!(b, DataType::F8 | DataType::F4Pair);
    call.out_type.or(recorded).unwrap_or(match a.promoted(b) {
        // Types of the results of narrow inputs are not recorded without the argument: torch's default here is 16 bits.
        _ if narrow => DataType::Bf16,
        DataType::I8 => DataType::I32,
        wide => wide,
    })
}

fn counted(call: &Call<'_>, layout: &Layout, a: Tensor<'_>, b: Tensor<'_>, sizes: &Sizes) -> Work {
    let Sizes { batch, m, n, k } = *sizes;
    let k = k.saturating_mul(u128::from(a.element.values_per_element()));
    let out = result_type(call, layout, a.element, b.element);
    let rest = layout.rest.iter().fold(0u128, |sum, &at| sum.saturating_add(call.optional(at)));
    let moved = [a.half_bytes(), b.half_bytes(), rest, result(times(&[batch, m, n]), out)];
    // Of two types, the wider has the lower peak.
    let wide = if a.element.half_bytes() >= b.element.half_bytes() && a.element != DataType::F4Pair { a } else { b };
    Work::of(Family::Matmul, wide.element.matrix_peak(), times(&[2, batch, m, n, k]), &moved)
}

/// Counts the product of two matrices.
pub(crate) fn plain(call: &Call<'_>, layout: &Layout) -> Result<Work, NoModel> {
    let (a, b) = (call.tensor(layout.a)?, call.tensor(layout.b)?);
    let (rows, k) = match a.dims {
        [rows @ .., k] if !rows.is_empty() => (product(rows), *k),
        _ => return Err(NoModel::Mismatch),
    };
    let &[first, second] = b.dims else { return Err(NoModel::Mismatch) };
    let (inner, n) = if layout.is_transposed { (second, first) } else { (first, second) };
    if inner != k {
        return Err(NoModel::Mismatch);
    }
    Ok(counted(call, layout, a, b, &Sizes { batch: 1, m: rows, n: n.into(), k: k.into() }))
}

/// Counts products of two batches of matrices.
pub(crate) fn batched(call: &Call<'_>, layout: &Layout) -> Result<Work, NoModel> {
    let (a, b) = (call.tensor(layout.a)?, call.tensor(layout.b)?);
    let (Some((batch, m, k)), Some((batch_b, inner, n))) = (matrix(&a), matrix(&b)) else {
        return Err(NoModel::Mismatch);
    };
    if inner != k || batch != batch_b {
        return Err(NoModel::Mismatch);
    }
    Ok(counted(call, layout, a, b, &Sizes { batch, m: m.into(), n: n.into(), k: k.into() }))
}

/// Counts `matmul` of any two tensors: vectors, matrices, batches that are repeated where one has fewer.
pub(crate) fn broadcast(call: &Call<'_>, layout: &Layout) -> Result<Work, NoModel> {
    let (a, b) = (call.tensor(layout.a)?, call.tensor(layout.b)?);
    let (m, k, batch_a) = match a.dims {
        [k] => (1, *k, &[][..]),
        [batch @ .., m, k] => (*m, *k, batch),
        [] => return Err(NoModel::Mismatch),
    };
    let (inner, n, batch_b) = match b.dims {
        [k] => (*k, 1, &[][..]),
        [batch @ .., k, n] => (*k, *n, batch),
        [] => return Err(NoModel::Mismatch),
    };
    let batch = super::elementwise::broadcast(&[batch_a, batch_b]).ok_or(NoModel::Mismatch)?;
    if inner != k {
        return Err(NoModel::Mismatch);
    }
    Ok(counted(call, layout, a, b, &Sizes { batch: product(&batch), m: m.into(), n: n.into(), k: k.into() }))
}

/// Counts the product of a matrix and a vector, or of two vectors.
pub(crate) fn vector(call: &Call<'_>, layout: &Layout) -> Result<Work, NoModel> {
    let (a, b) = (call.tensor(layout.a)?, call.tensor(layout.b)?);
    match (a.dims, b.dims) {
        ([.., k], [inner]) if k == inner && a.dims.len() <= 2 => {
            let rows = a.dims.split_last().map_or(1, |(_, rows)| product(rows));
            Ok(counted(call, layout, a, b, &Sizes { batch: 1, m: rows, n: 1, k: u128::from(*k) }))
        }
        _ => Err(NoModel::Mismatch),
    }
}
