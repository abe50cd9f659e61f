//! A call that divides a recording into iterations.

use crate::domain::ProposedMarker;

/// Least share of the work that is launched inside of the iterations.
pub(super) const LEAST_SHARE: f64 = 0.8;

/// A call that repeats and launches most of the work of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct StepMarker {
    /// Its name, with `…` for what differs from call to call: `nn.Module: LlamaForCausalLM_0`; of launches that begin the repeating
    /// pattern `cudaLaunchKernel of embedding_kernel`.
    pub name: String,
    /// The regular expression that its names match, as `--marker` takes it.
    pub pattern: String,
    /// Number of calls, none inside another.
    pub count: usize,
    /// Share of the GPU time that they launch, from 0 to 1.
    pub share: f64,
}

impl From<StepMarker> for ProposedMarker {
    fn from(StepMarker { name, pattern, count, .. }: StepMarker) -> Self {
        Self { name, pattern, count }
    }
}
