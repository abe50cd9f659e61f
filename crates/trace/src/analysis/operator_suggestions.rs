//! Suggested operators for kernel sequences, in notes and in completion.

use super::RankView;
use super::frequent_cuda_kernel_sequences::{FrequentCudaKernelSequences, shallowest};
use crate::callstack::CallStacks;
use crate::frame::EventRows;
use crate::{Compat, Result, TraceAnalysis, TraceSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Upper bound on the names that are tried; each costs a search among all names.
const TRIED: usize = 40;

/// Returns the `most` most frequent operators that launch at least `least` kernels, each with its frequency. A name is
/// tried first, since only the shallowest of the operators whose names contain it count.
pub(super) fn suggestions(
    rows: &EventRows,
    stacks: &CallStacks,
    seen: &[u32],
    compat: Compat,
    least: usize,
    most: usize,
) -> BTreeMap<String, i64> {
    let kernels = |row: usize| stacks.below(row).into_iter().filter(|&below| stacks.is_kernel(below)).count();
    let mut is_operator = rows.per_text(|cat| matches!(cat, "cpu_op" | "Operator"));
    let mut counts: BTreeMap<u32, i64> = BTreeMap::new();
    for row in seen.iter().map(|&row| row as usize) {
        if is_operator(rows.cat(row)) && rows.stream(row).is_none() && kernels(row) >= least {
            *counts.entry(rows.name(row)).or_default() += 1;
        }
    }
    let mut named: Vec<(&str, i64)> = counts.into_iter().map(|(code, count)| (rows.text(code), count)).collect();
    named.sort_by_key(|&(name, count)| (Reverse(count), name));
    let has_sequences = |name: &str| {
        let mut is_wanted = rows.per_text(|other| other.contains(name));
        let found: Vec<usize> = seen.iter().map(|&row| row as usize).filter(|&row| is_wanted(rows.name(row))).collect();
        shallowest(rows, stacks, &found, compat).rows.into_iter().any(|row| kernels(row) >= least)
    };
    let found = named.into_iter().take(TRIED.max(most)).filter(|(name, _)| has_sequences(name));
    found.take(most).map(|(name, count)| (name.to_owned(), count)).collect()
}

impl FrequentCudaKernelSequences {
    /// Suggests values of `operator_name`, by name: the `most` most frequent operators of the first rank, in its first
    /// iteration, that launch as many kernels as the default requires.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn operators(traces: &TraceSet, most: usize) -> Result<Vec<String>> {
        let first = traces.traces().iter().take(1).cloned().collect();
        let first = TraceSet::of(traces.label(), traces.compat(), first, Vec::new());
        let mut analysis = TraceAnalysis::new(&first)?;
        if let Some(&iteration) = first.iterations().first() {
            analysis = analysis.in_iterations(iteration)?;
        }
        let Some(view) = analysis.views().first() else { return Ok(Vec::new()) };
        let rows = EventRows::of(RankView::all_events(view), view.compat())?;
        let stacks = CallStacks::of(&rows, view.rows(), view.compat());
        let least = Self::default().min_pattern_len;
        Ok(suggestions(&rows, &stacks, view.rows(), view.compat(), least, most).into_keys().collect())
    }
}
