//! Changes that a question tries out.

use super::answer::{Sweep, WhatIf, added, diagnosis, largest};
use super::change::TimeChange;
use super::job::unless_cancelled;
use super::matched::Matched;
use super::query::CriticalPath;
use super::ranks::LoadedRank;
use super::steps::{Steps, lengths};
use crate::Result;
use crate::exec::checkpoint::guarded;
use crate::exec::context::Inherited;
use crate::exec::fork_join::run_with_helpers;
use causal::{Graph, Lag, Replay, Savings, Window};
use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

/// Factors of a sweep.
const FACTORS: [f64; 13] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0];

/// Tries the changes of a question out, each alone, then, if there are several, all together.
pub(super) fn changes(
    query: &CriticalPath,
    ranks: &[LoadedRank],
    graph: &Graph,
    windows: &[Window],
    steps: &Steps,
) -> Result<Vec<WhatIf>> {
    let matched = matched(query, ranks)?;
    let mut tried: Vec<(String, &[Matched])> =
        query.changes.iter().zip(&matched).map(|(change, of)| (change.to_string(), std::slice::from_ref(of))).collect();
    if matched.len() > 1 {
        tried.push(("all together".to_owned(), &matched));
    }
    let before_ns = steps.step(&lengths(windows));
    tried
        .into_iter()
        .map(|(change, of)| {
            let matches = Cell::new(false);
            let changed = |lag: &Lag| {
                let takes = takes(of, lag);
                matches.set(matches.get() || takes);
                if takes { factor(of, lag) } else { 1.0 }
            };
            let replays = unless_cancelled(|check| graph.replays(windows, changed, check))?;
            let after: Vec<i64> = replays.iter().map(Replay::length).collect();
            let path = replays.iter().flat_map(Replay::path);
            let shares = added(path.map(|segment| (segment.bound_by, segment.duration())));
            Ok(WhatIf {
                change,
                before_ns,
                after_ns: steps.step(&after),
                diagnosis: diagnosis(&shares),
                bound_by: largest(&shares),
                matches: matches.get(),
            })
        })
        .collect()
}

/// Tries the changes of a question out, each alone and several at once, and returns how long the step would last, in ns.
pub(super) fn lengths_after(
    query: &CriticalPath,
    ranks: &[LoadedRank],
    graph: &Graph,
    windows: &[Window],
    steps: &Steps,
) -> Result<Vec<i64>> {
    // Memory of replays that ended, for those that follow.
    let ended: Mutex<Vec<Savings<'_>>> = Mutex::default();
    let lock = || ended.lock().unwrap_or_else(PoisonError::into_inner);
    let after = |change: &TimeChange| {
        guarded(|| {
            let of = [Matched::of(change, ranks)?];
            let reused = lock().pop();
            let mut savings = reused.unwrap_or_else(|| Savings::of(graph));
            let after = unless_cancelled(|check| savings.windows(windows, |lag| factor(&of, lag), check))?;
            lock().push(savings);
            Ok(steps.step(&after))
        })
    };
    let helpers = Inherited::here().threads() - 1;
    let ((), after) = run_with_helpers(helpers, || (), query.changes.iter().collect(), after);
    after.into_iter().collect()
}

/// Tries each change out with other factors.
pub(super) fn sweeps(
    query: &CriticalPath,
    ranks: &[LoadedRank],
    graph: &Graph,
    windows: &[Window],
    steps: &Steps,
) -> Result<Vec<Sweep>> {
    if !query.sweep {
        return Ok(Vec::new());
    }
    let matched = matched(query, ranks)?;
    let mut savings = Savings::of(graph);
    let mut found = Vec::with_capacity(matched.len());
    for (change, of) in query.changes.iter().zip(&matched) {
        let mut points = Vec::with_capacity(FACTORS.len());
        for scale in FACTORS {
            let of = std::slice::from_ref(of);
            let changed = |lag: &Lag| if takes(of, lag) { scale } else { 1.0 };
            let after = unless_cancelled(|check| savings.windows(windows, changed, check))?;
            points.push((scale, steps.step(&after)));
        }
        found.push(Sweep { condition: change.condition().to_string(), points });
    }
    Ok(found)
}

fn matched(query: &CriticalPath, ranks: &[LoadedRank]) -> Result<Vec<Matched>> {
    query.changes.iter().map(|change| Matched::of(change, ranks)).collect()
}

fn takes(of: &[Matched], lag: &Lag) -> bool {
    of.iter().any(|of| of.takes(lag.rank as usize, lag.event().map(|row| row as usize), lag.bound_by))
}

fn factor(of: &[Matched], lag: &Lag) -> f64 {
    let row = lag.event().map(|row| row as usize);
    of.iter().map(|of| of.factor(lag.rank as usize, row, lag.bound_by)).product()
}
