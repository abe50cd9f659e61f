//! Wilcoxon's signed-rank test, for values in pairs.

use crate::numbers::distribution::normal_outside;
use crate::numbers::error::{Error, finite};
use crate::numbers::ranks::ranks;

/// Most pairs for which p is exact.
const EXACT: usize = 25;

/// The answer of a signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Sum of the ranks of positive differences.
    pub w: f64,
    /// Share of pairs with a positive difference, zeros counted half: "slower on 7 of 8 ranks".
    pub superiority: f64,
    /// Two-sided p: twice the smaller tail, at most 1.
    pub p: f64,
    /// Whether p comes from the distribution of all signs, not from a normal distribution.
    pub exact: bool,
}

/// Tests whether differences of pairs, test − control, tend to one side of zero (Wilcoxon, 1945). Zeros are left out. Up to 25 pairs p is
/// exact: the share of all choices of signs whose sum of midranks is as far out, counted by dynamic programming, so ties need no
/// correction. Above, W is normal with the mean n(n + 1)/4 and the variance n(n + 1)(2n + 1)/24 − Σ(t³ − t)/48, with a continuity
/// correction of ½.
///
/// # Errors
/// [`Error::TooFew`] without differences, [`Error::NotFinite`].
pub fn signed_rank(differences: &[f64]) -> Result<SignedRank, Error> {
    finite(differences)?;
    if differences.is_empty() {
        return Err(Error::TooFew { needed: 1, have: 0 });
    }
    let positive = differences.iter().filter(|&&one| one > 0.0).count() as f64;
    let zero = differences.iter().filter(|&&one| one == 0.0).count() as f64;
    let superiority = (positive + zero / 2.0) / differences.len() as f64;
    let moved: Vec<f64> = differences.iter().copied().filter(|&one| one != 0.0).collect();
    if moved.is_empty() {
        return Ok(SignedRank { w: 0.0, superiority, p: 1.0, exact: true });
    }
    let sizes: Vec<f64> = moved.iter().map(|one| one.abs()).collect();
    let ranks = ranks(&sizes, &[]);
    let of_positive = ranks.doubled.iter().zip(&moved).filter(|(_, one)| **one > 0.0);
    let doubled: u64 = of_positive.map(|(rank, _)| rank).sum();
    let (n, w) = (moved.len() as f64, doubled as f64 / 2.0);
    if moved.len() <= EXACT {
        let counts = by_sum(&ranks.doubled);
        let all: f64 = counts.iter().sum();
        let below: f64 = counts[..=doubled as usize].iter().sum();
        let above: f64 = counts[doubled as usize..].iter().sum();
        return Ok(SignedRank { w, superiority, p: (2.0 * below.min(above) / all).min(1.0), exact: true });
    }
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranks.ties / 48.0;
    let distance = ((w - n * (n + 1.0) / 4.0).abs() - 0.5).max(0.0);
    Ok(SignedRank { w, superiority, p: normal_outside(distance / variance.sqrt()).min(1.0), exact: false })
}

/// Counts the choices of items by their sum: the element s of the answer is the number of sets with sum s. Exact below 2⁵³.
fn by_sum(items: &[u64]) -> Vec<f64> {
    let mut counts = vec![0.0; items.iter().sum::<u64>() as usize + 1];
    counts[0] = 1.0;
    for &item in items {
        for sum in (item as usize..counts.len()).rev() {
            counts[sum] += counts[sum - item as usize];
        }
    }
    counts
}

/// The number of sets of the ranks 1 to n by their sum; nothing above 25.
pub(crate) fn signs_without_ties(n: usize) -> Option<Vec<f64>> {
    (n <= EXACT).then(|| by_sum(&(1..=n as u64).collect::<Vec<u64>>()))
}
