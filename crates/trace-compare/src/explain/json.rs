//! An explanation as a document for programs.

use super::certainty::{Certainty, Judged};
use super::explanation::{Explanation, cause_word, idle_kind, word};
use super::phase_match::PhaseMatch;
use super::side_summary::SideSummary;
use crate::Warning;
use crate::certainty::{Sentence, smallest};
use crate::domain::Unlike;
use crate::phases::PhaseSteps;
use call_tree::{Change, Class, Cost, Coverage, RegionChange, Sample};
use serde_json::{Value, json};
use statistics::{Scope, Verdict};
use trace_view::format::ranges;

/// Version of the document.
const VERSION: u32 = 3;

impl Explanation {
    /// Returns the document: sides, sentences, step, classes, idle time, operators, waiting calls, all regions, coverage. Times are in ns, means in which each run counts
    /// the same unless their name says total, which is a sum over all samples; fields of what is not known are null. A filter chooses no regions here: `chosen` names them.
    pub fn to_json(&self) -> Value {
        let [control, test] = &self.sides;
        let found = &self.found;
        let has_gpu = found.coverage.iter().any(|coverage| coverage.recorded > 0);
        let is_shown = |class: Class, of: Change| {
            if class == Class::Host { of.control.total != 0 || of.test.total != 0 } else { has_gpu }
        };
        let certainty = self.certainty();
        let class = |name: &str, of: Change| {
            let judged = certainty.class(name);
            json!({
                "class": name, "control_ns": of.control.value(), "test_ns": of.test.value(), "delta_ns": of.delta(),
                "interval_ns": interval(judged), "q": judged.and_then(|judged| judged.q), "verdict": verdict(judged),
                "smallest_change": judged.and_then(|judged| smallest(judged.verdict)),
            })
        };
        let classes = found.classes.iter().filter(|(of, time)| is_shown(*of, *time));
        let classes = classes.map(|&(of, time)| class(word(of), time)).chain([class("idle", found.idle_ns)]);
        let mut idle = found.idle.clone();
        idle.sort_by(|one, other| other.1.delta().abs().total_cmp(&one.1.delta().abs()));
        let idle = idle.into_iter().map(|((cause, frame), of)| {
            let kind = idle_kind(cause, frame, &self.labels);
            json!({
                "cause": cause_word(cause), "kind": if kind.is_empty() { Value::Null } else { kind.into() },
                "frame": frame.map(|frame| self.labels.text(frame)),
                "control_ns": of.control.value(), "test_ns": of.test.value(), "delta_ns": of.delta(),
            })
        });
        let regions = found.regions.iter().enumerate().map(|(id, region)| self.region(id, region));
        let step = Some(certainty.step);
        let structure = self.structure().into_iter().map(|change| {
            json!({ "operator": change.operator, "control_count": change.control, "test_count": change.test,
                    "delta_ns": change.delta_us * 1e3 })
        });
        let outliers = self.outliers().into_iter().map(|outlier| {
            json!({ "label": outlier.label, "iteration": outlier.iteration, "step_ns": outlier.step_us * 1e3,
                    "median_ns": outlier.median_us * 1e3, "part": outlier.part, "part_ns": outlier.part_us * 1e3 })
        });
        let [control_coverage, test_coverage] = self.coverage().map(coverage);
        let largest =
            |side: usize| self.largest_part(side).map(|part| json!({ "what": part.what, "percent": part.percent }));
        json!({
            "version": VERSION,
            "control": side(control, self.weights_json(0)),
            "test": side(test, self.weights_json(1)),
            "scope": match certainty.scope {
                Scope::Program => "program",
                Scope::Recording => "recording",
            },
            "where": self.chosen.as_ref().map(|chosen| chosen.text.trim_start_matches("where ")),
            "comparable": certainty.comparable(),
            "noise_floor": { "gpu": certainty.noise_floor()[0], "host": certainty.noise_floor()[1] },
            "largest_part": { "control": largest(0), "test": largest(1) },
            "sentences": self.conclusions().iter().map(Sentence::to_json).collect::<Vec<_>>(),
            "step": {
                "control_ns": found.step_ns.control.value(), "test_ns": found.step_ns.test.value(),
                "delta_ns": found.step_ns.delta(), "interval_ns": interval(step), "ratio": certainty.step.ratio,
                "p": certainty.step.p, "q": certainty.step.q, "n": certainty.samples, "samples": certainty.kind.word(),
                "verdict": verdict(step), "smallest_change": smallest(certainty.step.verdict),
                "why": why(certainty.step),
            },
            "structure": structure.collect::<Vec<_>>(),
            "outliers": outliers.collect::<Vec<_>>(),
            "classes": classes.collect::<Vec<_>>(),
            "idle": idle.collect::<Vec<_>>(),
            "communication": self.communication_json(),
            "waiting": self.waiting_json(),
            "unattributed": {
                "control_ns": found.unattributed_ns.control.value(), "test_ns": found.unattributed_ns.test.value(),
                "delta_ns": found.unattributed_ns.delta(),
            },
            "operators": self.operators_json(),
            "host_waits": self.waits_json(),
            "regions": regions.collect::<Vec<_>>(),
            "coverage": { "control": control_coverage, "test": test_coverage },
            "comparability": self.warnings.iter().map(comparability).chain(self.other_iterations()).collect::<Vec<_>>(),
            "phases": self.phases.as_ref().map(phases),
            "seed": certainty.seed,
        })
    }

