//! Operation class of a kernel, by its name.

use super::Compat;
use serde::{Deserialize, Serialize};

/// Operation class of a kernel, by its name: collectives are communication, whatever library they are of ([`is_collective`]), all
/// else follows HTA's rules.
///
/// With [`Compat::Hta`], HTA's rules alone hold, which know NCCL and HCCL. In both modes names that start with `hip` are communication, and a name that contains `Sync`, `dma`,
/// `Memcpy` or `Memset` is not a computation (`SyncBatchNorm` kernels are [`KernelType::Other`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum KernelType {
    /// Computations.
    Computation,
    /// Collectives and custom all-reduces, and all names that start with `hip`.
    Communication,
    /// Copies and fills.
    Memory,
    /// Synchronisation and launches.
    Other,
}

impl KernelType {
    /// Returns the class of a kernel.
    pub fn of(name: &str, compat: Compat) -> Self {
        // Differs from HTA: it counts kernels of RCCL and custom all-reduces as computation.
        if compat == Compat::Exact && is_collective(name) {
            return Self::Communication;
        }
        // HTA's patterns look at the first line only.
        let line = name.split('\n').next().unwrap_or_default();
        let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        let holds = |words: &[&str]| words.iter().any(|word| line.contains(word));
        if starts(&["nccl", "hip", "hccl"]) || holds(&["ncclKernel"]) {
            Self::Communication
        } else if starts(&["Memcpy", "Memset", "dma"]) {
            Self::Memory
        } else if starts(NO_COMPUTATION)
            || holds(&["Memcpy", "Memset", "dma", "Sync"])
            || line.strip_prefix("cuda").is_some_and(|rest| rest.contains("LaunchKernel"))
        {
            Self::Other
        } else {
            Self::Computation
        }
    }

    /// Returns HTA's name of the class.
    pub fn word(self) -> &'static str {
        match self {
            Self::Computation => "COMPUTATION",
            Self::Communication => "COMMUNICATION",
            Self::Memory => "MEMORY",
            Self::Other => "OTHER",
        }
    }
}

/// Prefixes of names that are neither computation nor communication.
const NO_COMPUTATION: &[&str] = &[
    "Stream Wait Event",
    "runFunction",
    "job_exe",
    "packet",
    "pe_exe",
    "cpum_exe_subgraph",
    "collective_subgraph_execution",
];

/// Names of functions that communicate without a collective library: custom all-reduces of servers (vLLM, SGLang, AITER, quick reduce,
/// TensorRT-LLM, FlashInfer), symmetric memory of PyTorch, DeepEP.
const CUSTOM: [&str; 8] = [
    "cross_device_reduce",
    "quickreduce",
    "quick_reduce",
    "all_reduce_kernel",
    "allreduce_fusion",
    "ShotAllReduce",
    "multimem_",
    "deep_ep::",
];

/// Tells whether a kernel communicates: one of a collective library, or a custom all-reduce.
// Differs from HTA: it counts every kernel whose name starts with `hip` as communication.
pub fn is_collective(name: &str) -> bool {
    if ["nccl", "rccl", "hccl", "mscclKernel"].iter().any(|start| name.starts_with(start))
        || ["ncclKernel", "ncclDevKernel", "nvshmem"].iter().any(|word| name.contains(word))
    {
        return true;
    }
    // Only the name of the function counts: reductions within a block stand among its template arguments.
    let name = name.trim_start_matches("void ").trim_start_matches("(anonymous namespace)::");
    let function = name.split(['<', '(']).next().unwrap_or_default();
    CUSTOM.iter().any(|word| function.contains(word))
}

/// Tells whether an event of the CPU is a collective that runs on the CPU: what a backend without a GPU records on its own thread.
pub fn is_cpu_collective(name: &str) -> bool {
    ["gloo:", "mpi:", "ucc:"].iter().any(|start| name.starts_with(start))
}

/// Returns the kind of a kernel of [`KernelType::Memory`]: `Memset`, `Memcpy DtoH`, …, or `Memcpy Unknown`.
pub fn memory_kernel_type(name: &str) -> &str {
    if name.starts_with("Memset") {
        "Memset"
    } else if name.starts_with("Memcpy") {
        name.char_indices().nth(11).map_or(name, |(end, _)| &name[..end])
    } else {
        "Memcpy Unknown"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_classified_by_name() {
        for (name, expected) in [
            ("ampere_sgemm_128x64_nn", KernelType::Computation),
            ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", KernelType::Communication),
            ("void ncclKernel_1", KernelType::Communication),
            ("hipMemcpyAsync", KernelType::Communication),
            ("Memcpy DtoH (Device -> Pinned)", KernelType::Memory),
            ("Memset (Device)", KernelType::Memory),
            ("dma_copy", KernelType::Memory),
            ("SyncBatchNorm_kernel", KernelType::Other),
            ("fusedma_kernel", KernelType::Other),
            ("cudaLaunchKernel", KernelType::Other),
            ("Stream Wait Event", KernelType::Other),
            ("one\nSync", KernelType::Computation),
        ] {
            assert_eq!(KernelType::of(name, Compat::Hta), expected, "{name}");
            assert_eq!(KernelType::of(name, Compat::Exact), expected, "{name}");
        }
    }

    #[test]
    fn copies_are_classified_by_direction() {
        assert_eq!(memory_kernel_type("Memcpy HtoD (Pinned -> Device)"), "Memcpy HtoD");
        assert_eq!(memory_kernel_type("Memset (Device)"), "Memset");
        assert_eq!(memory_kernel_type("Memcpy"), "Memcpy");
        assert_eq!(memory_kernel_type("dma"), "Memcpy Unknown");
    }
    #[test]
    fn collectives_of_all_libraries_are_communication() {
        for name in [
            "rcclGenericKernel",
            "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
            "_ZN5aiter27cross_device_reduce_2stageIDF16bLi8EEEvPNS_8RankDataE",
            "void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot>(void const*)",
            "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16, 8>(c10::BFloat16*)",
            "void deep_ep::intranode::dispatch<4, 768>(int4*)",
            "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)",
            "nvshmemi_transfer_rma",
        ] {
            assert!(is_collective(name), "{name}");
            assert_eq!(KernelType::of(name, Compat::Exact), KernelType::Communication, "{name}");
        }
        // A reduction within a block is a template argument.
        let block = "void softmax_warp<WarpAllReduce, all_reduce_kernel>(float*)";
        assert!(!is_collective(block) && !is_collective("void at::native::reduce_kernel<512, 1>(int)"));
        assert_eq!(KernelType::of("rcclGenericKernel", Compat::Hta), KernelType::Computation);
    }
}
