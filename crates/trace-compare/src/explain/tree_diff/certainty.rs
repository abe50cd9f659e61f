//! The certainty of the changes of the rows.

use super::entry::{Entry, TreeKind};
use crate::explain::Explanation;
use std::cmp::Reverse;

/// Smallest change of a call with a verdict, as a share of the step: what is smaller cannot be relevant.
const SMALLEST_SHARE: f64 = 0.001;
/// Most calls with a verdict.
const MOST_CALLS: usize = 300;

/// Judges the rows of the whole tree: regions and idle time as in the explanation, calls by all regions below them.
pub(super) fn judge(explanation: &Explanation, entries: &mut [Entry]) {
    let certainty = explanation.certainty();
    if certainty.step.interval_us.is_none() {
        return;
    }
    let step = &explanation.step;
    let least = SMALLEST_SHARE * 1e3 * step.control_us.min(step.test_us);
    let mut calls: Vec<usize> = (0..entries.len())
        .filter(|&id| entries[id].kind == TreeKind::Call && entries[id].all.attributed_ns.delta().abs() >= least)
        .collect();
    calls.sort_by_key(|&id| Reverse(entries[id].all.change().unsigned_abs()));
    calls.truncate(MOST_CALLS);
    let mut sets: Vec<Option<Vec<usize>>> = vec![None; entries.len()];
    for &id in &calls {
        sets[id] = Some(Vec::new());
    }
    for id in 0..entries.len() {
        let Some(region) = entries[id].region.filter(|_| entries[id].kind == TreeKind::Region) else { continue };
        let above = std::iter::successors(entries[id].parent, |&parent| entries[parent].parent);
        for parent in above {
            if let Some(set) = &mut sets[parent] {
                set.push(region);
            }
        }
    }
    let sets: Vec<Vec<usize>> = calls.iter().map(|&id| sets[id].take().unwrap_or_default()).collect();
    for (id, judged) in calls.into_iter().zip(explanation.judge(&sets)) {
        entries[id].judged = Some(judged);
    }
    for entry in entries {
        entry.judged = match entry.kind {
            TreeKind::Region => entry.region.and_then(|region| certainty.regions.get(region).copied().flatten()),
            TreeKind::Idle if entry.parent.is_none() => certainty.class("idle"),
            TreeKind::Idle => certainty.idle.iter().find(|(cause, _)| *cause == entry.name).map(|(_, judged)| *judged),
            _ => continue,
        };
    }
}
