//! Detection of findings, from metadata and measurements.

use super::facts::Facts;
use super::finding::{Finding, Measure};
use super::measure::Measured;
use crate::dataset::{MOST_RANKS, world_size};
use crate::{Compat, RankInfo};
use std::collections::{BTreeMap, BTreeSet};

/// Measurements by rank.
type Ranks = BTreeMap<i64, Measured>;

/// The share of missing launches that is reported. A few kernels of any trace were launched before the recording started.
const MISSING_SHARE: f64 = 0.01;

/// Returns all findings, the worst first: missing data, then doubtful data.
pub(super) fn findings(facts: &Facts<'_>, measured: &Ranks) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        facts.warnings.iter().map(|warning| Finding::Loading { warning: warning.clone() }).collect();
    let info = facts.ranks;
    found.extend(missing_ranks(info));
    if info.iter().all(|info| info.iterations.is_empty()) {
        found.push(Finding::NoSteps { calls: facts.calls.clone() });
    }
    let ranks_where = |condition: fn(&Measured) -> bool| -> Vec<i64> {
        measured.values().filter(|rank| condition(rank)).map(|rank| rank.rank).collect()
    };
    let ranks = ranks_where(|rank| rank.work == 0);
    if !ranks.is_empty() {
        found.push(Finding::NoDeviceWork { ranks });
    }
    let ranks = ranks_where(|rank| rank.operators == 0);
    if !ranks.is_empty() {
        found.push(Finding::NoOperators { ranks });
    }
    found.extend(measured.values().filter_map(missing_correlation));
    found.extend(missing_iterations(measured));
    found.extend(measured.values().filter_map(last_step_cut));
    if facts.compat == Compat::Exact {
        let negative = measured.values().filter(|rank| rank.negative > 0);
        found.extend(negative.map(|rank| Finding::NegativeDurations { rank: rank.rank, count: rank.negative }));
    }
    found.extend(clock_skew(measured));
    found.extend(unlike(info, Measure::Events, |info| info.events as u64));
    found.extend(unlike(info, Measure::Streams, |info| info.streams.len() as u64));
    found
}

fn missing_ranks(info: &[&RankInfo]) -> Option<Finding> {
    let world_size = world_size(info);
    let ranks: BTreeSet<i64> = info.iter().map(|info| info.rank).collect();
    let expected = match (world_size, ranks.first(), ranks.last()) {
        (Some(size), ..) => 0..size,
        (None, Some(&first), Some(&last)) if last.saturating_sub(first) <= MOST_RANKS => first..last,
        _ => 0..0,
    };
    let missing: Vec<i64> = expected.filter(|rank| !ranks.contains(rank)).collect();
    (!missing.is_empty()).then_some(Finding::MissingRanks { missing, world_size })
}

fn missing_correlation(rank: &Measured) -> Option<Finding> {
    let share = rank.unlaunched as f64 / rank.work.max(1) as f64;
    let Measured { rank, unlaunched, work, .. } = *rank;
    (share >= MISSING_SHARE).then_some(Finding::MissingCorrelation { rank, unlaunched, work })
}

fn missing_iterations(measured: &Ranks) -> Vec<Finding> {
    let all: BTreeSet<i64> = measured.values().flat_map(|rank| rank.steps.keys().copied()).collect();
    let lacks = |rank: &Measured| {
        let missing: Vec<i64> = all.iter().copied().filter(|number| !rank.steps.contains_key(number)).collect();
        (!missing.is_empty()).then_some(Finding::MissingIterations { rank: rank.rank, missing })
    };
    measured.values().filter_map(lacks).collect()
}

/// Compares the last step with the earlier ones by device work, or by operators if there is none.
fn last_step_cut(rank: &Measured) -> Option<Finding> {
    let counts = if rank.work > 0 { &rank.work_in } else { &rank.operators_in };
    let count = |number: &i64| counts.get(number).copied().unwrap_or(0);
    let (&iteration, _) = rank.steps.last_key_value()?;
    let earlier: Vec<u64> = rank.steps.keys().filter(|number| **number != iteration).map(count).collect();
    let (usual, events) = (median(earlier)?, count(&iteration));
    (2 * events < usual).then_some(Finding::LastStepCut { rank: rank.rank, iteration, events, usual })
}

/// Finds ranks whose steps start more than half a step from those of the other ranks.
fn clock_skew(measured: &Ranks) -> Vec<Finding> {
    let mut starts: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (&number, &(start, _)) in measured.values().flat_map(|rank| &rank.steps) {
        starts.entry(number).or_default().push(start);
    }
    let usual: BTreeMap<i64, i64> = starts
        .into_iter()
        .filter(|(_, starts)| starts.len() > 1)
        .filter_map(|(number, starts)| Some((number, median(starts)?)))
        .collect();
    let steps = measured.values().flat_map(|rank| rank.steps.values());
    let Some(step_ns) = median(steps.map(|(start, end)| end.saturating_sub(*start)).collect()) else {
        return Vec::new();
    };
    let skewed = |rank: &Measured| {
        let later =
            rank.steps.iter().filter_map(|(number, (start, _))| Some(start.saturating_sub(*usual.get(number)?)));
        let later_ns = median(later.collect())?;
        let far = later_ns.saturating_abs() > step_ns / 2;
        far.then_some(Finding::ClockSkew { rank: rank.rank, later_ns, step_ns })
    };
    measured.values().filter_map(skewed).collect()
}

fn unlike(info: &[&RankInfo], measure: Measure, of: fn(&RankInfo) -> u64) -> Vec<Finding> {
    let Some(median) = median(info.iter().map(|info| of(info)).collect()) else { return Vec::new() };
    let unlike = |info: &&&RankInfo| of(info) > 2 * median || 2 * of(info) < median;
    let finding = |info: &&RankInfo| Finding::UnlikeRank { rank: info.rank, measure, value: of(info), median };
    info.iter().filter(unlike).map(finding).collect()
}

/// Returns the median; of an even number of values the lower one, so that it is one of them.
fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}
