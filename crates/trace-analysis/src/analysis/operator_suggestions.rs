//! Suggested operators for kernel sequences, in notes and in completion.

use super::shallowest_operators::shallowest;
use crate::Compat;
use crate::callstack::CallStacks;
use crate::domain::EventKind;
use crate::frame::RankEvents;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Upper bound on the names that are tried; each costs a search among all names.
const TRIED: usize = 40;

/// Returns the `most` most frequent operators that launch at least `least` kernels, each with its frequency. A name is
/// tried first, since only the shallowest of the operators whose names contain it count.
pub(super) fn suggestions(
    rows: &RankEvents,
    stacks: &CallStacks,
    seen: &[u32],
    compat: Compat,
    least: usize,
    most: usize,
) -> BTreeMap<String, i64> {
    let kernels = |row: usize| stacks.below(row).into_iter().filter(|&below| stacks.is_kernel(below)).count();
    let kinds = rows.kinds();
    let mut counts: BTreeMap<u32, i64> = BTreeMap::new();
    for row in seen.iter().map(|&row| row as usize) {
        if kinds[row] == EventKind::Operator && kernels(row) >= least {
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
