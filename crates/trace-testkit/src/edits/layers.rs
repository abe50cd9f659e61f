//! Removal of one of several layers.

use super::Layers;
use super::change::remove as remove_events;
use super::event::{Event, Role};
use super::nest::Nest;
use crate::Random;
use std::collections::BTreeMap;

/// Removes one layer from every step, and returns the layers; `None` if there are fewer than three.
pub(super) fn remove(events: &mut Vec<Event>, nest: &Nest, random: &mut Random) -> Option<Layers> {
    let mut layers = of_modules(events, nest);
    if layers.is_empty() {
        layers = of_periods(events, nest);
    }
    let number = layers.iter().map(Vec::len).max().filter(|number| *number >= 3)?;
    // Steps with another number of layers keep all of them.
    layers.retain(|layers| layers.len() == number);
    let removed = random.below(number);
    let mut known = Layers { work: vec![Vec::new(); number], removed };
    let mut gone = Vec::new();
    for step in &layers {
        for (layer, roots) in step.iter().enumerate() {
            let work = roots.iter().flat_map(|&at| nest.work_below(events, at));
            known.work[layer].extend(work.flat_map(|at| events[at].origins.iter().copied()));
        }
        gone.extend(step[removed].iter().flat_map(|&at| nest.below(at)));
    }
    remove_events(events, gone);
    Some(known)
}

/// By step, the largest group of modules of one class below one call, each with its roots.
fn of_modules(events: &[Event], nest: &Nest) -> Vec<Vec<Vec<usize>>> {
    let mut groups: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    let modules = events.iter().enumerate().filter(|(_, event)| event.role == Role::Stack);
    for (at, event) in modules.filter(|(at, event)| event.name().starts_with("nn.Module: ") && nest.work[*at] > 0) {
        if let (Some(up), Some((class, _))) = (nest.parent[at], event.name().rsplit_once('_')) {
            groups.entry((up, class)).or_default().push(at);
        }
    }
    let groups: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() >= 3).collect();
    let work = |group: &[usize]| group.iter().map(|&at| nest.work[at]).sum::<usize>();
    let most = groups.iter().map(|group| work(group)).max().unwrap_or(0);
    let mut of_steps: Vec<Vec<Vec<usize>>> = groups
        .into_iter()
        .filter(|group| 2 * work(group) > most)
        .map(|mut group| {
            group.sort_by_key(|&at| events[at].start);
            group.into_iter().map(|at| vec![at]).collect()
        })
        .collect();
    of_steps.sort_by_key(|layers: &Vec<Vec<usize>>| events[layers[0][0]].start);
    of_steps
}

/// By step, the run of operators with the most work that repeats itself.
fn of_periods(events: &[Event], nest: &Nest) -> Vec<Vec<Vec<usize>>> {
    let mut steps = Vec::new();
    for units in &nest.units {
        let what = |&at: &usize| {
            let work = nest.work_below(events, at);
            (events[at].thread(), events[at].name(), work.iter().map(|&at| events[at].name()).collect::<Vec<_>>())
        };
        let signs: Vec<_> = units.iter().map(what).collect();
        // Number of operators in the run, its begin, its period.
        let mut best = (0, 0, 1);
        for period in 3..=signs.len() / 3 {
            let mut start = 0;
            for at in period..=signs.len() {
                if at < signs.len() && signs[at] == signs[at - period] {
                    continue;
                }
                let length = at - start;
                if length >= 3 * period && length > best.0 {
                    best = (length, start, period);
                }
                start = at + 1 - period;
            }
        }
        let (length, start, period) = best;
        let layer = |number: usize| units[start + number * period..][..period].to_vec();
        steps.push((0..length / period).map(layer).collect());
    }
    steps
}
