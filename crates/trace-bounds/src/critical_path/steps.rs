//! The length of a step from the lengths of windows.

use super::windows::Chosen;
use causal::{Graph, Window};
use std::collections::BTreeMap;

/// A window with the place of its rank among the loaded ones.
pub(super) type IndexedWindow = (usize, Window, Chosen);

/// How lengths of windows make a step: of one instance on several ranks the time from the first start to the last end for the whole
/// recording, else the slowest rank; of several instances the mean.
pub(super) struct Steps {
    /// By window the instance that it belongs to, and by how much it begins after the first of its instance.
    of: Vec<(usize, i64)>,
    instances: usize,
}

impl Steps {
    /// Tells which windows are one step.
    pub(super) fn of(graph: &Graph, chosen: &[IndexedWindow]) -> Self {
        let mut instances: BTreeMap<Option<(usize, usize)>, (usize, i64)> = BTreeMap::new();
        let start = |window: &Window| window.start - graph.ahead(window.rank);
        for (_, window, of) in chosen {
            let next = instances.len();
            let known = instances.entry(of.instances).or_insert((next, i64::MAX));
            known.1 = known.1.min(start(window));
        }
        let position = |(_, window, of): &IndexedWindow| {
            let (at, first) = instances[&of.instances];
            (at, if of.instances.is_none() { start(window) - first } else { 0 })
        };
        Self { of: chosen.iter().map(position).collect(), instances: instances.len() }
    }

    /// Returns the length of the step, for these lengths of the windows.
    pub(super) fn step(&self, lengths: &[i64]) -> i64 {
        let mut longest = vec![0_i64; self.instances];
        for (&(at, offset), &length) in self.of.iter().zip(lengths) {
            longest[at] = longest[at].max(length.saturating_add(offset));
        }
        let sum: i128 = longest.iter().map(|&ns| i128::from(ns)).sum();
        let count = self.instances.max(1) as i128;
        i64::try_from((sum + count / 2) / count).unwrap_or(i64::MAX)
    }
}

/// Returns the lengths of windows as recorded.
pub(super) fn lengths(windows: &[Window]) -> Vec<i64> {
    windows.iter().map(|window| window.end.saturating_sub(window.start)).collect()
}
