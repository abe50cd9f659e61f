//! The call around an interval.

use crate::interval::Reach;

/// Calls in the order of the nesting, for the question which of them is around an interval.
///
/// Where calls do not cross, the answer is the parent that [`nest`](call_tree::nesting::nest) would find. Unlike it, the question
/// can be asked of some calls about others: the operators around a launch.
pub struct Enclosing {
    starts: Vec<i64>,
    until: Reach,
}

impl Enclosing {
    /// Keeps start and end of calls that are sorted by start; of calls with one start the last is the innermost.
    pub fn new(calls: impl Iterator<Item = (i64, i64)>) -> Self {
        let (starts, ends): (Vec<i64>, Vec<i64>) = calls.unzip();
        Self { starts, until: Reach::new(&ends) }
    }

    /// Returns the place of the call that starts last among those that contain this interval.
    pub fn last_around(&self, start: i64, end: i64) -> Option<usize> {
        self.until.last(self.starts.partition_point(|&call| call <= start), end)
    }
}
