//! An explanation as a document for programs.

use super::explanation::{Explanation, SideSummary};
use call_tree::Coverage;
use serde_json::{Value, json};

/// Version of the document.
const VERSION: u32 = 1;

impl Explanation {
    /// Returns the document: sides, step, classes, idle time, all regions, coverage. Times are means over samples, in ns; fields
    /// of what is not known are null.
    pub fn to_json(&self) -> Value {
        let [control, test] = &self.sides;
        let ns = |us: f64| us * 1e3;
        let classes = self.classes.iter().map(|class| {
            json!({
                "class": class.class, "control_ns": ns(class.control_us), "test_ns": ns(class.test_us),
                "delta_ns": ns(class.delta_us), "interval_ns": null,
            })
        });
        let idle = self.idle.iter().map(|idle| {
            json!({
                "cause": idle.cause, "frame": if idle.frame.is_empty() { Value::Null } else { idle.frame.as_str().into() },
                "control_ns": ns(idle.control_us), "test_ns": ns(idle.test_us), "delta_ns": ns(idle.delta_us),
            })
        });
        let regions = self.rows().into_iter().zip(&self.found.regions).map(|(row, region)| {
            let side = |at: usize, total: i64| {
                json!({
                    "count": row.count[at], "gpu_ns": ns(row.total_us[at]), "attributed_ns": ns(row.attributed_us[at]),
                    "gpu_total_ns": total,
                })
            };
            json!({
                "id": row.id, "path": row.path, "name": row.name, "grade": row.grade, "why": row.why,
                "control": side(0, region.ns.control.total), "test": side(1, region.ns.test.total),
                "delta_ns": ns(row.delta_us), "interval_ns": null, "q": null, "verdict": null,
                "count_part_ns": ns(row.count_part_us), "cost_part_ns": ns(row.cost_part_us),
            })
        });
        let [control_coverage, test_coverage] = self.coverage().map(coverage);
        json!({
            "version": VERSION,
            "control": side(control),
            "test": side(test),
            "scope": if control.runs > 1 && test.runs > 1 { "program" } else { "recording" },
            "comparable": null,
            "noise_floor": { "gpu": null, "host": null },
            "diagnosis": { "control": self.diagnosis(0), "test": self.diagnosis(1) },
            "step": {
                "control_ns": ns(self.step.control_us), "test_ns": ns(self.step.test_us), "delta_ns": ns(self.step.delta_us),
                "interval_ns": null, "p": null, "n": [control.samples, test.samples], "verdict": null,
            },
            "classes": classes.collect::<Vec<_>>(),
            "idle": idle.collect::<Vec<_>>(),
            "unattributed": {
                "control_ns": ns(self.unattributed.control_us), "test_ns": ns(self.unattributed.test_us),
                "delta_ns": ns(self.unattributed.delta_us),
            },
            "regions": regions.collect::<Vec<_>>(),
            "coverage": { "control": control_coverage, "test": test_coverage },
            "comparability": self.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "seed": null,
        })
    }
}

fn side(side: &SideSummary) -> Value {
    json!({
        "label": side.label, "runs": side.runs, "ranks": side.ranks, "iterations": side.iterations, "samples": side.samples,
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
