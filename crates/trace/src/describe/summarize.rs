//! Totals by name and summaries by iteration, over all ranks.

use super::description::{IterationSummary, KernelTotal, OperatorTotal};
use super::measure::{Measured, Total};
use crate::domain::KernelType;
use crate::frame::columns::NAME;
use crate::{Result, TraceSet};
use polars::prelude::Categorical32Type;
use std::collections::BTreeMap;

/// Sums up operators by name, the largest sum first.
///
/// # Errors
/// If polars refuses.
pub(super) fn operators(traces: &TraceSet, measured: &[Measured]) -> Result<Vec<OperatorTotal>> {
    let totals = by_name(traces, measured, |rank| &rank.operators)?;
    let row = |(name, Total { count, total_ns, longest_ns })| OperatorTotal { name, count, total_ns, longest_ns };
    Ok(totals.into_iter().map(row).collect())
}

/// Sums up kernels, copies and fills by name, the largest sum first.
///
/// # Errors
/// If polars refuses.
pub(super) fn kernels(traces: &TraceSet, measured: &[Measured]) -> Result<Vec<KernelTotal>> {
    let totals = by_name(traces, measured, |rank| &rank.kernels)?;
    let all: i64 = totals.iter().fold(0, |sum, (_, total)| sum.saturating_add(total.total_ns));
    let row = |(name, Total { count, total_ns, longest_ns }): (String, Total)| KernelTotal {
        kernel_type: KernelType::of(&name).word(),
        percent: if all > 0 { 100.0 * total_ns as f64 / all as f64 } else { 0.0 },
        name,
        count,
        total_ns,
        longest_ns,
    };
    Ok(totals.into_iter().map(row).collect())
}

/// Merges the totals of all ranks by name, the largest first, ties by name.
fn by_name(
    traces: &TraceSet,
    measured: &[Measured],
    of: fn(&Measured) -> &Vec<(u32, Total)>,
) -> Result<Vec<(String, Total)>> {
    let mut sums: BTreeMap<u32, Total> = BTreeMap::new();
    for (code, total) in measured.iter().flat_map(of) {
        sums.entry(*code).or_default().merge(*total);
    }
    // All ranks share one symbol table.
    let Some(trace) = traces.traces().first() else { return Ok(Vec::new()) };
    let events = trace.frame()?;
    let mapping = events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?.get_mapping().clone();
    let mut named: Vec<(String, Total)> = sums
        .into_iter()
        .map(|(code, total)| (mapping.cat_to_str(code).unwrap_or_default().to_owned(), total))
        .collect();
    named.sort_by(|one, other| (other.1.total_ns, &one.0).cmp(&(one.1.total_ns, &other.0)));
    Ok(named)
}

/// Summarizes the durations of each iteration over the ranks that have it, ascending.
pub(super) fn iterations(measured: &[Measured]) -> Vec<IterationSummary> {
    let mut by_number: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for rank in measured {
        for (&number, &(start, end)) in &rank.steps {
            by_number.entry(number).or_default().push((end.saturating_sub(start), rank.rank));
        }
    }
    let summary = |(iteration, durations): (i64, Vec<(i64, i64)>)| {
        let all = || durations.iter().map(|(duration, _)| *duration);
        let sum: i128 = all().map(i128::from).sum();
        let longest_ns = all().max().unwrap_or(0);
        IterationSummary {
            iteration,
            ranks: durations.len(),
            mean_ns: i64::try_from(sum / durations.len().max(1) as i128).unwrap_or(i64::MAX),
            shortest_ns: all().min().unwrap_or(0),
            longest_ns,
            slowest_rank: durations.iter().find(|of| of.0 == longest_ns).map_or(0, |of| of.1),
        }
    };
    by_number.into_iter().map(summary).collect()
}
