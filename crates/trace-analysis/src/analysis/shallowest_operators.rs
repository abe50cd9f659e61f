//! The operators of a name at the smallest depth of the call stack.

use crate::Compat;
use crate::callstack::CallStacks;
use crate::frame::RankEvents;

/// The operators to analyse.
pub(super) struct Roots {
    /// Their rows.
    pub(super) rows: Vec<usize>,
    /// Number of operators of the name, at any depth.
    pub(super) matching: usize,
}

/// Selects the candidates at the smallest depth of the call stack.
pub(super) fn shallowest(rows: &RankEvents, stacks: &CallStacks, candidates: &[usize], compat: Compat) -> Roots {
    // Differs from HTA: it includes kernels and rows outside of all stacks, whose depth may be the smallest.
    let (exact, depth) = (compat == Compat::Exact, |row: usize| stacks.depth(row).map_or(-1, i64::from));
    let calls: Vec<usize> =
        candidates.iter().copied().filter(|&row| !exact || (depth(row) >= 0 && !stacks.is_kernel(row))).collect();
    let least = calls.iter().map(|&row| depth(row)).min();
    let found: Vec<usize> = calls.iter().copied().filter(|&row| Some(depth(row)) == least).collect();
    let operators = candidates.iter().filter(|&&row| rows.stream(row).is_none() && depth(row) >= 0).count();
    Roots { rows: found, matching: operators }
}
