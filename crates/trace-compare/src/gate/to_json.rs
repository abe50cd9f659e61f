//! The answer of a gate as a document for programs.

use super::answer::{ChangedRegion, GateAnswer, Honoured};
use super::case::Case;
use super::structure::StructuralFact;
use crate::SideSummary;
use serde_json::{Value, json};
use statistics::Scope;

/// Version of the document.
const VERSION: u32 = 1;

impl GateAnswer {
    /// Returns the document: verdict, sentence, limits with their outcomes, structure, regions that certainly changed, accepted changes.
    /// Times are in ns, growths are shares of control; what is not known is null.
    pub fn to_json(&self) -> Value {
        let [control, test] = &self.sides;
        json!({
            "version": VERSION,
            "verdict": self.verdict(),
            "sentence": self.sentence(),
            "scope": if self.scope == Scope::Program { "program" } else { "recording" },
            "samples": self.samples,
            "comparable": self.comparable,
            "comparability": self.comparability_words(),
            "control": side(control),
            "test": side(test),
            "step": { "control_ns": ns(self.step_us[0]), "test_ns": ns(self.step_us[1]) },
            "limits": self.cases.iter().map(case).collect::<Vec<_>>(),
            "structure": self.facts.iter().map(fact).collect::<Vec<_>>(),
            "regressions": self.regressions().map(region).collect::<Vec<_>>(),
            "improvements": self.improvements().map(region).collect::<Vec<_>>(),
            "accepted": self.accepted.iter().map(accepted).collect::<Vec<_>>(),
            "warnings": self.warnings,
            "seed": self.seed,
        })
    }
}

/// A time in ns with three decimals.
fn ns(us: f64) -> f64 {
    (us * 1e6).round() / 1e3
}

fn side(side: &SideSummary) -> Value {
    json!({ "label": side.label, "runs": side.runs, "ranks": side.ranks, "samples": side.samples })
}

fn growth(growth: Option<[f64; 3]>) -> Value {
    growth.map_or(Value::Null, |[estimate, low, high]| json!({ "estimate": estimate, "low": low, "high": high }))
}

fn case(case: &Case) -> Value {
    json!({
        "limit": case.limit.to_string(), "of": case.limit.of.to_string(), "share": case.limit.share,
        "control_ns": ns(case.control_us), "test_ns": ns(case.test_us), "growth": growth(case.growth),
        "outcome": case.outcome.word(), "why": case.why, "samples_needed": case.needed,
    })
}

fn fact(fact: &StructuralFact) -> Value {
    let [control, test] = fact.count;
    json!({
        "what": fact.what.word(), "operator": fact.operator, "control": { "count": control }, "test": { "count": test },
        "delta_ns": ns(fact.delta_us),
    })
}

fn region(region: &ChangedRegion) -> Value {
    json!({
        "id": region.id, "path": region.path, "name": region.kernel, "verdict": region.verdict.to_string(),
        "control_ns": ns(region.attributed_us[0]), "test_ns": ns(region.attributed_us[1]),
        "delta_ns": ns(region.attributed_us[1] - region.attributed_us[0]),
        "interval_ns": region.interval_us.map(|ends| ends.map(ns)), "growth": growth(region.growth), "q": region.q,
    })
}

fn accepted(one: &Honoured) -> Value {
    let accepted = &one.accepted;
    json!({
        "region": accepted.region, "reason": accepted.reason, "by": accepted.by, "date": accepted.date,
        "up_to_ns": ns(accepted.up_to_us), "honoured": one.honoured,
        "control_ns": one.attributed_us.map(|us| ns(us[0])), "test_ns": one.attributed_us.map(|us| ns(us[1])),
    })
}
