//! Change points of a series, by energy distance; the end of warm-up.

use crate::numbers::error::{Error, finite};
use crate::numbers::random::Random;

/// Random orders that a change is compared with.
const ORDERS: usize = 499;
/// Longest series that is looked at in full; of a longer one, the first values.
const LONGEST: usize = 400;
/// Largest p of a change point.
const ALPHA: f64 = 0.05;

/// A place at which a series changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// Position of the first value after the change.
    pub at: usize,
    /// Share of random orders of the series with a change as large somewhere.
    pub p: f64,
}

/// Returns the place with the largest change of distribution (E-divisive with one split; Matteson and James, 2014): the energy distance
/// 2 mean|x − y| − mean|x − x′| − mean|y − y′| of what is before and after, times mn/(m + n). p compares it with random orders of the
/// series, in blocks of `block` values so that correlated series are not called changed. Nothing for constant series.
///
/// # Errors
/// [`Error::TooFew`] with fewer than four values, [`Error::NotFinite`].
pub fn change_point(series: &[f64], block: usize, seed: u64) -> Result<Option<ChangePoint>, Error> {
    finite(series)?;
    if series.len() < 4 {
        return Err(Error::TooFew { needed: 4, have: series.len() });
    }
    let series = &series[..series.len().min(LONGEST)];
    let distances = Distances::of(series);
    let mut order: Vec<usize> = (0..series.len()).collect();
    let (at, largest) = distances.best_split(&order);
    if largest <= 0.0 || largest.is_nan() {
        return Ok(None);
    }
    let mut random = Random::new(seed);
    let mut blocks: Vec<Vec<usize>> = order.chunks(block.max(1)).map(<[usize]>::to_vec).collect();
    let mut hits = 1;
    for _ in 0..ORDERS {
        random.shuffle(&mut blocks);
        order.clear();
        order.extend(blocks.iter().flatten());
        // Slightly below the statistic, so that rounding does not exclude an order with the same split.
        hits += usize::from(distances.best_split(&order).1 >= largest * (1.0 - 1e-9));
    }
    Ok(Some(ChangePoint { at, p: hits as f64 / (ORDERS + 1) as f64 }))
}

/// Returns all change points with p ≤ 0.05, in order: the series is split at the first, and each side is looked at again. Each side has
/// at least four values.
///
/// # Errors
/// As [`change_point`].
pub fn change_points(series: &[f64], block: usize, seed: u64) -> Result<Vec<ChangePoint>, Error> {
    let mut found = Vec::new();
    let mut open = vec![(0, series.len())];
    while let Some((start, end)) = open.pop() {
        let part = &series[start..end];
        if part.len() < 4 && !found.is_empty() {
            continue;
        }
        if let Some(point) = change_point(part, block, seed)?.filter(|point| point.p <= ALPHA) {
            let at = start + point.at;
            found.push(ChangePoint { at, ..point });
            open.extend([(start, at), (at, end)].into_iter().filter(|(start, end)| end - start >= 4));
        }
    }
    found.sort_by_key(|point| point.at);
    Ok(found)
}

/// Returns how many iterations are warm-up: those before the first change point, if it is significant and in the first third of the
/// series; else 0, also for series that are too short or not finite.
pub fn warm_up(series: &[f64], seed: u64) -> usize {
    let block = block_length(series.len());
    let first = |block| change_point(series, block, seed).ok().flatten().filter(|point| point.p <= ALPHA);
    // Blocks preserve correlation within a series. With too few blocks p cannot reach 0.05: single values are permuted then.
    first(if series.len() >= 40 * block { block } else { 1 })
        .map(|point| point.at)
        .filter(|&at| at * 3 <= series.len())
        .unwrap_or(0)
}

/// The length of blocks of a series: about n^(1/3).
pub(crate) fn block_length(n: usize) -> usize {
    (n as f64).cbrt().round().max(1.0) as usize
}

/// Absolute differences of all pairs.
struct Distances {
    length: usize,
    of: Vec<f64>,
}

impl Distances {
    fn of(series: &[f64]) -> Distances {
        // In units of the spread, so that products stay finite.
        let unit = series.iter().fold(0.0, |most: f64, value| most.max((value - series[0]).abs()));
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let of = series.iter().flat_map(|a| series.iter().map(move |b| (a - b).abs() / unit)).collect();
        Distances { length: series.len(), of }
    }

    /// The best split of the values in this order: the first position after it, and its weighted energy distance.
    fn best_split(&self, order: &[usize]) -> (usize, f64) {
        let n = self.length;
        let row = |at: usize| &self.of[order[at] * n..][..n];
        // Sums of distances: inside of what is before, between, inside of what is after.
        let (mut before, mut between) = (0.0, 0.0);
        let mut after: f64 = (0..n).map(|at| order[at + 1..].iter().map(|&other| row(at)[other]).sum::<f64>()).sum();
        let mut best = (0, f64::NEG_INFINITY);
        for split in 1..n {
            let moved = row(split - 1);
            let to_before: f64 = order[..split - 1].iter().map(|&other| moved[other]).sum();
            let to_after: f64 = order[split..].iter().map(|&other| moved[other]).sum();
            before += to_before;
            after -= to_after;
            between += to_after - to_before;
            let (a, b) = (split as f64, (n - split) as f64);
            let energy = 2.0 * between / (a * b) - 2.0 * before / (a * a) - 2.0 * after / (b * b);
            let weighted = energy * a * b / (a + b);
            if weighted > best.1 {
                best = (split, weighted);
            }
        }
        best
    }
}
