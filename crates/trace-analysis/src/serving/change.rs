//! Two answers, phase by phase: prefill with prefill, decode with decode.

use super::answer::ServingAnswer;
use super::phases::PhaseSummary;
use crate::ServedPhase;
use std::collections::BTreeSet;
use trace_view::Unit;

/// A quantity of a phase on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantityChange {
    /// The phase.
    pub phase: ServedPhase,
    /// The quantity, as tables call it.
    pub quantity: &'static str,
    /// Unit of its values; [`Unit::Nanos`] of times.
    pub unit: Unit,
    /// Values of control and test; `None` where it is unknown, or the side has no such phase.
    pub values: [Option<f64>; 2],
}

impl QuantityChange {
    /// Returns test − control.
    pub fn change(&self) -> Option<f64> {
        let [control, test] = self.values;
        Some(test? - control?)
    }

    /// Returns the change in percent of control; `None` of a share, which changes by percentage points.
    pub fn percent(&self) -> Option<f64> {
        let control = self.values[0].filter(|&control| control != 0.0 && self.unit != Unit::Percent)?;
        Some(100.0 * self.change()? / control)
    }
}

/// What changed in the steps of a server from control to test, phase by phase.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServingChange {
    /// Labels of control and test, distinct.
    pub labels: [String; 2],
    /// The answers of control and test.
    pub sides: [ServingAnswer; 2],
    /// The quantities of all phases of either side, in order of phases.
    pub quantities: Vec<QuantityChange>,
}

/// How a quantity is read from an answer and one of its phases.
type Read = fn(&ServingAnswer, &PhaseSummary) -> Option<f64>;

/// Name of the quantity that sentences show as the time of a phase without output.
pub(super) const STEP: &str = "step, median";
/// Name of the time per output token.
pub(super) const PER_TOKEN: &str = "time per output token, median";
/// Name of the tokens that requests get a second.
pub(super) const OUTPUT_RATE: &str = "output tokens/s";
/// Name of the prompt tokens a second.
pub(super) const PROMPT_RATE: &str = "prompt tokens/s";
/// Name of the number of requests.
pub(super) const REQUESTS: &str = "requests a step";

const QUANTITIES: &[(&str, Unit, Read)] = &[
    ("steps", Unit::Count, |_, phase| Some(phase.steps as f64)),
    (REQUESTS, Unit::Count, |_, phase| phase.requests),
    ("prompt tokens a step", Unit::Count, |_, phase| phase.prompt_tokens),
    ("output tokens a step", Unit::Count, |_, phase| phase.output_tokens),
    ("key tokens a step", Unit::Count, |_, phase| phase.key_tokens),
    ("step, p10", Unit::Nanos, |_, phase| Some(phase.step.p10)),
    (STEP, Unit::Nanos, |_, phase| Some(phase.step.median)),
    ("step, p90", Unit::Nanos, |_, phase| Some(phase.step.p90)),
    (PER_TOKEN, Unit::Nanos, |_, phase| Some(phase.time_per_output_token()?.median)),
    (PROMPT_RATE, Unit::Count, |_, phase| phase.prompt_tokens_per_second),
    (OUTPUT_RATE, Unit::Count, |_, phase| phase.output_tokens_per_second),
    ("prompt tokens/s per GPU", Unit::Count, |answer, phase| answer.per_gpu(phase.prompt_tokens_per_second)),
    ("output tokens/s per GPU", Unit::Count, |answer, phase| answer.per_gpu(phase.output_tokens_per_second)),
    ("padding of graphs", Unit::Percent, |_, phase| phase.padding.percent()),
    ("graphs launched a step", Unit::Count, |_, phase| Some(phase.graph_launches)),
    ("computation a step", Unit::Nanos, |_, phase| Some(phase.mean_ns(|device| device.computation_ns))),
    ("communication a step", Unit::Nanos, |_, phase| Some(phase.mean_ns(|device| device.communication_ns))),
    ("copies a step", Unit::Nanos, |_, phase| Some(phase.mean_ns(|device| device.memory_ns))),
    ("other work a step", Unit::Nanos, |_, phase| Some(phase.mean_ns(|device| device.other_ns))),
    ("idle a step", Unit::Nanos, |_, phase| Some(phase.mean_ns(|device| device.idle_ns))),
];

impl ServingChange {
    /// Compares two answers.
    pub(super) fn of(control: ServingAnswer, test: ServingAnswer) -> Self {
        let labels = if control.label == test.label {
            [1, 2].map(|number| format!("{} ({number})", control.label))
        } else {
            [control.label.clone(), test.label.clone()]
        };
        let sides = [control, test];
        let phases: BTreeSet<ServedPhase> =
            sides.iter().flat_map(|side| &side.phases).map(|phase| phase.phase).collect();
        let of = |phase: ServedPhase| {
            let sides = &sides;
            QUANTITIES.iter().filter_map(move |&(quantity, unit, read)| {
                let values = [0, 1].map(|side: usize| read(&sides[side], sides[side].phase(phase)?));
                // What is zero or unknown on both sides says nothing.
                let says = values.iter().any(|value| value.is_some_and(|value| value != 0.0));
                says.then_some(QuantityChange { phase, quantity, unit, values })
            })
        };
        let quantities = phases.into_iter().flat_map(of).collect();
        Self { labels, sides, quantities }
    }

    /// Returns a quantity of a phase, by its name in tables.
    pub fn quantity(&self, phase: ServedPhase, quantity: &str) -> Option<&QuantityChange> {
        self.quantities.iter().find(|change| change.phase == phase && change.quantity == quantity)
    }

    /// Returns the phases of either side, in order.
    pub fn phases(&self) -> Vec<ServedPhase> {
        let mut phases: Vec<ServedPhase> = self.quantities.iter().map(|change| change.phase).collect();
        phases.dedup();
        phases
    }
}
