//! The max-T permutation test over runs, for few runs and many quantities.

use super::moderation::Moderation;
use crate::numbers::error::{Error, finite};
use crate::numbers::moments::mean;
use crate::numbers::random::Random;
use crate::two_sample::permutation::{advance, choices};

/// Most arrangements of runs: all of them, or so many random ones.
const ARRANGEMENTS: usize = 2_000;

/// Quantities by runs: a row for each quantity, a value for each run, those of control first.
pub struct Matrix<'a> {
    /// One row per quantity, all of the same length.
    pub rows: &'a [Vec<f64>],
    /// How many values of a row belong to control.
    pub control: usize,
}

/// The statistics of all quantities in all arrangements of runs.
pub struct MaxT {
    observed: Vec<f64>,
    /// One row per arrangement.
    permuted: Vec<Vec<f64>>,
    exact: bool,
}

/// Exchanges whole runs between the sides and keeps the statistics of every quantity (Westfall and Young, 1993). All arrangements up to
/// 2,000, else 2,000 random ones, the real one included.
///
/// The statistic is a moderated t of logarithms, or of values ÷ mean of their row if one is not positive: |difference of means| ÷ √(s̃² (1/m + 1/n)), where
/// s̃² = (df · s² + d₀ · s₀²)/(df + d₀), with d₀ and s₀² estimated from the s² of all quantities (Smyth, 2004), d₀ between 4 and 40. With
/// four or six runs a side the s² of a quantity is itself so uncertain that the largest of many t is large by chance; the moderated one
/// finds more. Whatever the statistic, p is right, as it is compared with its own arrangements, each with its own prior.
///
/// # Errors
/// [`Error::TooFew`] with fewer than two runs a side or without rows, [`Error::Shape`] if rows differ in length, [`Error::NotFinite`].
pub fn max_t(matrix: &Matrix<'_>, seed: u64) -> Result<MaxT, Error> {
    let runs = matrix.rows.first().map_or(0, Vec::len);
    let test = runs.saturating_sub(matrix.control);
    let have = matrix.control.min(test);
    if have < 2 {
        return Err(Error::TooFew { needed: 2, have });
    }
    let mut rows = Vec::with_capacity(matrix.rows.len());
    for row in matrix.rows {
        if row.len() != runs {
            return Err(Error::Shape);
        }
        finite(row)?;
        rows.push(relative(row));
    }
    let real: Vec<usize> = (matrix.control..runs).collect();
    let moderated = Moderated::new((runs - 2) as f64, 1.0 / matrix.control as f64 + 1.0 / test as f64);
    let statistics = |chosen: &[usize]| exchanged(&rows, chosen, &moderated);
    let observed = statistics(&real);
    let exact = choices(runs, test) <= ARRANGEMENTS as f64;
    let mut permuted = Vec::new();
    if exact {
        let mut chosen: Vec<usize> = (0..test).collect();
        loop {
            permuted.push(statistics(&chosen));
            if !advance(&mut chosen, runs) {
                break;
            }
        }
    } else {
        permuted.push(observed.clone());
        let mut random = Random::new(seed);
        let mut order: Vec<usize> = (0..runs).collect();
        for _ in 1..ARRANGEMENTS {
            random.shuffle(&mut order);
            permuted.push(statistics(&order[matrix.control..]));
        }
    }
    Ok(MaxT { observed, permuted, exact })
}

/// Exchanges the sides of pairs instead: the same pairs of every quantity. `rows` have the pairs of control, then in the same order
/// those of test; the statistic is the moderated t of the differences of pairs. All 2ⁿ signs up to 2,000, else 2,000 random ones.
///
/// # Errors
/// As [`max_t`]; [`Error::Shape`] too if the sides of a row differ in length.
pub fn max_t_pairs(matrix: &Matrix<'_>, seed: u64) -> Result<MaxT, Error> {
    let pairs = matrix.control;
    if pairs < 2 || matrix.rows.is_empty() {
        return Err(Error::TooFew { needed: 2, have: pairs });
    }
    let mut rows = Vec::with_capacity(matrix.rows.len());
    for row in matrix.rows {
        if row.len() != 2 * pairs {
            return Err(Error::Shape);
        }
        finite(row)?;
        let scaled = relative(row);
        let (control, test) = scaled.split_at(pairs);
        rows.push(test.iter().zip(control).map(|(test, control)| test - control).collect::<Vec<f64>>());
    }
    let moderated = Moderated::new((pairs - 1) as f64, 1.0 / pairs as f64);
    let mut flipped = vec![false; pairs];
    let observed = with_signs(&rows, &flipped, &moderated);
    let mut permuted = Vec::new();
    let exact = pairs < usize::BITS as usize && 1_usize << pairs <= ARRANGEMENTS;
    if exact {
        for signs in 0..1_usize << pairs {
            flipped.iter_mut().enumerate().for_each(|(at, flip)| *flip = signs >> at & 1 == 1);
            permuted.push(with_signs(&rows, &flipped, &moderated));
        }
    } else {
        permuted.push(observed.clone());
        let mut random = Random::new(seed);
        for _ in 1..ARRANGEMENTS {
            flipped.iter_mut().for_each(|flip| *flip = random.below(2) == 1);
            permuted.push(with_signs(&rows, &flipped, &moderated));
        }
    }
    Ok(MaxT { observed, permuted, exact })
}

