//! The call trees of a view: the calls of its rank, and those that companions lend to the graphs that it launches.

use super::RankView;
use crate::callstack::{InsertedCalls, RankGraph};
use crate::companion::{BorrowedCall, BorrowedCalls, Lending, Partner};
use crate::domain::EventKind;
use crate::exec::checkpoint;
use crate::exec::checkpoint::cancellable;
use crate::frame::{InsertedCall, RankEvents};
use crate::{Compat, Result, Trace};
use call_tree::BelowLaunch;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Begin of the names of modules.
pub(super) const MODULE: &str = "nn.Module: ";
/// The file of PyTorch's checkpoints, in names of frames.
pub(super) const CHECKPOINT_FILE: &str = "torch/utils/checkpoint.py";

/// Memory of a row with its trees, in bytes, about: columns of the events, nesting, sums and times.
const BYTES_PER_ROW: usize = 160;

/// No row.
const NONE: u32 = u32::MAX;

/// The call trees of a view.
pub(super) struct CallTrees {
    rows: RankEvents,
    graph: RankGraph,
    borrowed: Option<BorrowedRows>,
    /// The rows of the view.
    seen: Vec<u32>,
}

/// The calls that a companion lends, as rows behind those of the rank.
struct BorrowedRows {
    calls: Arc<BorrowedCalls>,
    /// The first of their rows.
    first: u32,
    /// By row, the number of its call.
    numbers: Vec<u32>,
    /// Rows of the launches whose kernels borrow calls, ascending.
    launches: Vec<u32>,
    lending: Lending,
}

impl CallTrees {
    /// Nests the calls of a view. Below a launch of a graph are the calls of its capture, each once, with the kernels that it added to the
    /// graph; a call takes no time then. Frames of Python are left out there, but modules and those of checkpoints. With companions, trees of a
    /// rank in memory are kept until memory is wanted, since each replay of a graph has all calls of its capture.
    ///
    /// # Errors
    /// If events cannot be read any more.
    pub(super) fn of(rank: &RankView) -> Result<Arc<Self>> {
        let (rows, seen) = (rank.rank_events(), rank.rows());
        let Some(calls) = rank.borrowed_calls()? else {
            let graph = RankGraph::of(rows, seen, Compat::Exact);
            checkpoint::check()?;
            return Ok(Arc::new(Self { rows: rows.clone(), graph, borrowed: None, seen: Vec::new() }));
        };
        let make = || Self::borrowing(rank, Arc::clone(&calls));
        if rank.trace().is_stored() {
            return make().map(Arc::new);
        }
        // The trees keep the calls, so no others have their address. The rows are compared below.
        let key = format!("call trees {:p} {:x}", Arc::as_ptr(&calls), FixedState::default().hash_one(seen));
        let retained = rank.trace().derived(&key, Self::bytes, make)?;
        if retained.seen == seen { Ok(retained) } else { make().map(Arc::new) }
    }

    fn borrowing(rank: &RankView, calls: Arc<BorrowedCalls>) -> Result<Self> {
        let (rows, seen) = (rank.rank_events(), rank.rows());
        let mut is_seen = vec![false; rows.len()];
        seen.iter().for_each(|&row| is_seen[row as usize] = true);
        let lending = calls.lending(rows, |row| is_seen[row as usize]);
        let (borrowed, added, inserted) = BorrowedRows::of(rows, calls, lending, &is_seen);
        let rows = if added.is_empty() { rows.clone() } else { rows.with_calls(&added) };
        let graph = RankGraph::with_calls(&rows, seen, Compat::Exact, &inserted);
        checkpoint::check()?;
        Ok(Self { rows, graph, borrowed: Some(borrowed), seen: seen.to_vec() })
    }

    /// Returns about how much memory it takes, in bytes.
    fn bytes(&self) -> usize {
        self.rows.len() * BYTES_PER_ROW
    }

    /// Returns the events of the rank, and behind them the borrowed calls.
    pub(super) fn rows(&self) -> &RankEvents {
        &self.rows
    }

