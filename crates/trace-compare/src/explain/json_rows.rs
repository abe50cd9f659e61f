//! The tables of operators and of waiting calls in the document of an explanation.

use super::certainty::Judged;
use super::explanation::Explanation;
use super::json::{interval, verdict};
use super::region_group::Group;
use crate::certainty::smallest;
use serde_json::{Value, json};

impl Explanation {
    /// Returns the rows of the table of operators, largest change first: what regions of the same operator, kernel and grade sum to,
    /// in ns a step, with verdict, interval and q of the sum; `regions` holds the ids of the regions.
    pub(super) fn operators_json(&self) -> Value {
        let rows = self.groups().iter().zip(&self.certainty().groups);
        rows.map(|(group, judged)| self.operator(group, *judged)).collect()
    }

    fn operator(&self, group: &Group, judged: Judged) -> Value {
        let [control_ns, test_ns, delta_ns, count_part_ns] = group.times.map(|us| us * 1e3);
        json!({
            "operator": group.operator, "kernel": group.kernel, "grade": group.grade, "regions": group.regions,
            "chosen": self.chosen.as_ref().map(|_| group.is_chosen),
            "control_ns": control_ns, "test_ns": test_ns, "delta_ns": delta_ns, "count_part_ns": count_part_ns,
            "interval_ns": interval(Some(judged)), "q": judged.q, "verdict": verdict(Some(judged)),
            "smallest_change": smallest(judged.verdict),
        })
    }

    /// Returns the calls that wait for the GPU: calls and ns a step of both sides, means over samples.
    pub(super) fn waits_json(&self) -> Value {
        let waits = self.waits().into_iter().filter(|wait| wait.calls != [0.0, 0.0]);
        waits
            .map(|wait| {
                json!({
                    "call": wait.call, "caller": if wait.caller.is_empty() { Value::Null } else { wait.caller.into() },
                    "control_calls": wait.calls[0], "test_calls": wait.calls[1],
                    "control_ns": wait.us[0] * 1e3, "test_ns": wait.us[1] * 1e3,
                })
            })
            .collect()
    }
}