impl MaxT {
    /// Whether all arrangements were counted.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the adjusted p of groups of quantities, each by its largest statistic: the share of arrangements in which any group of
    /// at most its rank has a statistic as large (step-down). The probability that any unchanged group has p ≤ α is at most α.
    ///
    /// # Errors
    /// [`Error::Shape`] if a group names a quantity that is not there.
    pub fn adjusted(&self, groups: &[Vec<usize>]) -> Result<Vec<f64>, Error> {
        if groups.iter().flatten().any(|&at| at >= self.observed.len()) {
            return Err(Error::Shape);
        }
        let largest = |of: &[f64], group: &[usize]| group.iter().map(|&at| of[at]).fold(0.0, f64::max);
        let observed: Vec<f64> = groups.iter().map(|group| largest(&self.observed, group)).collect();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|&a, &b| observed[b].total_cmp(&observed[a]));
        let mut hits = vec![0usize; groups.len()];
        for permuted in &self.permuted {
            let mut most = 0.0f64;
            for &at in order.iter().rev() {
                most = most.max(largest(permuted, &groups[at]));
                // Arrangements of equal values may differ in the last digits.
                hits[at] += usize::from(most >= observed[at] * (1.0 - 1e-9));
            }
        }
        let mut adjusted = vec![1.0; groups.len()];
        let mut least = 0.0f64;
        for at in order {
            least = least.max(hits[at] as f64 / self.permuted.len() as f64);
            adjusted[at] = least;
        }
        Ok(adjusted)
    }
}

/// A row on a scale that is the same for all rows.
fn relative(row: &[f64]) -> Vec<f64> {
    if row.iter().all(|&value| value > 0.0) {
        // Around the first one, so that squares lose no digits.
        return row.iter().map(|value| (value / row[0]).ln()).collect();
    }
    let scale = mean(row);
    row.iter().map(|value| if scale == 0.0 { 0.0 } else { value / scale - 1.0 }).collect()
}

/// Turns differences of means and variances into moderated t.
struct Moderated {
    degrees: f64,
    /// The variance of a difference ÷ that of a value.
    factor: f64,
    moderation: Moderation,
}

impl Moderated {
    fn new(degrees: f64, factor: f64) -> Self {
        Self { degrees, factor, moderation: Moderation::new(degrees) }
    }

    /// The statistic of each row, from its difference and its variance.
    fn statistics(&self, differences: &[f64], variances: &[f64]) -> Vec<f64> {
        let prior = self.moderation.prior(variances);
        let statistic = |(difference, variance): (&f64, &f64)| {
            let moderated = (self.degrees * variance + prior.degrees * prior.variance) / (self.degrees + prior.degrees);
            // Rows without spread, as counts, are as far out as can be, or not at all.
            if *difference < 1e-12 { 0.0 } else { difference / (moderated * self.factor).sqrt().max(1e-9) }
        };
        differences.iter().zip(variances).map(statistic).collect()
    }
}

/// The statistic of each row if these positions are test.
fn exchanged(rows: &[Vec<f64>], test: &[usize], moderated: &Moderated) -> Vec<f64> {
    let n = test.len() as f64;
    let of_row = |row: &Vec<f64>| {
        let (mut all, mut squares) = (0.0, 0.0);
        for value in row {
            all += value;
            squares += value * value;
        }
        let m = row.len() as f64 - n;
        let sum: f64 = test.iter().map(|&at| row[at]).sum();
        let (test, control) = (sum / n, (all - sum) / m);
        let variance = ((squares - n * test * test - m * control * control) / moderated.degrees).max(0.0);
        ((test - control).abs(), variance)
    };
    let (differences, variances): (Vec<f64>, Vec<f64>) = rows.iter().map(of_row).unzip();
    moderated.statistics(&differences, &variances)
}

/// The statistic of each row of differences if those at these positions have the other sign.
fn with_signs(rows: &[Vec<f64>], flipped: &[bool], moderated: &Moderated) -> Vec<f64> {
    let of_row = |row: &Vec<f64>| {
        let n = row.len() as f64;
        let (mut all, mut squares) = (0.0, 0.0);
        for (value, flipped) in row.iter().zip(flipped) {
            all += if *flipped { -value } else { *value };
            squares += value * value;
        }
        let centre = all / n;
        (centre.abs(), ((squares - n * centre * centre) / moderated.degrees).max(0.0))
    };
    let (differences, variances): (Vec<f64>, Vec<f64>) = rows.iter().map(of_row).unzip();
    moderated.statistics(&differences, &variances)
}
