//! Alignment of two sequences of bare kernels, by their names.

use super::sequence::{Sequences, sequences};
use crate::input::label::{LabelId, Labels, Level};
use crate::tree::hash::Hashes;

/// Score of kernels of the same name with other template arguments.
const SAME_NAME: f64 = 0.92;

/// A kernel by its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hashed(Hashes);

impl Hashed {
    pub(crate) fn of(label: LabelId, labels: &Labels) -> Self {
        let label = labels.get(label);
        let at = |level: Level| label.at(level).number();
        Self(Hashes { exact: at(Level::Exact), shape: at(Level::Shape), name: at(Level::Name) })
    }
}

/// Pairs of places of kernels of one name, ascending in both sequences.
pub(crate) fn matched(ours: &[Hashed], theirs: &[Hashed]) -> Vec<(usize, usize)> {
    let of = Kernels { ours, theirs, weights: (vec![1.0; ours.len()], vec![1.0; theirs.len()]) };
    sequences(&of).pairs.into_iter().map(|(our, their, _)| (our, their)).collect()
}

struct Kernels<'k> {
    ours: &'k [Hashed],
    theirs: &'k [Hashed],
    weights: (Vec<f64>, Vec<f64>),
}

impl Sequences for Kernels<'_> {
    fn lengths(&self) -> (usize, usize) {
        (self.ours.len(), self.theirs.len())
    }

    fn control(&self, at: usize) -> Hashes {
        self.ours[at].0
    }

    fn test(&self, at: usize) -> Hashes {
        self.theirs[at].0
    }

    fn weights(&self) -> (&[f64], &[f64]) {
        (&self.weights.0, &self.weights.1)
    }

    fn score(&self, control: usize, test: usize) -> Option<f64> {
        let (one, other) = (self.ours[control].0, self.theirs[test].0);
        match () {
            () if one.exact == other.exact => Some(1.0),
            () if one.name == other.name => Some(SAME_NAME),
            () => None,
        }
    }
}
