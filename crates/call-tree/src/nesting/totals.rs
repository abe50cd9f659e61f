//! Sums over the subtree of each row of a forest: its height, its kernels and their times; and the own time of calls.

use super::{Forest, Step};

/// The role of a row in the sums: a call, a kernel, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A call.
    Call,
    /// A GPU event that counts as a kernel: begin, end and duration in ns.
    Kernel(i64, i64, i64),
    /// Another GPU event, such as a synchronisation.
    Other,
}

/// The kernels below a row; those of a kernel are itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kernels {
    /// Number of kernels.
    pub count: u32,
    /// Sum of their durations, in ns.
    pub ns: i64,
    /// Begin of the first one, in ns; 0 without kernels.
    pub first_start: i64,
    /// End of the last one, in ns; 0 without kernels.
    pub last_end: i64,
}

impl Kernels {
    /// Returns the time from the begin of the first kernel to the end of the last, in ns; 0 without kernels.
    pub fn span(&self) -> i64 {
        self.last_end.saturating_sub(self.first_start)
    }

    /// Adds other kernels.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        self.count = self.count.saturating_add(other.count);
        self.ns = self.ns.saturating_add(other.ns);
        self.first_start = self.first_start.min(other.first_start);
        self.last_end = self.last_end.max(other.last_end);
    }
}

/// Heights and kernels of the rows of a [`Forest`].
#[derive(Debug, Clone, Default)]
pub struct Totals {
    height: Vec<u32>,
    kernels: Vec<Kernels>,
}

impl Totals {
    /// Computes the totals of all rows, from the deepest upwards: linear in rows, without recursion.
    ///
    /// # Example
    /// ```
    /// use call_tree::nesting::{Forest, Role, Totals};
    ///
    /// let mut forest = Forest::growing(3);
    /// forest.put(0, None); // a call
    /// forest.put(1, Some(0)); // its launch
    /// forest.put(2, Some(1)); // the kernel
    /// let role = |row: usize| if row == 2 { Role::Kernel(30, 50, 20) } else { Role::Call };
    /// let totals = Totals::of(&forest.grown(), role);
    /// assert_eq!((totals.height(0), totals.height(1), totals.height(2)), (2, 1, 0));
    /// assert_eq!((totals.kernels(0).count, totals.kernels(0).ns), (1, 20));
    /// ```
    pub fn of(forest: &Forest, role: impl Fn(usize) -> Role) -> Self {
        let mut totals = Self { height: vec![0; forest.len()], kernels: vec![Kernels::default(); forest.len()] };
        for row in forest.deepest_first() {
            let row = row as usize;
            match role(row) {
                // A call has at least the height 1, also without a kernel below it.
                Role::Call => totals.height[row] = totals.height[row].max(1),
                Role::Kernel(start, end, ns) => {
                    let own = Kernels { count: 1, ns, first_start: start, last_end: end };
                    totals.kernels[row].add(&own);
                }
                Role::Other => {}
            }
            if let Some(parent) = forest.parent(row) {
                let below = totals.kernels[row];
                totals.kernels[parent].add(&below);
                totals.height[parent] = totals.height[parent].max(totals.height[row] + 1);
            }
        }
        totals
    }

    /// Returns the number of levels below a row: 0 for a kernel, at least 1 for a call. 0 for a row in no tree.
    #[inline]
    pub fn height(&self, row: usize) -> u32 {
        self.height[row]
    }

    /// Returns the kernels below a row.
    #[inline]
    pub fn kernels(&self, row: usize) -> &Kernels {
        &self.kernels[row]
    }
}

/// Time of calls without that of the calls right inside them, in ns; [`nest`](super::nest) visits it.
///
/// Where a call inside ends after the one around it, only the common time is taken away, so that the times of all calls of a
/// thread add up to the time during which some call is open.
#[derive(Debug, Clone)]
pub struct SelfTimes(Vec<i64>);

impl SelfTimes {
    /// Starts with no time for so many rows.
    pub fn of(rows: usize) -> Self {
        Self(vec![0; rows])
    }

