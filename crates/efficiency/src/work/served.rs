//! Attention of servers, from sums over the requests of a batch.

use super::call::{Call, Family, NoModel, Note, Work};
use super::sums::Sums;
use crate::operand::data_type::DataType;
use crate::operand::tensor::{sum, times};

/// Heads, widths and types of served attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedHeads {
    /// Heads of queries.
    pub query_heads: u64,
    /// Heads of keys and values: 1 for latent attention.
    pub key_heads: u64,
    /// Width of queries and keys; for latent attention, of the latent and of the rotated part together.
    pub width: u64,
    /// Width of values; for latent attention, of the latent.
    pub value_width: u64,
    /// Whether values are a part of the keys, so that the cache contains them once: latent attention.
    pub has_shared_values: bool,
    /// Keys before the newest that a query sees, if a window limits them.
    pub window: Option<u64>,
    /// The type of queries, new keys and values, and of the result.
    pub element: DataType,
    /// The type of the cache.
    pub cache: DataType,
}

/// Counts attention of a batch of requests over a cache of keys and values. Each request is causal, aligned at its last token.
pub fn served_attention(heads: &ServedHeads, sums: &Sums) -> Work {
    let parts = [sums.context, sums.generation];
    let both = u128::from(heads.width).saturating_add(heads.value_width.into());
    // Of q queries and k keys, the first query does not see the last q - 1 keys: q·k - q(q - 1)/2 pairs.
    let doubled = parts.map(|of| {
        let hidden = of.queries_squared.saturating_sub(of.queries);
        u128::from(of.queries_by_keys).saturating_mul(2).saturating_sub(hidden.into())
    });
    let mut flops = times(&[heads.query_heads.into(), sum(&doubled), both]);
    let mut old = parts.map(|of| u128::from(of.keys.saturating_sub(of.queries)));
    let mut note = Note::CausalEnd;
    if let Some(window) = heads.window {
        // The window is known for requests that generate one token, where it limits the keys of each.
        let most = u128::from(sums.generation.queries).saturating_mul(window.into());
        old[1] = old[1].min(most);
        note = Note::WindowUnknown;
        let seen = most.saturating_add(sums.generation.queries.into());
        let limited = doubled[1].min(seen.saturating_mul(2));
        flops = times(&[heads.query_heads.into(), doubled[0].saturating_add(limited), both]);
    }
    let new = parts.iter().fold(0u128, |sum, of| sum.saturating_add(of.queries.into()));
    let widths = |key_width: u64, value_width: u64| {
        let values = if heads.has_shared_values { 0 } else { value_width };
        times(&[heads.key_heads.into(), u128::from(key_width).saturating_add(values.into())])
    };
    let key_value = widths(heads.width, heads.value_width);
    let per_query = times(&[heads.query_heads.into(), both]).saturating_add(key_value);
    let moved = [
        times(&[new, per_query, heads.element.half_bytes()]),
        times(&[sum(&old), key_value, heads.cache.half_bytes()]),
    ];
    let work = Work::of(Family::Attention, heads.element.matrix_peak(), flops, &moved);
    if heads.window.is_some() { work.bound(note) } else { work.noted(Some(note)) }
}

/// Counts served attention from the shapes of its arguments and the sums of its batch.
pub(crate) fn paged(call: &Call<'_>, query_at: usize, key_at: usize, value_at: usize) -> Result<Work, NoModel> {
    let (query, key, value) = (call.tensor(query_at)?, call.tensor(key_at)?, call.tensor(value_at)?);
    let last_two =
        |dims: &[u64]| if let &[.., heads, width] = dims { Ok([heads, width]) } else { Err(NoModel::Mismatch) };
    let ([query_heads, width], [key_heads, key_width]) = (last_two(query.dims)?, last_two(key.dims)?);
    let [_, value_width] = last_two(value.dims)?;
    if width != key_width || key_heads == 0 || query_heads % key_heads != 0 {
        return Err(NoModel::Mismatch);
    }
    let sums = call.sums.ok_or(NoModel::NoSums)?;
    Ok(served_attention(
        &ServedHeads {
            query_heads,
            key_heads,
            width,
            value_width,
            has_shared_values: false,
            window: None,
            element: query.element,
            cache: key.element,
        },
        &sums,
    ))
}
