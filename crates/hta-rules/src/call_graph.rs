//! HTA's two call graphs, with their quirks.
//!
//! * A call closes whatever was opened last ([`Closing::LastOpened`]).
//! * Outermost calls of the backward thread go below the annotations of the main thread that span them. Once none is left, every later
//!   annotation takes outermost calls of its own thread, itself included: then it is its own parent, and it and everything below
//!   are in no tree.

use call_tree::nesting::{Call, Closing, Forest, Step, nest, sort};

/// The parent of a row in HTA's stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Above {
    /// Nothing: the row is in no call stack.
    Nothing,
    /// The root of the call stack with this number.
    Root(u32),
    /// Another row, or the row itself.
    Row(u32),
}

/// Role of a thread, by which HTA sorts its call stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadRole {
    /// Runs autograd's functions.
    Backward,
    /// Has the profiler's steps.
    Main,
    /// Anything else.
    Other,
}

/// The calls of a CPU thread in the order of the frame.
#[derive(Debug, Clone)]
pub struct Thread {
    /// The calls; an end may be before its start.
    pub calls: Vec<Call>,
    /// The role.
    pub role: ThreadRole,
    /// Places in `calls` of the annotations that may take the calls of the backward thread.
    pub annotations: Vec<u32>,
}

/// HTA's call graph of a rank.
#[derive(Debug)]
pub struct CallGraph {
    /// The rows that can be reached from the roots of the call stacks.
    pub forest: Forest,
    /// The root of each thread after the join: its own number, or that of the main thread.
    pub roots: Vec<u32>,
    above: Vec<Above>,
    depth: Vec<u32>,
}

/// No depth.
const NONE: u32 = u32::MAX;

impl CallGraph {
    /// Builds the graph over so many rows, from the calls of threads and from kernels with the rows of their launches.
    pub fn of(rows: usize, threads: &[Thread], kernels: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let (mut above, mut depth) = (vec![Above::Nothing; rows], vec![NONE; rows]);
        let mut outermost = Vec::with_capacity(threads.len());
        for (number, thread) in (0..).zip(threads) {
            let mut calls = thread.calls.clone();
            sort(&mut calls);
            let mut roots = Vec::new();
            let mut open = 0;
            nest(&calls, Closing::LastOpened, |step| match step {
                Step::Begins(call, around) => {
                    if around.is_none() {
                        roots.push(*call);
                    }
                    above[call.row as usize] = around.map_or(Above::Root(number), |around| Above::Row(around.row));
                    depth[call.row as usize] = open;
                    open += 1;
                }
                Step::Ends(..) => open -= 1,
            });
            outermost.push(roots);
        }
        let roots = join(threads, &outermost, &mut above);
        for (kernel, launch) in kernels {
            above[kernel as usize] = Above::Row(launch);
        }
        let forest = reached(&above);
        Self { forest, roots, above, depth }
    }

    /// Returns what is above a row.
    pub fn above(&self, row: usize) -> Above {
        self.above[row]
    }

    /// Returns the number of rows above; of a row that cannot be reached that before the join. `None` in no call stack.
    pub fn depth(&self, row: usize) -> Option<u32> {
        self.forest.depth(row).or_else(|| Some(self.depth[row]).filter(|&depth| depth != NONE))
    }
}

/// Moves outermost calls of the backward thread below annotations of the main thread; returns the root of each thread.
fn join(threads: &[Thread], outermost: &[Vec<Call>], above: &mut [Above]) -> Vec<u32> {
    let mut roots: Vec<u32> = (0..threads.len() as u32).collect();
    let mut known: Vec<usize> = (0..threads.len()).filter(|&at| threads[at].role != ThreadRole::Other).collect();
    known.sort_by_key(|&at| threads[at].role);
    let [backward, main] = known[..] else { return roots };
    let mut left = Outermost::of(&outermost[backward]);
    let calls = &threads[main].calls;
    for annotation in threads[main].annotations.iter().filter_map(|&index| calls.get(index as usize)) {
        left.take_within(annotation, |call| above[call.row as usize] = Above::Row(annotation.row));
        if left.count == 0 && roots[backward] != roots[main] {
            roots[backward] = roots[main];
            left = Outermost::of(&outermost[main]);
        }
    }
    roots
}

