//! Time → iteration.

use std::collections::{BTreeMap, BTreeSet};

/// A ProfilerStep event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) number: i64,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// For each moment the iteration it lies in: of several steps that overlap, the last one in the file.
///
/// ```text
/// steps    |---- 4 ----|
///                  |---- 5 ----|          5 stands after 4 in the file
/// answer   |-- 4 --|---- 5 ----|- none -
/// ```
#[derive(Debug)]
pub(super) struct Clock {
    /// Where the answer changes, ascending, and what it is from there on.
    changes: Vec<(i64, Option<i64>)>,
}

impl Clock {
    /// The clock of these steps, given in file order. A step of no length marks nothing.
    pub(super) fn new(steps: &[Step]) -> Self {
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

    /// The iteration at a moment.
    pub(super) fn at(&self, moment: i64) -> Option<i64> {
        let after = self.changes.partition_point(|&(change, _)| change <= moment);
        after.checked_sub(1).and_then(|last| self.changes[last].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: i64, start: i64, end: i64) -> Step {
        Step { number, start, end }
    }

    #[test]
    fn a_step_holds_its_start_but_not_its_end() {
        let clock = Clock::new(&[step(7, 10, 20), step(8, 20, 30)]);
        let at = [9, 10, 19, 20, 29, 30].map(|moment| clock.at(moment));
        assert_eq!(at, [None, Some(7), Some(7), Some(8), Some(8), None]);
    }

    #[test]
    fn of_overlapping_steps_the_last_in_the_file_wins() {
        let clock = Clock::new(&[step(5, 5, 9), step(4, 0, 6), step(6, 3, 3)]);
        let at = [0, 4, 5, 6, 8, 9].map(|moment| clock.at(moment));
        assert_eq!(at, [Some(4), Some(4), Some(4), Some(5), Some(5), None]);
    }

    #[test]
    fn without_steps_nothing_has_an_iteration() {
        assert_eq!(Clock::new(&[]).at(0), None);
    }
}