    /// Adds a step of the nesting.
    #[inline]
    pub fn visit(&mut self, step: &Step<'_>) {
        if let Step::Begins(call, around) = step {
            let own = &mut self.0[call.row as usize];
            *own = own.saturating_add(call.end.saturating_sub(call.start).max(0));
            if let Some(around) = around {
                let common = call.end.min(around.end).saturating_sub(call.start).max(0);
                let outer = &mut self.0[around.row as usize];
                *outer = outer.saturating_sub(common).max(0);
            }
        }
    }

    /// Returns the time of a row, in ns.
    #[inline]
    pub fn ns(&self, row: usize) -> i64 {
        self.0[row]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Call, Closing, nest, sort};
    use super::*;

    fn nested(calls: &[(i64, i64)]) -> (Forest, SelfTimes) {
        let mut calls: Vec<Call> = calls.iter().zip(0..).map(|(&(start, end), row)| Call { start, end, row }).collect();
        sort(&mut calls);
        let (mut forest, mut times) = (Forest::growing(calls.len()), SelfTimes::of(calls.len()));
        nest(&calls, Closing::OwnEnd, |step| {
            times.visit(&step);
            if let Step::Begins(call, around) = step {
                forest.put(call.row as usize, around.map(|around| around.row as usize));
            }
        });
        (forest.grown(), times)
    }

    #[test]
    fn self_times_add_up_to_the_open_time() {
        let (_, times) = nested(&[(0, 100), (10, 50), (20, 30), (60, 70), (200, 210)]);
        assert_eq!((0..5).map(|row| times.ns(row)).collect::<Vec<_>>(), [50, 30, 10, 10, 10]);
        // Calls that cross: 0..15 is open, and the call of 12..14 is inside the second.
        let (_, times) = nested(&[(0, 10), (5, 15), (12, 14)]);
        assert_eq!((0..3).map(|row| times.ns(row)).collect::<Vec<_>>(), [5, 8, 2]);
        // An end before the start counts as the start.
        let (_, times) = nested(&[(0, 10), (5, 3)]);
        assert_eq!((times.ns(0), times.ns(1)), (10, 0));
    }

    #[test]
    fn totals_are_of_everything_below() {
        // 0 calls 1 and 2; 3 is a kernel of 1, 4 and 5 are kernels of 2, 6 is a synchronisation of 2; 7 is in no tree.
        let mut forest = Forest::growing(8);
        for (row, parent) in
            [(0, None), (1, Some(0)), (2, Some(0)), (3, Some(1)), (4, Some(2)), (5, Some(2)), (6, Some(2))]
        {
            forest.put(row, parent);
        }
        let kernels = [(3, 40, 60), (4, 90, 95), (5, 70, 80)];
        let role = |row: usize| {
            let kernel = kernels.iter().find(|kernel| kernel.0 == row);
            kernel.map_or(if row == 6 { Role::Other } else { Role::Call }, |&(_, start, end)| {
                Role::Kernel(start, end, end - start)
            })
        };
        let totals = Totals::of(&forest.grown(), role);
        let heights: Vec<u32> = (0..8).map(|row| totals.height(row)).collect();
        assert_eq!(heights, [2, 1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(*totals.kernels(0), Kernels { count: 3, ns: 35, first_start: 40, last_end: 95 });
        assert_eq!((totals.kernels(0).span(), totals.kernels(6).count, totals.kernels(7).span()), (55, 0, 0));
    }

    #[test]
    fn deep_trees_need_no_stack() {
        let depth = 1_000_000;
        let mut forest = Forest::growing(depth);
        (0..depth).for_each(|row| forest.put(row, row.checked_sub(1)));
        let forest = forest.grown();
        let totals = Totals::of(&forest, |row| if row + 1 == depth { Role::Kernel(0, 7, 7) } else { Role::Call });
        assert_eq!((totals.height(0), totals.kernels(0).ns), (depth as u32 - 1, 7));
        assert_eq!(forest.in_order(|row| row).len(), depth);
    }
}
