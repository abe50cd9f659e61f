//! The positions of rows and columns as text, and which of them are written.

use crate::scale::round_step;
use trace_view::format::number;
use trace_view::names::one_line;
use trace_view::{Axis, Points};

/// The most outliers that are written at an edge.
const MOST_LABELS: usize = 24;

/// Returns the text of a position; a position without one has its index.
pub(crate) fn position(points: &Points, index: usize) -> String {
    match points {
        Points::Names(names) => names.get(index).map_or_else(|| index.to_string(), |name| one_line(name)),
        Points::Numbers(numbers) => numbers.get(index).map_or_else(|| index.to_string(), |number| plain(*number)),
    }
}

/// Formats a number with as many decimals as it needs.
pub(super) fn plain(value: f64) -> String {
    number::float(value, number::decimals(std::iter::once(value)))
}

/// Tells whether positions are evenly spaced, as names always are.
pub(crate) fn evenly_spaced(points: &Points) -> bool {
    let Points::Numbers(at) = points else { return true };
    let gaps: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.iter().all(|gap| (gap - gaps[0]).abs() <= 0.01 * gaps[0].abs())
}

/// Returns the indices of evenly spaced numbers that are multiples of a round step, at least `least` positions apart; `None`
/// for other positions.
pub(super) fn round_positions(points: &Points, axis: &Axis, least: f64) -> Option<Vec<usize>> {
    let Points::Numbers(at) = points else { return None };
    let gap = at.get(1)? - at[0];
    if gap <= 0.0 || !gap.is_finite() || !evenly_spaced(points) {
        return None;
    }
    let step = round_step(gap * least);
    let step = if axis.whole { step.max(1.0) } else { step };
    // The first position of each step, so that steps that are no multiple of the gap have a tick, too.
    let step_of = |value: f64| (value / step + 1e-9).floor();
    let begins = |index: usize| match index.checked_sub(1) {
        Some(before) => step_of(at[index]) > step_of(at[before]),
        None => (at[index] - step_of(at[index]) * step).abs() < 1e-6 * step,
    };
    Some((0..at.len()).filter(|&index| begins(index)).collect())
}

/// Returns the labels of `labelled` positions: their text and the middle of the positions that it covers. Neighbours closer than
/// `least` positions share a label: `37–39`, `37, 40`.
pub(crate) fn labels(points: &Points, labelled: &[usize], least: f64) -> Vec<(f64, String)> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &index in labelled {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| ((index - last.min(&index)) as f64) < least) => {
                group.push(index);
            }
            _ => groups.push(vec![index]),
        }
    }
    groups.truncate(MOST_LABELS);
    let text = |group: &Vec<usize>| match group.as_slice() {
        [] => String::new(),
        [one] => position(points, *one),
        [one, other] => format!("{}, {}", position(points, *one), position(points, *other)),
        [first, .., last] => format!("{}–{}", position(points, *first), position(points, *last)),
    };
    let middle = |group: &Vec<usize>| group.iter().sum::<usize>() as f64 / group.len().max(1) as f64;
    groups.iter().map(|group| (middle(group), text(group))).collect()
}
