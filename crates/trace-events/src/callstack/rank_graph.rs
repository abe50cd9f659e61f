//! The call graph of a rank: call stacks with what is below each event.

use super::hta_threads::{HtaStack, hta_stacks, root_of};
use super::{CallStacks, InsertedCalls};
use crate::Compat;
use crate::domain::EventKind;
use crate::frame::RankEvents;
use call_tree::nesting::{Forest, Kernels, Role, SelfTimes, Totals};
use hta_rules::call_graph::{Above, CallGraph};
use std::collections::BTreeMap;

/// The call graph of one rank, by row.
#[derive(Debug)]
pub struct RankGraph {
    stacks: Stacks,
    totals: Totals,
    self_times: SelfTimes,
}

/// The trees of the graph.
#[derive(Debug)]
enum Stacks {
    Exact(CallStacks),
    Hta(CallGraph, Vec<HtaStack>),
}

impl RankGraph {
    /// Builds the graph of the rows in `seen`, in linear time after sorting.
    pub fn of(rows: &RankEvents, seen: &[u32], compat: Compat) -> Self {
        Self::with_calls(rows, seen, compat, &InsertedCalls::default())
    }

    /// Builds the graph as [`RankGraph::of`] does, with calls between launches and their kernels; HTA's rules know none.
    pub fn with_calls(rows: &RankEvents, seen: &[u32], compat: Compat, inserted: &InsertedCalls) -> Self {
        let mut self_times = SelfTimes::of(rows.len());
        let stacks = match compat {
            Compat::Exact => {
                Stacks::Exact(CallStacks::with_calls(rows, seen, compat, inserted, |step| self_times.visit(step)))
            }
            Compat::Hta => {
                let stacks = hta_stacks(rows, seen);
                let threads: Vec<_> = stacks.iter().map(|stack| stack.thread.clone()).collect();
                // HTA attaches nothing on stream 0, and ignores a launch at position 0.
                let launch = |&row: &u32| {
                    let on_stream = rows.stream(row as usize).is_some_and(|stream| stream > 0);
                    let launch = if on_stream { rows.partner(row as usize) } else { None };
                    launch.filter(|&launch| rows.index(launch) > 0).map(|launch| (row, launch as u32))
                };
                let graph = CallGraph::of(rows.len(), &threads, seen.iter().filter_map(launch));
                // Times of the calls themselves do not depend on HTA's rules.
                CallStacks::visited(rows, seen, Compat::Exact, |step| self_times.visit(step));
                Stacks::Hta(graph, stacks)
            }
        };
        let kinds = rows.kinds();
        let role = |row: usize| {
            let is_kernel = match &stacks {
                Stacks::Exact(stacks) => stacks.is_kernel(row),
                Stacks::Hta(..) => rows.stream(row).is_some(),
            };
            match rows.ts(row) {
                _ if !is_kernel => Role::Call,
                Some(start) if compat == Compat::Hta || kinds[row].is_device_work() => {
                    Role::Kernel(start, start.saturating_add(rows.dur(row)), rows.dur(row))
                }
                _ => Role::Other,
            }
        };
        let forest = match &stacks {
            Stacks::Exact(stacks) => stacks.forest(),
            Stacks::Hta(graph, _) => &graph.forest,
        };
        let totals = Totals::of(forest, role);
        Self { stacks, totals, self_times }
    }

    /// Returns the trees over the rows; under HTA's rules only rows that can be reached are in them.
    #[inline]
    pub fn forest(&self) -> &Forest {
        match &self.stacks {
            Stacks::Exact(stacks) => stacks.forest(),
            Stacks::Hta(graph, _) => &graph.forest,
        }
    }

    /// Returns the number of events above; `None` in no call stack.
    #[inline]
    pub fn depth(&self, row: usize) -> Option<u32> {
        match &self.stacks {
            Stacks::Exact(stacks) => stacks.depth(row),
            Stacks::Hta(graph, _) => graph.depth(row),
        }
    }

    /// Returns the levels below; `None` in no tree.
    #[inline]
    pub fn height(&self, row: usize) -> Option<u32> {
        self.forest().depth(row).map(|_| self.totals.height(row))
    }

    /// Returns the kernels below.
    #[inline]
    pub fn kernels(&self, row: usize) -> &Kernels {
        self.totals.kernels(row)
    }

    /// Returns the time of a call without the calls inside it, in ns.
    #[inline]
    pub fn self_ns(&self, row: usize) -> i64 {
        self.self_times.ns(row)
    }

    /// Whether a row is a GPU event below its launch.
    #[inline]
    pub fn is_launched(&self, rows: &RankEvents, row: usize) -> bool {
        match &self.stacks {
            Stacks::Exact(stacks) => stacks.is_kernel(row),
            Stacks::Hta(graph, _) => rows.stream(row).is_some() && graph.above(row) != Above::Nothing,
        }
    }