/// The outermost calls of a thread that no annotation has taken.
struct Outermost<'c> {
    /// By start.
    calls: &'c [Call],
    count: usize,
    /// The place of the next call that is left, with shortcuts; one behind the last is always left.
    next: Vec<u32>,
}

impl<'c> Outermost<'c> {
    fn of(calls: &'c [Call]) -> Self {
        Self { calls, count: calls.len(), next: (0..=calls.len() as u32).collect() }
    }

    /// Returns the first place from `at` whose call is left.
    fn first_left(&mut self, at: usize) -> usize {
        let mut found = at;
        while self.next[found] as usize != found {
            found = self.next[found] as usize;
        }
        let mut passed = at;
        while passed != found {
            passed = std::mem::replace(&mut self.next[passed], found as u32) as usize;
        }
        found
    }

    /// Takes the calls within the span of another one.
    fn take_within(&mut self, around: &Call, mut take: impl FnMut(&Call)) {
        let mut at = self.first_left(self.calls.partition_point(|call| call.start < around.start));
        while let Some(call) = self.calls.get(at) {
            if call.end <= around.end {
                take(call);
                self.next[at] = at as u32 + 1;
                self.count -= 1;
            } else if call.start > around.end {
                break;
            }
            at = self.first_left(at + 1);
        }
    }
}

/// Returns the forest of the rows from which parents lead to a root.
fn reached(above: &[Above]) -> Forest {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum State {
        Unknown,
        Open,
        Reached,
        Lost,
    }
    let mut state = vec![State::Unknown; above.len()];
    let mut path = Vec::new();
    for start in 0..above.len() {
        let mut row = start;
        let end = loop {
            match state[row] {
                State::Unknown => {}
                State::Open => break State::Lost,
                known => break known,
            }
            state[row] = State::Open;
            path.push(row);
            match above[row] {
                Above::Nothing => break State::Lost,
                Above::Root(_) => break State::Reached,
                Above::Row(up) => row = up as usize,
            }
        };
        path.drain(..).for_each(|row| state[row] = end);
    }
    let mut forest = Forest::growing(above.len());
    for (row, above) in above.iter().enumerate().filter(|(row, _)| state[*row] == State::Reached) {
        forest.put(row, if let Above::Row(up) = above { Some(*up as usize) } else { None });
    }
    forest.grown()
}

