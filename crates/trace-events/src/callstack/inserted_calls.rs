//! Calls of another recording between the launches of graphs and their kernels.

use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use call_tree::nesting::Growing;

/// Calls that another recording has for kernels of launches, as rows behind those of the rank.
#[derive(Debug, Clone, Default)]
pub struct InsertedCalls {
    /// The first of their rows.
    pub first: u32,
    /// By call: the row above it, which is that of a call before it or of the launch.
    pub above: Vec<u32>,
    /// Rows of kernels, each with that of its innermost call.
    pub kernels: Vec<(u32, u32)>,
}

impl InsertedCalls {
    /// Tells whether a row is one of these calls.
    pub fn contains(&self, row: usize) -> bool {
        !self.above.is_empty() && row >= self.first as usize
    }

    /// Moves kernels from their launches below their calls. A call whose kind and name one around the launch has, too, is that one, so it
    /// is left out.
    pub(super) fn attach(&self, rows: &RankEvents, forest: &mut Growing) {
        let above = |row: u32| self.above[(row - self.first) as usize];
        let name = |row: usize| (rows.kind(row), rows.name(row));
        let (mut around, mut of) = (Vec::new(), None);
        let mut path = Vec::new();
        for &(kernel, call) in cancellable(&self.kernels) {
            // Those that are not in the view, or whose launch is not, have no row above.
            let Some(launch) = forest.parent(kernel as usize) else { continue };
            let mut below = call as usize;
            while self.contains(below) && !forest.is_inside(below) {
                path.push(below);
                below = above(below as u32) as usize;
            }
            if of != Some(launch) {
                around.clear();
                around.extend(std::iter::successors(forest.parent(launch), |&up| forest.parent(up)).map(name));
                of = Some(launch);
            }
            for row in path.drain(..).rev() {
                if !around.contains(&name(row)) {
                    forest.put(row, Some(below));
                    below = row;
                }
            }
            forest.put(kernel as usize, Some(below));
        }
    }
}
