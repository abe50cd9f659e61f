//! Names that two vendors spell differently.

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Words that vendors spell differently, and the one that stands for them.
const WORDS: [(&str, &str); 8] = [
    ("cudnn", "dnn"),
    ("miopen", "dnn"),
    ("cublas", "blas"),
    ("hipblaslt", "blas"),
    ("hipblas", "blas"),
    ("rocblas", "blas"),
    ("cuda", "hip"),
    ("nccl", "rccl"),
];
/// Prefixes of calls of the runtime and the driver.
const APIS: [&str; 3] = ["cuda", "hip", "cu"];
/// Calls of one purpose, and the one that stands for them: each vendor has several that launch a kernel or copy.
const CALLS: [(&str, &str); 6] = [
    ("LaunchKernelExC", "LaunchKernel"),
    ("LaunchKernelEx", "LaunchKernel"),
    ("ModuleLaunchKernel", "LaunchKernel"),
    ("ExtLaunchKernel", "LaunchKernel"),
    ("ExtModuleLaunchKernel", "LaunchKernel"),
    ("MemcpyWithStream", "MemcpyAsync"),
];

/// The words that are replaced, which most names do not have.
static SEARCHED: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(WORDS.iter().map(|(word, _)| word)).ok());

/// Returns a name with the words of one vendor in place of those of the other.
pub(super) fn fold_vendors(name: &str) -> String {
    if SEARCHED.as_ref().is_some_and(|words| !words.is_match(name)) {
        return name.to_owned();
    }
    WORDS.iter().fold(name.to_owned(), |name, (word, folded)| name.replace(word, folded))
}

/// Returns what a name and that of the other vendor have in common: `cudaGraphLaunch` and `hipGraphLaunch`, `aten::cudnn_convolution` and
/// `aten::miopen_convolution`, `cudaLaunchKernel` and `hipExtModuleLaunchKernel` have the same.
pub fn vendor_neutral(name: &str) -> String {
    let (before, call) = name.rsplit_once(' ').map_or(("", name), |(before, call)| (before, call));
    let is_call = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_uppercase());
    let Some(rest) = APIS.iter().find_map(|api| call.strip_prefix(api).filter(is_call)) else {
        return fold_vendors(name);
    };
    // With the suffixes of stream semantics and versions: cudaStreamSynchronize_ptsz, cudaDeviceSynchronize_v3020.
    let rest = rest.split('_').next().unwrap_or(rest);
    let rest = CALLS.iter().find(|(call, _)| *call == rest).map_or(rest, |(_, folded)| folded);
    format!("{}{}hip{rest}", fold_vendors(before), if before.is_empty() { "" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_two_vendors_agree() {
        for (one, other) in [
            ("cudaGraphLaunch", "hipGraphLaunch"),
            ("kernels of cudaGraphLaunch", "kernels of hipGraphLaunch"),
            ("cudaLaunchKernel", "hipExtModuleLaunchKernel"),
            ("cudaLaunchKernelExC_v11060", "hipLaunchKernel"),
            ("cuLaunchKernel", "hipModuleLaunchKernel"),
            ("cudaStreamSynchronize_ptsz", "hipStreamSynchronize"),
            ("cudaMemcpyAsync", "hipMemcpyWithStream"),
            ("nccl:all_reduce", "rccl:all_reduce"),
            ("aten::cudnn_convolution", "aten::miopen_convolution"),
            ("aten::cudnn_batch_norm", "aten::miopen_batch_norm"),
        ] {
            assert_eq!(vendor_neutral(one), vendor_neutral(other), "{one} ~ {other}");
        }
        for (one, other) in [
            ("cudaMemcpyAsync", "hipMemsetAsync"),
            ("cudaEventRecord", "hipEventQuery"),
            ("cumsum", "sum"),
            ("aten::cumsum", "aten::hipsum"),
        ] {
            assert_ne!(vendor_neutral(one), vendor_neutral(other), "{one} ~ {other}");
        }
        assert_eq!(vendor_neutral("aten::add"), "aten::add");
    }
}
