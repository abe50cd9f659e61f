//! The max-T permutation test over runs, for few runs and many quantities.

use crate::numbers::error::{Error, finite};
use crate::numbers::moments::{mean, median_of};
use crate::numbers::random::Random;
use crate::two_sample::permutation::{advance, choices};

/// Most arrangements of runs: all of them, or so many random ones.
const ARRANGEMENTS: usize = 2_000;

/// Degrees of freedom that the spread of a typical quantity adds to that of each.
const PRIOR: f64 = 4.0;

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
/// s̃² = (df · s² + 4 · s₀²)/(df + 4) and s₀² is the median of s² of all quantities (after Smyth, 2004). With four or six runs a side the
/// s² of a quantity is itself so uncertain that the largest of many t is large by chance; the moderated one finds more. Whatever the
/// statistic, p is right, as it is compared with its own arrangements.
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
    let mut scratch = vec![0.0; rows.len()];
    let observed = statistics(&rows, &real, &mut scratch);
    let exact = choices(runs, test) <= ARRANGEMENTS as f64;
    let mut permuted = Vec::new();
    if exact {
        let mut chosen: Vec<usize> = (0..test).collect();
        loop {
            permuted.push(statistics(&rows, &chosen, &mut scratch));
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
            permuted.push(statistics(&rows, &order[matrix.control..], &mut scratch));
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

/// The statistic of each row if these positions are test.
fn statistics(rows: &[Vec<f64>], test: &[usize], scratch: &mut [f64]) -> Vec<f64> {
    let Some(runs) = rows.first().map(Vec::len) else { return Vec::new() };
    let n = test.len() as f64;
    let m = runs as f64 - n;
    let degrees = m + n - 2.0;
    let mut answer = Vec::with_capacity(rows.len());
    for (row, variance) in rows.iter().zip(scratch.iter_mut()) {
        let (mut all, mut squares) = (0.0, 0.0);
        for value in row {
            all += value;
            squares += value * value;
        }
        let sum: f64 = test.iter().map(|&at| row[at]).sum();
        let (test, control) = (sum / n, (all - sum) / m);
        *variance = ((squares - n * test * test - m * control * control) / degrees).max(0.0);
        answer.push((test - control).abs());
    }
    let mut variances = scratch.to_vec();
    let typical = median_of(&mut variances);
    for (statistic, variance) in answer.iter_mut().zip(scratch.iter()) {
        let moderated = (degrees * variance + PRIOR * typical) / (degrees + PRIOR);
        // Rows without spread, as counts, are as far out as can be, or not at all.
        *statistic =
            if *statistic < 1e-12 { 0.0 } else { *statistic / (moderated * (1.0 / m + 1.0 / n)).sqrt().max(1e-9) };
    }
    answer
}
