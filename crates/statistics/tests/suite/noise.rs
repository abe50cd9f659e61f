//! Simulated recordings: noise with a factor per run, autocorrelation and a heavy tail.

use statistics::{Domain, Quantity, Random, Runs, normal_quantile};

/// How recordings are noisy.
#[derive(Clone, Copy)]
pub(crate) struct Noise {
    /// Standard deviation of an iteration inside of its run, as a share.
    pub(crate) within: f64,
    /// Correlation of consecutive iterations.
    pub(crate) lag_1: f64,
    /// Standard deviation of the factor of a run, as a share.
    pub(crate) between: f64,
    /// The share of the variance of that factor that all regions of a run have in common.
    pub(crate) common: f64,
    /// Whether iterations have the tail of Student's distribution with 3 degrees, not a normal one.
    pub(crate) heavy: bool,
}

/// What is recorded.
#[derive(Clone, Copy)]
pub(crate) struct Experiment {
    pub(crate) noise: Noise,
    pub(crate) regions: usize,
    pub(crate) runs: usize,
    pub(crate) iterations: usize,
    /// Factor of the changed region in test.
    pub(crate) effect: f64,
    /// Whether iterations are ranks of one iteration, which differ by 5 % alike on both sides.
    pub(crate) ranks: bool,
}

/// The region that changes: neither the largest nor the smallest.
pub(crate) const CHANGED: usize = 2;

/// Regions before the first one: the step and its three classes.
pub(crate) const ABOVE: usize = 4;

fn normal(random: &mut Random) -> f64 {
    normal_quantile(random.uniform().max(1e-16))
}

impl Noise {
    fn innovation(&self, random: &mut Random) -> f64 {
        let z = normal(random);
        if !self.heavy {
            return z;
        }
        let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
        // Variance 3, brought to 1.
        z / (squares / 3.0).sqrt() / 3f64.sqrt()
    }

    fn run(&self, iterations: usize, level: f64, random: &mut Random) -> Vec<f64> {
        let mut state = (0..8).fold(self.innovation(random), |state, _| self.next(state, random));
        (0..iterations)
            .map(|_| {
                state = self.next(state, random);
                (level * (1.0 + self.within * state)).max(level * 0.05)
            })
            .collect()
    }

    fn next(&self, state: f64, random: &mut Random) -> f64 {
        self.lag_1 * state + (1.0 - self.lag_1 * self.lag_1).sqrt() * self.innovation(random)
    }
}

/// The size of a region, in µs: falling from 1,000.
pub(crate) fn size(region: usize) -> f64 {
    1_000.0 / (1.0 + region as f64 / 2.0)
}

/// Records both sides: the step, three classes, the regions. The second answer is the true mean of each region of the recordings made, by
/// side: what the scope of recordings estimates.
pub(crate) fn record(experiment: &Experiment, random: &mut Random) -> (Vec<Quantity>, Vec<[f64; 2]>) {
    let mut sides: Vec<Vec<Vec<Vec<f64>>>> = Vec::new();
    let of_rank: Vec<f64> = match experiment.ranks {
        true => (0..experiment.iterations).map(|_| 1.0 + 0.05 * normal(random)).collect(),
        false => vec![1.0; experiment.iterations],
    };
    let mut truth = vec![[0.0; 2]; experiment.regions];
    for (side, factor) in [1.0, experiment.effect].into_iter().enumerate() {
        let mut regions = vec![Vec::new(); experiment.regions];
        for _ in 0..experiment.runs {
            let common = experiment.noise.between * experiment.noise.common.sqrt() * normal(random);
            for (region, runs) in regions.iter_mut().enumerate() {
                let own = experiment.noise.between * (1.0 - experiment.noise.common).sqrt() * normal(random);
                let effect = if region == CHANGED { factor } else { 1.0 };
                let level = size(region) * effect * (1.0 + common) * (1.0 + own);
                truth[region][side] += level * statistics::mean(&of_rank) / experiment.runs as f64;
                let run = experiment.noise.run(experiment.iterations, level, random);
                runs.push(run.iter().zip(&of_rank).map(|(value, factor)| value * factor).collect());
            }
        }
        sides.push(regions);
    }
    let sum = |side: usize, of: &dyn Fn(usize) -> bool| {
        let chosen: Vec<usize> = (0..experiment.regions).filter(|&region| of(region)).collect();
        let cell = |run: usize, at: usize| chosen.iter().map(|&region| sides[side][region][run][at]).sum::<f64>();
        let run = |run: usize| (0..experiment.iterations).map(|at| cell(run, at)).collect::<Vec<f64>>();
        Runs::new(&(0..experiment.runs).map(run).collect::<Vec<_>>()).unwrap()
    };
    let quantity = |parent, unchanged, of: &dyn Fn(usize) -> bool| Quantity {
        parent,
        domain: Domain::Gpu,
        unchanged,
        control: sum(0, of),
        test: sum(1, of),
    };
    let mut quantities = vec![quantity(None, false, &|_| true)];
    quantities.extend((0..3).map(|class| quantity(Some(0), false, &|region| region % 3 == class)));
    quantities.extend((0..experiment.regions).map(|at| quantity(Some(1 + at % 3), true, &|region| region == at)));
    (quantities, truth)
}
