//! The answer what an inference server did in its steps.

use super::phases::PhaseSummary;
use super::replicas::Replica;
use crate::{DeviceTime, ServedPhase, Server, StepMarker};

/// What marks the steps of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum StepSource {
    /// Annotations of a server.
    Annotations,
    /// Steps of the profiler: no server annotates any.
    Profiler,
    /// A call that repeats and launches most of the work.
    Found(StepMarker),
    /// Calls of several kinds do, so that there are no steps.
    Several(Vec<StepMarker>),
    /// Nothing.
    None,
}

/// Steps of an inference server by phase: requests, tokens, times, and what the GPU did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServingAnswer {
    /// Label of the trace.
    pub label: String,
    /// What marks the steps.
    pub source: StepSource,
    /// The phases that have steps; of steps without annotations of a server one, [`ServedPhase::Unknown`].
    pub phases: Vec<PhaseSummary>,
    /// Ranks that run the same steps, with the steps of one of them.
    pub replicas: Vec<Replica>,
    /// The ranks that were read.
    pub ranks: Vec<i64>,
    /// Sizes and kinds of the graphs whose captures are annotated, ascending.
    pub captures: Vec<(u64, String)>,
    /// Number of annotations that begin inside another step and end after it, which are left out.
    pub overlapping: usize,
    /// Number of launches of graphs, of all ranks.
    pub graph_launches: usize,
    /// How long the GPUs were busy, the sum over ranks; `None` without GPU work.
    pub device: Option<DeviceTime>,
}

impl ServingAnswer {
    /// Returns the summary of a phase.
    pub fn phase(&self, phase: ServedPhase) -> Option<&PhaseSummary> {
        self.phases.iter().find(|summary| summary.phase == phase)
    }

    /// Returns the servers whose annotations mark the steps.
    pub fn servers(&self) -> Vec<Server> {
        let steps = self.replicas.iter().flat_map(|replica| &replica.steps);
        let mut servers: Vec<Server> = steps.filter_map(|step| step.served).map(|step| step.server).collect();
        servers.sort_unstable();
        servers.dedup();
        servers
    }

    /// Returns the number of GPUs that run the steps; `None` if not all may be loaded.
    pub fn gpus(&self) -> Option<usize> {
        let gpus: Option<usize> = self.replicas.iter().map(|replica| replica.gpus).sum();
        gpus.filter(|&gpus| gpus > 0)
    }

    /// Returns a rate per GPU; `None` if it is unknown how many there are.
    pub fn per_gpu(&self, rate: Option<f64>) -> Option<f64> {
        Some(rate? / self.gpus()? as f64)
    }

    /// Tells whether the annotations say how many key tokens steps read.
    pub fn has_key_tokens(&self) -> bool {
        self.phases.iter().any(|phase| phase.key_tokens.is_some_and(|keys| keys > 0.0))
    }

    /// Returns the begin of the first step, in ns on the clock of the trace.
    pub(super) fn first_ns(&self) -> i64 {
        let steps = self.replicas.iter().flat_map(|replica| &replica.steps);
        steps.map(|step| step.start_ns).min().unwrap_or(0)
    }
}
