//! Sentences on kernels: devices, short kernels and what one launch would save, occupancy, and what is not known.

use super::filled::{Filled, Grid, Missing, Row};
use super::recorded::State;
use super::replay::{CHANGES, MOST_EVENTS, Replay, Step};
use super::short::ShortKernels;
use crate::analysis::without_gpu;
use efficiency::LimitedBy;
use std::collections::{BTreeMap, BTreeSet};
use trace_view::format::{counted, grouped, list, nanoseconds as time, numbered};

/// Occupancy below this is low.
const LOW: f64 = 0.5;

/// Returns the sentences.
pub(super) fn notes(state: &State, rows: &[Row<'_>], step: Option<&Step>) -> Vec<String> {
    let mut notes = Vec::new();
    let without = state.ranks.ranks_where(|rank| rank.classes.is_empty());
    if !rows.is_empty() {
        let all = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.sums.own));
        let share = |ns: i64| 100.0 * ns as f64 / all.max(1) as f64;
        notes.push(headline(rows, all));
        notes.extend(short(state));
        notes.extend(savings(state, step));
        notes.extend(fill(rows, &share));
        notes.extend(unknown(rows, &share));
        let durations = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.sums.durations));
        if durations > all {
            let ns = time(durations - all);
            notes.push(format!(
                "Kernels overlap on their streams by {ns}: each moment counts once, for the kernel that began first."
            ));
        }
    }
    notes.extend(without_gpu(&without));
    notes
}

