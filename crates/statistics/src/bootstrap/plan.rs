//! Resamples of two sides, drawn once and used for every quantity.

use crate::numbers::error::{Error, finite};
use crate::numbers::random::Random;

/// How a side is resampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// Iterations, each on its own, inside their run.
    Iterations,
    /// Blocks of so many consecutive iterations inside their run, which keep most of their correlation; a block may go over the end of
    /// its run and continue at its begin (circular block bootstrap, Politis and Romano, 1992).
    Blocks(usize),
    /// Runs, and inside every drawn run its iterations: two levels (Davison and Hinkley, 1997, section 3.8).
    TwoLevels,
    /// Iterations of control and test in pairs: each resample draws the same positions of both sides, which must be of equal length.
    Pairs,
}

/// Resamples of control and test. A resample is a weight for each iteration; the weights of a side add up to 1 and each drawn run has
/// the same share. All quantities of a comparison use the same resamples, so what adds up in the data adds up in every resample.
pub struct Plan {
    control: Side,
    test: Side,
    resamples: usize,
}

/// Weights of one side: a row for each resample.
struct Side {
    width: usize,
    weights: Vec<f64>,
}

/// Quantities that are weighed at once while a row of weights is at hand.
const TOGETHER: usize = 8;

impl Plan {
    /// Draws `resamples` resamples of runs with these numbers of iterations.
    ///
    /// # Errors
    /// [`Error::TooFew`] if a side has no run or a run no iteration, [`Error::Shape`] if pairs are of unequal shape.
    pub fn new(control: &[usize], test: &[usize], design: Design, resamples: usize, seed: u64) -> Result<Plan, Error> {
        if control.is_empty() || test.is_empty() || control.contains(&0) || test.contains(&0) {
            return Err(Error::TooFew { needed: 1, have: 0 });
        }
        if design == Design::Pairs && control != test {
            return Err(Error::Shape);
        }
        let mut random = Random::new(seed);
        if design == Design::Pairs {
            let drawn = Side::draw(control, Design::Iterations, resamples, &mut random);
            let test = Side { width: drawn.width, weights: drawn.weights.clone() };
            return Ok(Plan { control: drawn, test, resamples });
        }
        let control = Side::draw(control, design, resamples, &mut random);
        let test = Side::draw(test, design, resamples, &mut random);
        Ok(Plan { control, test, resamples })
    }

    /// Returns the difference of means, test − control, in each resample, for each quantity. A quantity is its control and its test
    /// iterations, the runs of a side one after the other.
    ///
    /// # Errors
    /// [`Error::Shape`] if a quantity has other numbers of iterations, [`Error::NotFinite`].
    pub fn differences(&self, quantities: &[[&[f64]; 2]]) -> Result<Vec<Vec<f64>>, Error> {
        for [control, test] in quantities {
            if control.len() != self.control.width || test.len() != self.test.width {
                return Err(Error::Shape);
            }
            finite(control)?;
            finite(test)?;
        }
        let mut answers = vec![Vec::with_capacity(self.resamples); quantities.len()];
        for (quantities, answers) in quantities.chunks(TOGETHER).zip(answers.chunks_mut(TOGETHER)) {
            for row in 0..self.resamples {
                for ([control, test], answer) in quantities.iter().zip(answers.iter_mut()) {
                    answer.push(self.test.mean(row, test) - self.control.mean(row, control));
                }
            }
        }
        Ok(answers)
    }
}

impl Side {
    fn draw(runs: &[usize], design: Design, resamples: usize, random: &mut Random) -> Side {
        let width: usize = runs.iter().sum();
        let mut weights = vec![0.0; width * resamples];
        let mut starts = Vec::with_capacity(runs.len());
        let mut start = 0;
        for &length in runs {
            starts.push(start);
            start += length;
        }
        let share = 1.0 / runs.len() as f64;
        for row in weights.chunks_exact_mut(width.max(1)) {
            for slot in 0..runs.len() {
                let run = if design == Design::TwoLevels { random.below(runs.len()) } else { slot };
                let of_run = &mut row[starts[run]..starts[run] + runs[run]];
                let weight = share / runs[run] as f64;
                let block = if let Design::Blocks(length) = design { length.clamp(1, runs[run]) } else { 1 };
                draw_blocks(of_run, block, weight, random);
            }
        }
        Side { width, weights }
    }

    /// The weighted mean of a quantity in one resample.
    fn mean(&self, row: usize, values: &[f64]) -> f64 {
        let weights = &self.weights[row * self.width..][..self.width];
        // Four sums, so that the processor need not wait for each addition; their order is fixed.
        let mut sums = [0.0; 4];
        let (values, last) = values.as_chunks::<4>();
        let (fours, rest) = weights.as_chunks::<4>();
        for (value, weight) in values.iter().zip(fours) {
            for lane in 0..4 {
                sums[lane] += value[lane] * weight[lane];
            }
        }
        let rest: f64 = last.iter().zip(rest).map(|(value, weight)| value * weight).sum();
        (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
    }
}

/// Draws as many iterations of a run as it has, in blocks, the last one cut off.
fn draw_blocks(run: &mut [f64], block: usize, weight: f64, random: &mut Random) {
    let length = run.len();
    let mut drawn = 0;
    while drawn < length {
        let first = random.below(length);
        for step in 0..block.min(length - drawn) {
            run[(first + step) % length] += weight;
        }
        drawn += block;
    }
}
