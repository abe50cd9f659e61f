//! Kernels that torch.compile fused, by their name.

use super::call::{Call, Family, NoModel, Note, Work};
use super::fused_names::cut;
use crate::operand::tensor::{Tensor, half_bytes, times};

/// Returns the operators that a kernel of torch.compile fuses, by its name: `add`, `cos` of `triton_poi_fused_add_cos_3`. The text of the name
/// as it is where it has words of no known operator; `None` for names of another form.
pub fn fused_operators(name: &str) -> Option<Vec<&str>> {
    let (kind, rest) = name.strip_prefix("triton_")?.split_once("_fused_")?;
    if kind.is_empty() || kind.contains('_') {
        return None;
    }
    // The number of the kernel, with its signature in old versions: `_3`, `_0d1d2`.
    let text = match rest.rsplit_once('_') {
        Some((text, number)) if number.starts_with(|c: char| c.is_ascii_digit()) => text,
        _ => rest,
    };
    let found = cut(text);
    if found.unknown > 0 || found.operators.is_empty() {
        return Some(vec![text]);
    }
    Some(found.operators.iter().map(|(name, _)| *name).collect())
}

/// Returns whether a kernel reduces, and the operators in its name: `triton_poi_fused_add_cos_3` is a pointwise one of `add_cos`.
fn parsed(name: &str) -> Option<(bool, &str)> {
    let rest = name.strip_prefix("triton_")?;
    let (kind, rest) = rest.split_once("_fused_")?;
    let is_reducing = match kind {
        "poi" => false,
        "red" | "per" => true,
        _ => return None,
    };
    let trimmed = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((is_reducing, trimmed.strip_suffix('_').unwrap_or(rest)))
}

/// Counts a fused kernel: operations of each operator in its name for each step of its loops, and every tensor once, as far as the
/// loops reach.
pub(crate) fn fused(call: &Call<'_>) -> Result<Work, NoModel> {
    let (is_reducing, name) = parsed(call.name).ok_or(NoModel::UnknownName)?;
    let tensors: Vec<Tensor<'_>> = call.operands.tensors().collect();
    let first = tensors.first().ok_or(NoModel::NoShapes)?;
    let largest = tensors.iter().map(Tensor::numel).max().unwrap_or(0);
    // Sizes of loops are the last arguments.
    let size = |from_end: usize| {
        let at = call.operands.len().checked_sub(from_end)?;
        let value = call.operands.tensor(at).is_none().then(|| call.operands.int(at))??;
        u128::try_from(value).ok().filter(|&value| value > 0)
    };
    let steps = match (size(1), size(2)) {
        (Some(last), Some(before)) => {
            let both = last.saturating_mul(before);
            let is_shape = tensors.iter().any(|tensor| tensor.numel() == both);
            // Sizes that are no loops come before them.
            Some(if is_reducing || is_shape { both } else { last })
        }
        (Some(last), None) if !is_reducing => Some(last),
        _ => None,
    };
    let weight = cut(name).operators.iter().fold(0u128, |sum, (_, weight)| sum + u128::from(*weight));
    let reach = steps.unwrap_or(largest);
    let moved: Vec<u128> = tensors.iter().map(|tensor| half_bytes(tensor.numel().min(reach), tensor.element)).collect();
    let work = Work::of(Family::Fused, first.element.vector_peak(), times(&[weight, reach]), &moved);
    Ok(if steps.is_some() { work.noted(Some(Note::FusedName)) } else { work.bound(Note::SizeUnknown) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fused_operators_are_read_from_names() {
        for (name, expected) in [
            ("triton_poi_fused_add_relu_3", Some(vec!["add", "relu"])),
            ("triton_per_fused_add_native_layer_norm_12", Some(vec!["add", "native_layer_norm"])),
            ("triton_poi_fused_add_0d1d2", Some(vec!["add"])),
            ("triton_red_fused_frobnicate_add_0", Some(vec!["frobnicate_add"])),
            ("triton_tem_fused_mm", Some(vec!["mm"])),
            ("triton_mm", None),
            ("triton_a_b_fused_add_1", None),
            ("gemm_fused_add", None),
        ] {
            assert_eq!(fused_operators(name), expected, "{name}");
        }
    }
}