    /// Returns the position in the file of the event above; under HTA's rules the negative number of a thread at the top, and −1
    /// in no call stack.
    pub fn parent_index(&self, rows: &RankEvents, row: usize) -> Option<i64> {
        match &self.stacks {
            Stacks::Exact(stacks) => stacks.parent(row).map(|parent| rows.index(parent)),
            Stacks::Hta(graph, stacks) => Some(match graph.above(row) {
                Above::Row(parent) => rows.index(parent as usize),
                Above::Root(thread) => {
                    let root = graph.roots[thread as usize] as usize;
                    stacks.get(root).map_or(-1, HtaStack::root)
                }
                Above::Nothing => -1,
            }),
        }
    }

    /// Returns HTA's call stacks, each with the number of its root after the join of the backward thread; none under our rules.
    pub fn hta_stacks(&self) -> Vec<(&HtaStack, i64)> {
        let Stacks::Hta(graph, stacks) = &self.stacks else { return Vec::new() };
        let root = |thread: &u32| stacks.get(*thread as usize).map_or(-1, HtaStack::root);
        stacks.iter().zip(graph.roots.iter().map(root)).collect()
    }

    /// Whether HTA takes the root of the stack of a row for one of its marks, and leaves height and kernels out.
    pub fn is_unmeasured(&self, rows: &RankEvents, row: usize) -> bool {
        let call = if rows.stream(row).is_some() { rows.partner(row).unwrap_or(row) } else { row };
        matches!(self.stacks, Stacks::Hta(..)) && root_of(rows.thread(call).1) == -2
    }

    /// Returns the rows below, without the row itself; those side by side by `key`.
    pub fn descendants<K: Ord>(&self, row: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
        let forest = self.forest();
        // Rows that cannot be reached from a root are in no tree.
        let mut lost: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        if let (Stacks::Hta(graph, _), None) = (&self.stacks, forest.depth(row)) {
            for below in 0..forest.len() {
                match graph.above(below) {
                    Above::Row(parent) if parent as usize != below => {
                        lost.entry(parent as usize).or_default().push(below)
                    }
                    _ => {}
                }
            }
        }
        let (mut found, mut open) = (Vec::new(), vec![row]);
        while let Some(at) = open.pop() {
            if at != row {
                found.push(at);
            }
            let mut below: Vec<usize> = lost.remove(&at).unwrap_or_default();
            below.extend(forest.children(at).iter().map(|&below| below as usize));
            below.sort_by_key(|&below| key(below));
            open.extend(below.into_iter().rev().filter(|below| *below != row));
        }
        found
    }

    /// Returns the codes of the names of the operators above a row, the outermost first.
    pub fn operators_above(&self, rows: &RankEvents, row: usize) -> Vec<u32> {
        let above = self.ancestors(row).into_iter().filter(|&row| rows.kind(row) == EventKind::Operator);
        above.map(|row| rows.name(row)).collect()
    }

    /// Returns the row of the innermost operator above a row.
    pub fn operator_above(&self, rows: &RankEvents, row: usize) -> Option<usize> {
        let forest = self.forest();
        std::iter::successors(forest.parent(row), |&up| forest.parent(up))
            .find(|&up| rows.kind(up) == EventKind::Operator)
    }

    /// Returns the rows above, the outermost first.
    pub fn ancestors(&self, row: usize) -> Vec<usize> {
        let up = |&row: &usize| match &self.stacks {
            Stacks::Exact(stacks) => stacks.parent(row),
            Stacks::Hta(graph, _) => match graph.above(row) {
                Above::Row(parent) if parent as usize != row => Some(parent as usize),
                _ => None,
            },
        };
        // Under HTA's rules rows may be above each other.
        let ends = self.forest().depth(row).is_some();
        let mut found: Vec<usize> = Vec::new();
        let mut at = up(&row);
        while let Some(parent) = at.filter(|parent| ends || (*parent != row && !found.contains(parent))) {
            found.push(parent);
            at = up(&parent);
        }
        found.reverse();
        found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use trace_testkit::{Stream, TraceBuilder};

    #[test]
    fn synchronisations_are_no_kernels_except_in_hta() {
        let builder = TraceBuilder::new()
            .operator("aten::mm", 0..100)
            .runtime("cudaLaunchKernel", 3, 10..20)
            .runtime("cudaStreamSynchronize", 4, 30..90)
            .kernel("gemm", Stream(7), 40..80)
            .correlation(3)
            .complete("cuda_sync", "Stream Sync", 0, 7, 30..80)
            .arg("stream", "7")
            .correlation(4);
        let trace = TraceSet::from_bytes(builder.json()).unwrap();
        let rows = RankEvents::of(&trace.traces()[0].events(), Compat::Exact).unwrap();
        let seen: Vec<u32> = (0..rows.len() as u32).collect();
        let [exact, hta] = [Compat::Exact, Compat::Hta].map(|compat| RankGraph::of(&rows, &seen, compat));
        assert_eq!((exact.kernels(0).count, exact.kernels(0).ns, exact.self_ns(0)), (1, 40_000, 30_000));
        assert_eq!((exact.height(0), exact.depth(3)), (Some(2), Some(2)));
        assert_eq!((hta.kernels(0).count, hta.kernels(0).span()), (2, 50_000));
        assert_eq!((exact.parent_index(&rows, 0), exact.ancestors(3)), (None, vec![0, 1]));
    }
}