/// Devices, number and time of kernels.
fn headline(rows: &[Row<'_>], all: i64) -> String {
    let devices: BTreeSet<String> = rows.iter().filter_map(|row| row.of.device.words()).collect();
    let devices = if devices.is_empty() {
        "A device without recorded properties".to_owned()
    } else {
        list(&devices.into_iter().collect::<Vec<String>>())
    };
    let count: u64 = rows.iter().map(|row| row.sums.count).sum();
    let configurations = counted(rows.len(), "launch configuration");
    format!("{devices}: {} of {configurations}, {}.", counted(count as usize, "kernel"), time(all))
}

/// Number and share of short kernels.
fn short(state: &State) -> Option<String> {
    let ranks = state.ranks.0.values().filter_map(|rank| rank.short);
    ranks.reduce(ShortKernels::with).map(|short| format!("{}.", short.sentence()))
}

/// What one launch in place of runs of short kernels would save, or why that is not known.
fn savings(state: &State, step: Option<&Step>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(step) = step {
        let name = if step.annotation.is_empty() { "the recording" } else { step.annotation.as_str() };
        let each = if state.ranks.0.len() > 1 { ", each rank by itself, the slowest counts" } else { "" };
        if step.runs == 0 {
            notes.push(
                "No short kernels follow each other directly: graphs and fusion of them would save no launch."
                    .to_owned(),
            );
        } else {
            let saved = |at: usize| {
                let ns = step.before - step.after[at];
                format!("{} ({:.1} %)", time(ns), 100.0 * ns as f64 / step.before.max(1) as f64)
            };
            notes.push(format!(
                "In the whole recording, {} kernels are in {} of short kernels. By replay of {name} ({}{each}), one launch for each run would save {}, graphs {}, \
                 fused kernels {} (%what_if NAME {}).",
                grouped(step.in_runs as i64),
                counted(step.runs, "run"),
                time(step.before),
                saved(0),
                saved(1),
                saved(2),
                CHANGES[1].text,
            ));
        }
    }
    let large = state.ranks.ranks_where(|rank| rank.replay == Replay::Large);
    if !large.is_empty() {
        notes.push(format!(
            "What graphs and fusion would save is left out of {}, since a replay takes long for more than {} events: %what_if NAME {} {} \
             --rank {} shows it.",
            numbered("rank", &large),
            grouped(MOST_EVENTS as i64),
            CHANGES[1].text,
            CHANGES[2].text,
            large[0],
        ));
    }
    if state.ranks.0.values().any(|rank| rank.replay == Replay::Filtered) {
        notes.push("What graphs and fusion would save is told of whole recordings only: leave out --where.".to_owned());
    }
    notes
}

/// How much of the time kernels fill the device badly, and why.
fn fill(rows: &[Row<'_>], share: &impl Fn(i64) -> f64) -> Vec<String> {
    let known: Vec<(&Row<'_>, &Filled)> =
        rows.iter().filter_map(|row| Some((row, row.filled.as_ref().ok()?))).collect();
    let sum = |takes: &dyn Fn(&Filled) -> bool| {
        known.iter().filter(|(_, filled)| takes(filled)).map(|(row, _)| row.sums.own).sum::<i64>()
    };
    let mut notes = Vec::new();
    let is_low = |filled: &Filled| filled.theoretical.is_some_and(|theoretical| theoretical < LOW);
    let low = sum(&is_low);
    if low > 0 {
        let mut limits: BTreeMap<LimitedBy, i64> = BTreeMap::new();
        for (row, filled) in known.iter().filter(|(_, filled)| is_low(filled)) {
            for limit in &filled.limited_by {
                let limited: &mut i64 = limits.entry(*limit).or_default();
                *limited = limited.saturating_add(row.sums.own);
            }
        }
        let mut limits: Vec<(LimitedBy, i64)> = limits.into_iter().collect();
        limits.sort_by_key(|&(limit, ns)| (-ns, limit));
        // What would be written as 0.0 %.
        let is_written = |(_, ns): &&(LimitedBy, i64)| share(*ns) >= 0.05;
        let words: Vec<String> = limits
            .iter()
            .filter(is_written)
            .map(|(limit, ns)| format!("{} ({:.1} %)", limit.word(), share(*ns)))
            .collect();
        notes.push(format!(
            "Occupancy is below 50 % for {:.1} % of the time of kernels, limited by {}.",
            share(low),
            list(&words)
        ));
    }
    let small = sum(&|filled| filled.waves.is_some_and(|waves| waves < 1.0));
    if small > 0 {
        let text = "of the time of kernels is in launches of less than a wave: their grids do not fill the device.";
        notes.push(format!("{:.1} % {text}", share(small)));
    }
    let of_grid = |grid: Grid| known.iter().filter(move |(_, filled)| filled.grid == grid).count();
    let (persistent, candidates) = (of_grid(Grid::Persistent), of_grid(Grid::Candidate));
    if persistent + candidates > 0 {
        let named = if persistent == 0 {
            "none is persistent by its name".to_owned()
        } else {
            format!("{persistent} of them are persistent by their names and have no waves")
        };
        notes.push(format!(
            "Grids of {} are multiples of the multiprocessors within one wave; {named}.",
            counted(persistent + candidates, "launch configuration")
        ));
    }
    notes
}

/// What has no occupancy, with the reasons.
fn unknown(rows: &[Row<'_>], share: &impl Fn(i64) -> f64) -> Option<String> {
    let mut reasons: BTreeMap<String, i64> = BTreeMap::new();
    for row in rows {
        let reason = match &row.filled {
            Err(reason) => *reason,
            Ok(Filled { theoretical: None, .. }) => Missing::Device,
            Ok(_) => continue,
        };
        let unknown: &mut i64 = reasons.entry(reason.sentence()).or_default();
        *unknown = unknown.saturating_add(row.sums.own);
    }
    let whole = reasons.values().fold(0_i64, |sum, ns| sum.saturating_add(*ns));
    let mut reasons: Vec<(String, i64)> = reasons.into_iter().collect();
    reasons.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let words: Vec<String> = match reasons.as_slice() {
        [] => return None,
        [(reason, _)] => vec![reason.clone()],
        several => several.iter().map(|(reason, ns)| format!("{reason} ({:.1} %)", share(*ns))).collect(),
    };
    Some(format!("No occupancy for {:.1} % of the time of kernels: {}.", share(whole), words.join("; ")))
}
