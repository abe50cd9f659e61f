//! Totals by name and summaries by iteration, over all ranks.

use super::description::{IterationSummary, KernelTotal, OperatorTotal};
use super::measure::{Measured, Total};
use crate::Compat;
use crate::domain::KernelType;
use std::collections::BTreeMap;

/// The least difference between the longest and the shortest step that names a rank, in mean steps.
const LEAST_DIFFERENCE: f64 = 0.01;

/// Lists operators, the largest sum first.
pub(super) fn operators(totals: BTreeMap<String, Total>) -> Vec<OperatorTotal> {
    let row = |(name, Total { count, total_ns, longest_ns })| OperatorTotal { name, count, total_ns, longest_ns };
    largest_first(totals).into_iter().map(row).collect()
}

/// Lists kernels, copies and fills, the largest sum first.
pub(super) fn kernels(totals: BTreeMap<String, Total>, compat: Compat) -> Vec<KernelTotal> {
    let totals = largest_first(totals);
    let all: i64 = totals.iter().fold(0, |sum, (_, total)| sum.saturating_add(total.total_ns));
    let row = |(name, Total { count, total_ns, longest_ns }): (String, Total)| KernelTotal {
        kernel_type: KernelType::of(&name, compat).word(),
        percent: if all > 0 { 100.0 * total_ns as f64 / all as f64 } else { 0.0 },
        name,
        count,
        total_ns,
        longest_ns,
    };
    totals.into_iter().map(row).collect()
}

/// Sorts totals, the largest first, ties by name.
fn largest_first(totals: BTreeMap<String, Total>) -> Vec<(String, Total)> {
    let mut totals: Vec<(String, Total)> = totals.into_iter().collect();
    totals.sort_by(|one, other| (other.1.total_ns, &one.0).cmp(&(one.1.total_ns, &other.0)));
    totals
}

/// Summarizes the durations of each iteration over the ranks that have it, ascending.
pub(super) fn iterations(measured: &BTreeMap<i64, Measured>) -> Vec<IterationSummary> {
    let mut by_number: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for rank in measured.values() {
        for (&number, &(start, end)) in &rank.steps {
            by_number.entry(number).or_default().push((end.saturating_sub(start), rank.rank));
        }
    }
    let summary = |(iteration, durations): (i64, Vec<(i64, i64)>)| {
        let all = || durations.iter().map(|(duration, _)| *duration);
        let sum: i128 = all().map(i128::from).sum();
        let (shortest_ns, longest_ns) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        let mean_ns = i64::try_from(sum / durations.len().max(1) as i128).unwrap_or(i64::MAX);
        let differ = longest_ns.saturating_sub(shortest_ns) as f64 >= LEAST_DIFFERENCE * mean_ns as f64;
        let longest_on = durations.iter().find(|of| of.0 == longest_ns).filter(|_| differ && durations.len() > 1);
        IterationSummary {
            iteration,
            ranks: durations.len(),
            mean_ns,
            shortest_ns,
            longest_ns,
            longest_on: longest_on.map(|of| of.1),
        }
    };
    by_number.into_iter().map(summary).collect()
}
