//! The permutation test of means, and the arrangements it goes through.

use crate::numbers::error::{Error, check};
use crate::numbers::moments::mean;
use crate::numbers::random::Random;

/// Most arrangements that are gone through one by one.
const EXACT: f64 = 200_000.0;

/// The answer of a permutation test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Permutation {
    /// Mean of test − mean of control.
    pub difference: f64,
    /// Two-sided p.
    pub p: f64,
    /// Whether all arrangements were counted.
    pub exact: bool,
}

/// Tests whether two means differ, by exchanging values between the sides (Pitman, 1937). p is the share of arrangements with a
/// difference at least as large in absolute value: of all of them if they are at most 200,000, else of `draws` random ones and the real
/// one, (hits + 1) ÷ (draws + 1).
///
/// # Errors
/// [`Error::TooFew`] if a side is empty, [`Error::NotFinite`].
pub fn permutation(control: &[f64], test: &[f64], draws: usize, seed: u64) -> Result<Permutation, Error> {
    check([control, test], 1)?;
    let pooled: Vec<f64> = control.iter().chain(test).copied().collect();
    // Around their mean, sums lose fewer digits.
    let centre = mean(&pooled);
    let pooled: Vec<f64> = pooled.iter().map(|value| value - centre).collect();
    let (m, n) = (control.len(), test.len());
    let all: f64 = pooled.iter().sum();
    let distance = |sum: f64| (sum / n as f64 - (all - sum) / m as f64).abs();
    let real = distance(pooled[m..].iter().sum());
    // Arrangements with the same values may differ in the last digits of their sums.
    let bound = real - 1e-12 * pooled.iter().map(|value| value.abs()).sum::<f64>() / m.min(n) as f64;
    let difference = mean(test) - mean(control);
    if choices(m + n, n) <= EXACT {
        let (mut hits, mut count) = (0u64, 0u64);
        let mut chosen: Vec<usize> = (0..n).collect();
        loop {
            count += 1;
            hits += u64::from(distance(chosen.iter().map(|&at| pooled[at]).sum()) >= bound);
            if !advance(&mut chosen, m + n) {
                break;
            }
        }
        return Ok(Permutation { difference, p: hits as f64 / count as f64, exact: true });
    }
    let mut random = Random::new(seed);
    let mut order = pooled.clone();
    let mut hits = 1u64;
    for _ in 0..draws {
        random.shuffle(&mut order);
        hits += u64::from(distance(order[m..].iter().sum()) >= bound);
    }
    Ok(Permutation { difference, p: hits as f64 / (draws as f64 + 1.0), exact: false })
}

/// The number of sets of `size` of `all` elements.
pub(crate) fn choices(all: usize, size: usize) -> f64 {
    (1..=size.min(all - size))
        .fold(1.0, |product, i| product * (all - size.min(all - size) + i) as f64 / i as f64)
        .round()
}

/// Goes to the next set in lexical order; false after the last one.
pub(crate) fn advance(chosen: &mut [usize], all: usize) -> bool {
    let size = chosen.len();
    for at in (0..size).rev() {
        if chosen[at] < all - size + at {
            chosen[at] += 1;
            for next in at + 1..size {
                chosen[next] = chosen[next - 1] + 1;
            }
            return true;
        }
    }
    false
}