    /// Returns the trees over the rows.
    pub(super) fn graph(&self) -> &RankGraph {
        &self.graph
    }

    /// Tells whether a row is a borrowed call.
    pub(super) fn is_borrowed(&self, row: usize) -> bool {
        self.borrowed.as_ref().is_some_and(|borrowed| row >= borrowed.first as usize)
    }

    /// Returns the borrowed call of a row.
    pub(super) fn borrowed(&self, row: usize) -> Option<&BorrowedCall> {
        let borrowed = self.borrowed.as_ref()?;
        let number = *borrowed.numbers.get(row.checked_sub(borrowed.first as usize)?)?;
        borrowed.calls.calls().get(number as usize)
    }

    /// Returns the ranks of the companions that lend, by the number that their calls have.
    pub(super) fn lenders(&self) -> &[Trace] {
        self.borrowed.as_ref().map_or(&[], |borrowed| borrowed.calls.lenders())
    }

    /// Returns how many kernels of graphs of the view borrow; `None` without a companion.
    pub(super) fn lending(&self) -> Option<&Lending> {
        self.borrowed.as_ref().map(|borrowed| &borrowed.lending)
    }

    /// Returns the time of a call that launches kernels by itself; 0 for other calls.
    pub(super) fn launch_ns(&self, row: usize) -> i64 {
        let has_kernels = self.graph.kernels(row).count > 0;
        // Only GPU events are right below it, or calls that it borrows.
        let is_launch = has_kernels && (self.graph.height(row) == Some(1) || self.launches_borrowed(row));
        if is_launch { self.rows.dur(row).max(0) } else { 0 }
    }

    fn launches_borrowed(&self, row: usize) -> bool {
        let launches = self.borrowed.as_ref().map_or(&[][..], |borrowed| &borrowed.launches);
        launches.binary_search(&(row as u32)).is_ok()
    }
}

impl BorrowedRows {
    /// Makes a row of each call for each launch whose kernels borrow it.
    fn of(
        rows: &RankEvents,
        calls: Arc<BorrowedCalls>,
        lending: Lending,
        is_seen: &[bool],
    ) -> (Self, Vec<InsertedCall>, InsertedCalls) {
        let mut is_shown = rows.per_text(|name| name.starts_with(MODULE) || name.contains(CHECKPOINT_FILE));
        let mut is_needed = |call: &BorrowedCall| call.kind != EventKind::Python || is_shown(call.name);
        let kernel = |&(kernel, partner): &(u32, Partner)| {
            let Partner::Call(call) = partner else { return None };
            let launch = rows.partner(kernel as usize).filter(|_| is_seen[kernel as usize])?;
            Some((launch as u32, kernel, call))
        };
        let mut kernels: Vec<(u32, u32, u32)> = calls.kernels().iter().filter_map(kernel).collect();
        kernels.sort_unstable();
        let first = rows.len() as u32;
        let (mut added, mut numbers, mut launches) = (Vec::new(), Vec::new(), Vec::new());
        let mut inserted = InsertedCalls { first, ..InsertedCalls::default() };
        let mut below = BelowLaunch::new(calls.calls().len(), NONE);
        let around = |&call: &u32| calls.calls()[call as usize].around;
        let mut last = NONE;
        for (launch, kernel, call) in cancellable(kernels) {
            if launch != last {
                below.begin();
                last = launch;
            }
            let above = below.innermost(std::iter::successors(Some(call), around), launch, |number, around| {
                let call = &calls.calls()[number as usize];
                if !is_needed(call) {
                    return around;
                }
                added.push(InsertedCall { kind: call.kind, name: call.name, launch });
                numbers.push(number);
                inserted.above.push(around);
                first.saturating_add(added.len() as u32 - 1)
            });
            if above != launch {
                inserted.kernels.push((kernel, above));
                if launches.last() != Some(&launch) {
                    launches.push(launch);
                }
            }
        }
        (Self { calls, first, numbers, launches, lending }, added, inserted)
    }
}