/// Returns parent and depth of each call of a thread by HTA's older rule, in the order of `calls`: as above, but calls without
/// length at one moment are side by side, and a negative duration is 0.
pub fn older(calls: &[Call]) -> Vec<(Option<u32>, u32)> {
    let mut starts: Vec<i64> = calls.iter().filter(|call| call.end > call.start).map(|call| call.start).collect();
    starts.sort_unstable();
    // By time; there, if something with length starts: ends, starts, calls without length; else these, then ends.
    let mut points = Vec::with_capacity(2 * calls.len());
    for (index, call) in calls.iter().enumerate() {
        let is_end = |at| starts.binary_search(&at).is_err();
        if call.end > call.start {
            points.push((call.start, 1, call.start.saturating_sub(call.end), call.row, true, index));
            points.push((call.end, if is_end(call.end) { 3 } else { 0 }, 0, call.row, false, index));
        } else {
            points.push((call.start, 2, i64::from(call.row), call.row, true, index));
            points.push((call.start, 2, i64::from(call.row), call.row, false, index));
        }
    }
    // A start before the end of its own call.
    points.sort_by_key(|&(at, class, order, row, starts, _)| (at, class, order, row, !starts));
    let mut found = vec![(None, 0); calls.len()];
    let mut open: Vec<u32> = Vec::new();
    for (.., row, starts, index) in points {
        if starts {
            found[index] = (open.last().copied(), open.len() as u32);
            open.push(row);
        } else {
            open.pop();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(calls: &[(u32, i64, i64)], role: ThreadRole, annotations: &[u32]) -> Thread {
        let calls = calls.iter().map(|&(row, start, end)| Call { start, end, row }).collect();
        Thread { calls, role, annotations: annotations.to_vec() }
    }

    #[test]
    fn crossing_calls_close_the_one_that_was_opened_last() {
        let calls = [(0, 0, 10), (1, 5, 15), (2, 12, 14)];
        let graph = CallGraph::of(5, &[thread(&calls, ThreadRole::Other, &[])], [(3, 2), (4, 4)]);
        assert_eq!(graph.above(2), Above::Row(0));
        assert_eq!((graph.depth(3), graph.forest.depth(3)), (Some(2), Some(2)));
        // A row in a circle is in no tree.
        assert_eq!((graph.above(4), graph.depth(4), graph.forest.depth(4)), (Above::Row(4), None, None));
        assert_eq!(graph.above(0), Above::Root(0));
    }

    #[test]
    fn backward_calls_go_below_the_annotations_that_span_them() {
        let main = thread(&[(0, 0, 50), (1, 50, 100), (2, 55, 60)], ThreadRole::Main, &[0, 1]);
        let other = thread(&[(6, 0, 9)], ThreadRole::Other, &[]);
        // The last call spans the end of the first step: it stays outermost, and so does the second step.
        let backward = thread(&[(3, 10, 20), (4, 12, 14), (5, 45, 55)], ThreadRole::Backward, &[]);
        let graph = CallGraph::of(7, &[main, other, backward], []);
        assert_eq!((graph.above(3), graph.above(4), graph.above(5)), (Above::Row(0), Above::Row(3), Above::Root(2)));
        assert_eq!((graph.depth(4), graph.depth(1), &graph.roots[..]), (Some(2), Some(0), &[0, 1, 2][..]));
    }

    #[test]
    fn a_later_annotation_becomes_its_own_parent() {
        let main = thread(&[(0, 0, 50), (1, 50, 100), (2, 55, 60)], ThreadRole::Main, &[0, 1]);
        let backward = thread(&[(3, 10, 20)], ThreadRole::Backward, &[]);
        let graph = CallGraph::of(5, &[main, backward], [(4, 2)]);
        assert_eq!((graph.above(1), graph.above(2), &graph.roots[..]), (Above::Row(1), Above::Row(1), &[0, 0][..]));
        assert_eq!((graph.depth(1), graph.depth(2), graph.forest.depth(2)), (Some(0), Some(1), None));
        assert_eq!((graph.depth(4), graph.forest.depth(3)), (None, Some(1)));
    }

    #[test]
    fn many_annotations_take_calls_in_linear_time() {
        let count = 200_000_u32;
        let spans = (0..count).map(|row| (row, 10 * i64::from(row), 10 * i64::from(row) + 10)).collect::<Vec<_>>();
        let main = thread(&spans, ThreadRole::Main, &(0..count).collect::<Vec<_>>());
        let within = spans.iter().map(|&(row, start, _)| (row + count, start + 2, start + 4)).collect::<Vec<_>>();
        let backward = thread(&within, ThreadRole::Backward, &[]);
        let graph = CallGraph::of(2 * count as usize, &[main, backward], []);
        assert!((0..count).all(|row| graph.above((row + count) as usize) == Above::Row(row)));
    }

    #[test]
    fn older_graph_has_empty_calls_of_a_moment_side_by_side() {
        let call = |row, start, end| Call { start, end, row };
        let calls =
            [call(0, 0, 10), call(1, 10, 10), call(2, 10, 9), call(3, 20, 30), call(4, 30, 40), call(5, 30, 30)];
        let found = older(&calls);
        assert_eq!(found, [(None, 0), (Some(0), 1), (Some(0), 1), (None, 0), (None, 0), (Some(4), 1)]);
        assert_eq!(older(&[call(7, 0, 10), call(8, 5, 15), call(9, 12, 14)])[2], (Some(7), 1));
    }
}