    /// How much each sample of a side counts, if not all count the same.
    fn weights_json(&self, side: usize) -> Value {
        let weights = self.weights(side);
        if weights.windows(2).all(|pair| pair[0] == pair[1]) {
            return Value::Null;
        }
        let samples = self.keys(side).into_iter().zip(weights).map(
            |(key, weight)| json!({ "run": key.run, "rank": key.rank, "iteration": key.iteration, "weight": weight }),
        );
        samples.collect()
    }

    /// The iterations of both sides, if other ones are compared.
    fn other_iterations(&self) -> Option<Value> {
        let [control, test] = self.sides.each_ref().map(|side| ranges(&side.iterations));
        (control != test).then(|| json!({ "what": "iterations", "control": control, "test": test }))
    }

    fn region(&self, id: usize, region: &RegionChange) -> Value {
        let row = self.row(id, region);
        let costs = self.found.costs(&region.region);
        let side = |side: usize| {
            let gpu = self.found.weights[side].mean(gpu(&costs[side], &self.found.samples[side]));
            let change = |of: Change| if side == 0 { of.control } else { of.test };
            json!({
                "count": change(region.count).value(), "gpu_ns": gpu.value(),
                "attributed_ns": change(region.attributed_ns).value(), "gpu_total_ns": gpu.total,
            })
        };
        let judged = self.certainty().regions.get(id).copied().flatten();
        json!({
            "id": id, "path": row.path, "name": row.name, "grade": row.grade, "why": row.why,
            "chosen": self.chosen.as_ref().map(|_| self.is_chosen(id)),
            "control": side(0), "test": side(1),
            "delta_ns": region.attributed_ns.delta(), "interval_ns": interval(judged),
            "q": judged.and_then(|judged| judged.q), "verdict": verdict(judged),
            "smallest_change": judged.and_then(|judged| smallest(judged.verdict)),
            "count_part_ns": region.count_part_ns(), "cost_part_ns": region.cost_part_ns(),
        })
    }
}

/// The 95 % interval of a change in ns.
pub(super) fn interval(judged: Option<Judged>) -> Option<[f64; 2]> {
    judged?.interval_us.map(|interval| interval.map(|end| end * 1e3))
}

/// The verdict: `regression`, `improvement`, `no relevant change`, `inconclusive`, `too few, 4 needed`, `added` or `deleted`.
pub(super) fn verdict(judged: Option<Judged>) -> Option<String> {
    Certainty::word(judged)
}

/// Why there is no verdict.
fn why(judged: Judged) -> Option<String> {
    if let Verdict::Inconclusive(why) = judged.verdict { Some(why.to_string()) } else { None }
}

/// GPU time of a region by sample: the leaves of recordings without GPU work are host work.
fn gpu(costs: &[Cost], samples: &[Sample]) -> impl Iterator<Item = (u32, i64)> {
    let has_gpu = |cost: &&Cost| samples.get(cost.sample as usize).is_some_and(|sample| sample.has_gpu);
    costs.iter().filter(has_gpu).map(|cost| (cost.sample, cost.ns))
}

fn side(side: &SideSummary, weights: Value) -> Value {
    json!({
        "label": side.label, "runs": side.runs, "ranks": side.ranks, "iterations": side.iterations, "samples": side.samples,
        "warm_up": side.warm_up, "weights": weights,
    })
}

fn coverage(coverage: Coverage) -> Value {
    let left_out = coverage.reasons().map(
        |(reason, gpu_ns, gpu_events)| json!({ "why": reason.word(), "gpu_ns": gpu_ns, "gpu_events": gpu_events }),
    );
    json!({
        "recorded_gpu_ns": coverage.recorded_ns, "recorded_gpu_events": coverage.recorded,
        "selected_gpu_ns": coverage.selected_ns, "selected_gpu_events": coverage.selected,
        "left_out": left_out.collect::<Vec<_>>(),
    })
}

/// How iterations were matched: the phases, the one that is compared, iterations that take part.
fn phases(phases: &PhaseMatch) -> Value {
    let steps = |phase: &PhaseSteps| {
        let [control_ns, test_ns] = phase.step_us.map(|us| us.map(|us| us * 1e3));
        json!({
            "letter": phase.letter, "name": phase.name, "control_iterations": phase.iterations[0],
            "test_iterations": phase.iterations[1], "control_ns": control_ns, "test_ns": test_ns,
        })
    };
    json!({
        "kept": phases.retained, "of": phases.of, "by": phases.by.words(),
        "compared": phases.compared().map(|phase| &phase.letter), "phases": phases.phases.iter().map(steps).collect::<Vec<_>>(),
    })
}

/// What differs between the recordings; of warnings that are no difference, their text.
fn comparability(warning: &Warning) -> Value {
    match warning {
        Warning::UnlikeRecording { what, of_control, of_test, .. } => {
            let what = match what {
                Unlike::WorldSize => "world_size",
                Unlike::Devices => "devices",
                Unlike::ProfilerFlags => "profiler_flags",
                Unlike::Software => "software",
                Unlike::Machines => "machines",
                Unlike::Clocks => "clocks",
                Unlike::InputShapes => "input_shapes",
                Unlike::EventMix => "event_mix",
                Unlike::Nothing => "same_recording",
            };
            json!({ "what": what, "control": of_control, "test": of_test })
        }
        warning => json!({ "what": warning.to_string(), "control": null, "test": null }),
    }
}
