//! Tensors: dimensions, type, and the counts that follow from them.

use super::data_type::DataType;

/// The most dimensions of a tensor that are believed; torch has 64.
pub(crate) const MOST_DIMENSIONS: usize = 64;

/// A tensor without its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tensor<'o> {
    pub(crate) dims: &'o [u64],
    pub(crate) element: DataType,
}

impl Tensor<'_> {
    /// Returns the number of recorded elements.
    pub(crate) fn numel(&self) -> u128 {
        product(self.dims)
    }

    /// Returns the size in half bytes.
    pub(crate) fn half_bytes(&self) -> u128 {
        half_bytes(self.numel(), self.element)
    }
}

/// Returns the half bytes of a number of recorded elements.
pub(crate) fn half_bytes(elements: u128, element: DataType) -> u128 {
    elements.saturating_mul(element.half_bytes())
}

/// Multiplies dimensions; the largest number where they overflow, 0 if any is 0.
pub(crate) fn product(dims: &[u64]) -> u128 {
    if dims.contains(&0) {
        return 0;
    }
    dims.iter().fold(1, |product: u128, &dim| product.saturating_mul(u128::from(dim)))
}

/// Multiplies numbers; the largest number where they overflow, 0 if any is 0.
pub(crate) fn times(factors: &[u128]) -> u128 {
    if factors.contains(&0) {
        return 0;
    }
    factors.iter().fold(1, |product: u128, &factor| product.saturating_mul(factor))
}

/// Adds numbers; the largest number where they overflow.
pub(crate) fn sum(terms: &[u128]) -> u128 {
    terms.iter().fold(0, |sum: u128, &term| sum.saturating_add(term))
}
