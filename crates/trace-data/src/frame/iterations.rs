//! Index from time to iteration.

use std::collections::{BTreeMap, BTreeSet};

/// A ProfilerStep event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProfilerStep {
    pub(super) number: i64,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Maps a moment to the iteration that contains it; of overlapping steps, to the last one in the file.
///
/// ```text
/// steps    |---- 4 ----|
///                  |---- 5 ----|          5 is after 4 in the file
/// answer   |-- 4 --|---- 5 ----|- none -
/// ```
#[derive(Debug)]
pub(super) struct IterationIndex {
    /// Moments at which the iteration changes, ascending, and the iteration from there on.
    changes: Vec<(i64, Option<i64>)>,
}

impl IterationIndex {
    /// Builds the index of steps given in file order. An empty step is ignored.
    pub(super) fn new(steps: &[ProfilerStep]) -> Self {
        let mut edges: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (position, step) in steps.iter().enumerate().filter(|(_, step)| step.start < step.end) {
            edges.entry(step.start).or_default().push(position);
            edges.entry(step.end).or_default().push(position);
        }
        let mut running = BTreeSet::new();
        let mut changes = Vec::with_capacity(edges.len());
        for (moment, positions) in edges {
            for position in positions {
                if !running.remove(&position) {
                    running.insert(position);
                }
            }
            changes.push((moment, running.last().map(|&last| steps[last].number)));
        }
        Self { changes }
    }

    /// Returns a cursor: fast for nearly sorted lookups.
    pub(super) fn cursor(&self) -> IterationCursor<'_> {
        // An empty segment: the first lookup searches.
        IterationCursor { index: self, from: i64::MAX, until: i64::MIN, number: None }
    }
}

/// Looks up one moment after another.
pub(super) struct IterationCursor<'c> {
    index: &'c IterationIndex,
    /// The segment of the last lookup, both ends included, and its iteration.
    from: i64,
    until: i64,
    number: Option<i64>,
}

impl IterationCursor<'_> {
    /// Returns the iteration that contains a moment.
    #[inline]
    pub(super) fn at(&mut self, moment: i64) -> Option<i64> {
        if moment < self.from || moment > self.until {
            self.seek(moment);
        }
        self.number
    }

    /// Moves to the segment of a moment.
    fn seek(&mut self, moment: i64) {
        let changes = &self.index.changes;
        let after = changes.partition_point(|&(change, _)| change <= moment);
        (self.from, self.number) = after.checked_sub(1).map_or((i64::MIN, None), |last| changes[last]);
        self.until = changes.get(after).map_or(i64::MAX, |&(change, _)| change - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: i64, start: i64, end: i64) -> ProfilerStep {
        ProfilerStep { number, start, end }
    }

    #[test]
    fn step_contains_its_start_but_not_its_end() {
        let index = IterationIndex::new(&[step(7, 10, 20), step(8, 20, 30)]);
        let mut cursor = index.cursor();
        let at = [9, 10, 19, 20, 29, 30, 12, 9, 25].map(|moment| cursor.at(moment));
        assert_eq!(at, [None, Some(7), Some(7), Some(8), Some(8), None, Some(7), None, Some(8)]);
    }

    #[test]
    fn last_of_overlapping_steps_wins() {
        let index = IterationIndex::new(&[step(5, 5, 9), step(4, 0, 6), step(6, 3, 3)]);
        let mut cursor = index.cursor();
        let at = [0, 4, 5, 6, 8, 9].map(|moment| cursor.at(moment));
        assert_eq!(at, [Some(4), Some(4), Some(4), Some(5), Some(5), None]);
    }

    #[test]
    fn no_moment_has_an_iteration_without_steps() {
        assert_eq!([i64::MAX, 0, i64::MIN].map(|moment| IterationIndex::new(&[]).cursor().at(moment)), [None; 3]);
    }
}
