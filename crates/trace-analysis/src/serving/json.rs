//! The answer as JSON.

use super::answer::{ServingAnswer, StepSource};
use super::phases::{PhaseSummary, Spread};
use super::replicas::Replica;
use super::windows::TimedStep;
use crate::DeviceTime;
use serde_json::{Value, json};

impl ServingAnswer {
    /// Returns the answer as JSON, times in ns: `label`, `source`, `servers`, `gpus`, `phases`, `replicas` with their `steps`, `captures` and
    /// `sentences`. What annotations do not say is null.
    pub fn to_json(&self) -> Value {
        let mut document = self.fields();
        document["version"] = json!(1);
        document
    }

    /// Returns the fields without the version of the document.
    pub(super) fn fields(&self) -> Value {
        let captures: Vec<Value> =
            self.captures.iter().map(|(size, kind)| json!({"size": size, "kind": kind})).collect();
        json!({
            "label": self.label,
            "source": self.source.word(),
            "servers": self.servers(),
            "gpus": self.gpus(),
            "graph_launches": self.graph_launches,
            "overlapping": self.overlapping,
            "captures": captures,
            "phases": self.phases.iter().map(|phase| self.phase_json(phase)).collect::<Vec<_>>(),
            "replicas": self.replicas.iter().map(replica).collect::<Vec<_>>(),
            "sentences": self.sentences(),
        })
    }

    pub(super) fn phase_json(&self, phase: &PhaseSummary) -> Value {
        let padding = phase.padding.percent().map(|percent| {
            json!({"steps": phase.padding.steps, "run": phase.padding.run, "captured": phase.padding.captured, "percent": percent})
        });
        json!({
            "phase": phase.phase,
            "steps": phase.steps,
            "requests": phase.requests,
            "prompt_tokens": phase.prompt_tokens,
            "output_tokens": phase.output_tokens,
            "key_tokens": phase.key_tokens,
            "step_ns": spread(phase.step),
            "time_per_output_token_ns": phase.time_per_output_token().map(spread),
            "speculates": phase.speculates,
            "prompt_tokens_per_second": phase.prompt_tokens_per_second,
            "output_tokens_per_second": phase.output_tokens_per_second,
            "prompt_tokens_per_second_per_gpu": self.per_gpu(phase.prompt_tokens_per_second),
            "output_tokens_per_second_per_gpu": self.per_gpu(phase.output_tokens_per_second),
            "padding": padding,
            "graph_launches": phase.graph_launches,
            "time": device(&phase.device),
        })
    }
}

impl StepSource {
    /// Returns its word in documents.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Annotations => "annotations",
            Self::Profiler => "profiler",
            Self::Found(_) => "found",
            Self::Several(_) => "several",
            Self::None => "none",
        }
    }
}

fn spread(spread: Spread) -> Value {
    json!({"p10": spread.p10, "median": spread.median, "p90": spread.p90})
}

fn device(device: &DeviceTime) -> Value {
    json!({
        "total_ns": device.span_ns, "computation_ns": device.computation_ns, "communication_ns": device.communication_ns,
        "copies_ns": device.memory_ns, "other_ns": device.other_ns, "idle_ns": device.idle_ns,
    })
}

fn replica(replica: &Replica) -> Value {
    json!({
        "rank": replica.rank, "ranks": replica.ranks, "gpus": replica.gpus, "span_ns": replica.span_ns(),
        "between_steps_ns": replica.between_ns(), "steps": replica.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

fn step(step: &TimedStep) -> Value {
    json!({
        "name": step.name, "phase": step.phase(), "start_ns": step.start_ns, "time": device(&step.device),
        "graph_launches": step.graph_launches, "graph_size": step.graph_size, "served": step.served,
    })
}
