//! Families of kernels: what a kernel does, whatever its vendor calls it.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Kind of work of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Family {
    /// Matrix product.
    Gemm,
    /// Convolution.
    Convolution,
    /// Attention in one kernel.
    Attention,
    /// Layer, batch, group and RMS normalisation.
    Normalisation,
    /// Softmax.
    Softmax,
    /// Reduction.
    Reduction,
    /// Elementwise work.
    Elementwise,
    /// Copy of memory, concatenation.
    Copy,
    /// Fill of memory.
    Set,
    /// Collective communication.
    Collective,
    /// Embedding, gather, scatter, index.
    Embedding,
    /// Sort and scan.
    SortScan,
    /// Any other work.
    Other,
}

/// Number of families.
pub(crate) const FAMILIES: usize = Family::Other as usize + 1;

/// Words of a name in lower case that tell its family; the first family with a word in the name holds.
const WORDS: [(Family, &[&str]); 15] = [
    (Family::Collective, &["nccl", "rccl", "allreduce", "all_reduce", "allgather", "reduce_scatter", "gloo:"]),
    (Family::Set, &["memset", "fill"]),
    (Family::Copy, &["memcpy"]),
    (Family::Attention, &["flash", "fmha", "attention", "attn", "sdpa"]),
    (Family::Softmax, &["softmax"]),
    (Family::Normalisation, &["norm", "batchnorm", "bn_fw", "bn_bw", "rms"]),
    (Family::Convolution, &["conv", "winograd", "im2col", "col2im", "wgrad", "dgrad", "fprop", "miopen_sp3"]),
    (
        Family::Gemm,
        &[
            "gemm", "gemv", "cublas", "cutlass", "cijk", "matmul", "addmm", "bmm", "baddbmm", "aten::mm", "linear",
            "splitk", "wmma", "nvjet",
        ],
    ),
    (Family::Embedding, &["embedding", "index", "gather", "scatter"]),
    (Family::SortScan, &["sort", "scan", "topk", "radix", "cumsum"]),
    (Family::Elementwise, &["elementwise", "vectorized", "unrolled", "pointwise", "triton_poi", "multi_tensor"]),
    (Family::Reduction, &["reduce", "triton_red", "triton_per", "sum", "mean", "argmax", "max_kernel"]),
    (Family::Copy, &["copy", "catarray", "cat_", "transpose", "permute"]),
    (
        Family::Elementwise,
        &[
            "gelu",
            "relu",
            "dropout",
            "aten::add",
            "aten::mul",
            "aten::div",
            "aten::sub",
            "aten::pow",
            "aten::tanh",
            "sigmoid",
            "silu",
        ],
    ),
    (Family::Set, &["zero_", "ones"]),
];

/// All words, which one pass over a name finds.
struct Searched {
    search: AhoCorasick,
    /// Row in [`WORDS`] by number of the word.
    families: Vec<u8>,
}

static SEARCHED: LazyLock<Option<Searched>> = LazyLock::new(|| {
    let words = WORDS.iter().zip(0..).flat_map(|((_, words), row)| words.iter().map(move |word| (word, row)));
    let (words, families): (Vec<&&str>, Vec<u8>) = words.unzip();
    let search = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(words).ok()?;
    Some(Searched { search, families })
});

impl Family {
    /// Returns the family that a kernel's or an operator's name tells; [`Family::Other`] if it tells none.
    pub fn of(name: &str) -> Self {
        let Some(searched) = SEARCHED.as_ref() else { return Self::Other };
        let words = searched.search.find_overlapping_iter(name);
        let first = words.map(|word| searched.families[word.pattern().as_usize()]).min();
        first.map_or(Self::Other, |first| WORDS[first as usize].0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_word_tells_its_family_or_one_before() {
        for (at, (_, words)) in WORDS.iter().enumerate() {
            for word in *words {
                let found = Family::of(&format!("void {}<1>", word.to_ascii_uppercase()));
                let first = WORDS.iter().position(|(_, others)| others.iter().any(|other| word.contains(other)));
                assert_eq!(found, WORDS[first.unwrap()].0, "{word}");
                assert!(first.unwrap() <= at);
            }
        }
    }

    #[test]
    fn kernels_of_two_vendors_share_families() {
        for (name, family) in [
            ("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", Family::Gemm),
            ("Cijk_Ailk_Bljk_BBS_BH_MT64x64x64", Family::Gemm),
            ("void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>", Family::Gemm),
            ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", Family::Normalisation),
            ("void (anonymous namespace)::softmax_warp_forward<float>", Family::Softmax),
            ("pytorch_flash::flash_fwd_kernel", Family::Attention),
            ("Memcpy DtoH (Device -> Pinned)", Family::Copy),
            ("Memset (Device)", Family::Set),
            ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", Family::Collective),
            ("void at::native::vectorized_elementwise_kernel<4>", Family::Elementwise),
            ("void at::native::reduce_kernel<512, 1>", Family::Reduction),
            ("something", Family::Other),
        ] {
            assert_eq!(Family::of(name), family, "{name}");
        }
    }
}
