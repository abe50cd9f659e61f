//! The aligned tree as a document for programs.

use super::entry::Entry;
use super::tree::TreeDiff;
use crate::explain::certainty::Certainty;
use crate::explain::json::interval;
use crate::explain::side_summary::SideSummary;
use call_tree::{Change, Mean};
use serde_json::{Value, json};

/// Version of the document.
const VERSION: u32 = 1;

impl TreeDiff {
    /// Returns the document: sides, step and rows. Times are means in ns; `attributed_total_ns` are sums over all samples,
    /// which add up exactly.
    pub fn to_json(&self) -> Value {
        let [control, test] = &self.sides;
        let rows = self.rows().into_iter().zip(&self.entries).map(|(row, entry)| {
            json!({
                "id": row.id, "parent": row.parent, "depth": row.depth, "path": row.path, "name": row.name,
                "kind": row.kind.word(), "grade": row.grade, "why": row.why, "region": row.region,
                "control": measures(entry, |change| change.control), "test": measures(entry, |change| change.test),
                "delta_ns": entry.all.attributed_ns.delta(), "share_of_delta": row.share,
                "interval_ns": interval(row.judged), "q": row.judged.and_then(|judged| judged.q),
                "verdict": Certainty::word(row.judged),
            })
        });
        json!({
            "version": VERSION,
            "control": side(control),
            "test": side(test),
            "step": {
                "control_ns": self.step_ns.control.value(), "test_ns": self.step_ns.test.value(),
                "delta_ns": self.step_ns.delta(),
            },
            "rows": rows.collect::<Vec<_>>(),
            "left_out": self.notes,
            "comparability": self.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

fn measures(entry: &Entry, side: fn(Change) -> Mean) -> Value {
    json!({
        "count": side(entry.all.count).value(), "attributed_ns": side(entry.all.attributed_ns).value(),
        "attributed_total_ns": side(entry.all.attributed_ns).total, "self_ns": side(entry.own.attributed_ns).value(),
        "gpu_ns": side(entry.all.total_ns).value(),
    })
}

fn side(side: &SideSummary) -> Value {
    json!({
        "label": side.label, "runs": side.runs, "ranks": side.ranks, "iterations": side.iterations, "samples": side.samples,
    })
}
