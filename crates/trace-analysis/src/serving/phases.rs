//! Sums of the steps of a phase.

use super::padding::Padding;
use super::replicas::Replica;
use super::windows::TimedStep;
use crate::stats::quantile;
use crate::{DeviceTime, ServedPhase, ServedStep};
use std::collections::BTreeSet;

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

/// Spread of a time over steps, in ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// A tenth of the steps takes less.
    pub p10: f64,
    /// Half of the steps takes less.
    pub median: f64,
    /// A tenth of the steps takes more.
    pub p90: f64,
}

/// Steps of a phase, of all replicas.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseSummary {
    /// The phase.
    pub phase: ServedPhase,
    /// Number of its steps.
    pub steps: usize,
    /// Mean number of requests a step; `None` if the annotations do not say, as in the next four.
    pub requests: Option<f64>,
    /// Mean number of prompt tokens that a step reads.
    pub prompt_tokens: Option<f64>,
    /// Mean number of requests that get a token in a step.
    pub output_tokens: Option<f64>,
    /// Mean number of key tokens that the attention of a step reads.
    pub key_tokens: Option<f64>,
    /// Time of a step.
    pub step: Spread,
    /// Prompt tokens a second, while steps of this phase run.
    pub prompt_tokens_per_second: Option<f64>,
    /// Tokens that requests get a second, while steps of this phase run.
    pub output_tokens_per_second: Option<f64>,
    /// Whether requests may get several tokens a step, by speculation: then a step is an upper bound of the time per token.
    pub speculates: bool,
    /// Padding of its graphs.
    pub padding: Padding,
    /// Mean number of graphs that a step launches.
    pub graph_launches: f64,
    /// Sum of the time of its steps, and what the GPU did meanwhile.
    pub device: DeviceTime,
}

impl PhaseSummary {
    /// Returns the time per output token of a request, which is that of a step, in ns; `None` if no request gets any.
    pub fn time_per_output_token(&self) -> Option<Spread> {
        self.phase.generates().then_some(self.step)
    }

    /// Returns a sum of times as a mean over steps, in ns.
    pub fn mean_ns(&self, of: fn(&DeviceTime) -> i64) -> f64 {
        of(&self.device) as f64 / self.steps.max(1) as f64
    }
}

/// Sums the steps of each phase up, in the order of phases.
pub(super) fn phases(replicas: &[Replica]) -> Vec<PhaseSummary> {
    let steps = || replicas.iter().flat_map(|replica| &replica.steps);
    let found: BTreeSet<ServedPhase> = steps().map(TimedStep::phase).collect();
    found.into_iter().map(|phase| summary(phase, replicas)).collect()
}

fn summary(phase: ServedPhase, replicas: &[Replica]) -> PhaseSummary {
    let of_replica = |replica| steps_of(replica, phase);
    let all: Vec<&TimedStep> = replicas.iter().flat_map(of_replica).collect();
    let mean = |of: fn(&ServedStep) -> Option<u64>| Some(sum(&all, of)? / all.len() as f64);
    let per_second = |of: fn(&ServedStep) -> Option<u64>| {
        let of_replica = |replica| {
            let steps: Vec<&TimedStep> = steps_of(replica, phase).collect();
            let seconds = steps.iter().map(|step| step.device.span_ns as f64).sum::<f64>() / SECOND;
            // A replica without this phase adds nothing.
            if steps.is_empty() {
                Some(0.0)
            } else {
                sum(&steps, of).filter(|_| seconds > 0.0).map(|sum| sum / seconds)
            }
        };
        let rates: Option<Vec<f64>> = replicas.iter().map(of_replica).collect();
        rates.map(|rates| rates.iter().sum::<f64>()).filter(|&rate| rate > 0.0)
    };
    let mut times: Vec<f64> = all.iter().map(|step| step.device.span_ns as f64).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| quantile(&times, share).unwrap_or(0.0);
    PhaseSummary {
        phase,
        steps: all.len(),
        requests: mean(|step| step.requests),
        prompt_tokens: mean(|step| step.context.query_tokens),
        output_tokens: mean(ServedStep::output_tokens),
        key_tokens: mean(ServedStep::key_tokens),
        step: Spread { p10: at(0.1), median: at(0.5), p90: at(0.9) },
        prompt_tokens_per_second: per_second(|step| step.context.query_tokens),
        output_tokens_per_second: per_second(ServedStep::output_tokens),
        speculates: all.iter().any(|step| step.served.is_some_and(|step| step.speculates())),
        padding: Padding::of(all.iter().copied()),
        graph_launches: all.iter().map(|step| step.graph_launches as f64).sum::<f64>() / all.len().max(1) as f64,
        device: all.iter().map(|step| step.device).fold(DeviceTime::default(), DeviceTime::plus),
    }
}

fn steps_of(replica: &Replica, phase: ServedPhase) -> impl Iterator<Item = &TimedStep> {
    replica.steps.iter().filter(move |step| step.phase() == phase)
}

/// Returns the sum over steps; `None` if one does not say.
fn sum(steps: &[&TimedStep], of: fn(&ServedStep) -> Option<u64>) -> Option<f64> {
    steps.iter().map(|step| step.served.as_ref().and_then(of).map(|value| value as f64)).sum()
}
