//! Score of a comparison of an original with an edited copy.

use super::Edited;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Place of an event in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assignment {
    /// Number of its region.
    pub region: usize,
    /// Its duration in ns.
    pub ns: i64,
}

/// Shares of the time of the original's events that the copy still has, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Time of the events whose copy is in the same region.
    pub same: f64,
    /// Time of those in a region with at most two events of each side.
    pub narrow: f64,
}

/// Scores a comparison by the places of events, whose keys are positions in the files. An event without a place, such as one of
/// another iteration, is not scored.
///
/// With `up_to_layer`, an event of one of several equal layers may also be with its counterpart in the next layer of the original:
/// which of them was removed cannot be known.
pub fn score(
    edited: &Edited,
    original: &HashMap<u32, Assignment>,
    copy: &HashMap<u32, Assignment>,
    is_narrow: impl Fn(usize) -> bool,
    up_to_layer: bool,
) -> Score {
    let layers = edited.layers.as_ref().filter(|_| up_to_layer);
    let mut counterparts: HashMap<u32, u32> = HashMap::new();
    if let Some(layers) = layers {
        // The layers of the copy in order are those up to a gap, and those one further behind it.
        let remaining: Vec<usize> = (0..layers.work.len()).filter(|&layer| layer != layers.removed).collect();
        for (index, &layer) in remaining.iter().enumerate() {
            let other = if layer == index { index + 1 } else { index };
            if layers.work[other].len() == layers.work[layer].len() {
                counterparts.extend(layers.work[layer].iter().copied().zip(layers.work[other].iter().copied()));
            }
        }
    }
    let (mut all, mut same, mut narrow) = (0.0, 0.0, 0.0);
    for (at, origins) in edited.origins.iter().enumerate() {
        for origin in origins {
            let Some(from) = original.get(origin) else { continue };
            let region = copy.get(&(at as u32)).map(|to| to.region);
            let other = counterparts.get(origin).and_then(|other| original.get(other)).map(|other| other.region);
            all += from.ns as f64;
            if let Some(region) = region.filter(|region| *region == from.region || Some(*region) == other) {
                same += from.ns as f64;
                narrow += if is_narrow(region) { from.ns as f64 } else { 0.0 };
            }
        }
    }
    if all == 0.0 { Score { same: 1.0, narrow: 1.0 } } else { Score { same: same / all, narrow: narrow / all } }
}

/// Scores a comparison of two edited copies: the share of the time of the events that both have whose copies are in the same region. Events
/// of a group of `equal` ones are counted: as many as both copies have must share regions with each other.
pub fn score_both(
    copies: [&Edited; 2],
    regions: [&HashMap<u32, Assignment>; 2],
    equal: &HashMap<u32, usize>,
    is_narrow: impl Fn(usize) -> bool,
) -> Score {
    // Regions of the copies of each original event, by group.
    let of_groups = |side: usize| {
        let mut groups: BTreeMap<usize, BTreeMap<u32, Vec<Assignment>>> = BTreeMap::new();
        for (at, origins) in copies[side].origins.iter().enumerate() {
            for &origin in origins {
                if let Some(assignment) = regions[side].get(&(at as u32)) {
                    let group = equal.get(&origin).copied().unwrap_or(origin as usize);
                    groups.entry(group).or_default().entry(origin).or_default().push(*assignment);
                }
            }
        }
        groups
    };
    let (control, test) = (of_groups(0), of_groups(1));
    let (mut all, mut same, mut narrow) = (0.0, 0.0, 0.0);
    for (group, ours) in &control {
        let Some(theirs) = test.get(group) else { continue };
        let known: HashSet<usize> = theirs.values().flatten().map(|assignment| assignment.region).collect();
        let common = ours.len().min(theirs.len());
        let shared = |assignments: &Vec<Assignment>| {
            assignments.iter().find(|one| known.contains(&one.region)).map(|one| one.region)
        };
        let found: Vec<usize> = ours.values().filter_map(shared).take(common).collect();
        let narrow_ones = found.iter().filter(|region| is_narrow(**region)).count();
        let ns = ours.values().map(|assignments| assignments[0].ns as f64).sum::<f64>() / ours.len() as f64;
        all += ns * common as f64;
        same += ns * found.len() as f64;
        narrow += ns * narrow_ones as f64;
    }
    if all == 0.0 { Score { same: 1.0, narrow: 1.0 } } else { Score { same: same / all, narrow: narrow / all } }
}
