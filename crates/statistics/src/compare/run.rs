//! The comparison itself: estimates → controls → p → q → verdicts.

use super::adjust::adjusted;
use super::answer::{Answer, Change};
use super::correlations::correlations;
use super::errors::moderate;
use super::estimate::{Estimate, estimate};
use super::judge::{Judgement, Thresholds, judge, no_verdict};
use super::mirror;
use super::noise::Noise;
use super::quantity::{Options, Quantity, Runs, Scope};
use super::verdict::{Inconclusive, Verdict};
use crate::bootstrap::bca::{bca, scale};
use crate::bootstrap::plan::{Design, Plan};
use crate::many::controls::Controls;
use crate::numbers::error::Error;
use crate::numbers::interval::Interval;
use crate::series::change_point::block_length;

/// Quantities whose resamples are in memory at once.
const TOGETHER: usize = 8;

/// Compares all quantities of two sides. With exchanged roles the answer is the mirrored one, to the last digit.
///
/// In the scope of recordings, p is the larger of that of the test over iterations, corrected for their correlation, and that of the
/// internal controls ([`crate::Controls::p`]), and verdicts are on ratios with the centre of the controls divided out: a test over
/// iterations alone calls two recordings of one program different in up to 79 % of comparisons.
///
/// # Errors
/// [`Error::TooFew`] without quantities, [`Error::Shape`] if quantities differ in their runs, a parent does not come before its child, or
/// pairs are not those of one run a side.
pub fn compare(quantities: &[Quantity], options: &Options) -> Result<Answer, Error> {
    let Some(step) = quantities.first() else { return Err(Error::TooFew { needed: 1, have: 0 }) };
    for quantity in quantities {
        if quantity.control.lengths() != step.control.lengths() || quantity.test.lengths() != step.test.lengths() {
            return Err(Error::Shape);
        }
    }
    let are_pairs = step.control.lengths().len() == 1 && step.control.lengths() == step.test.lengths();
    if options.paired && (options.scope == Scope::Program || !are_pairs) {
        return Err(Error::Shape);
    }
    // Which side draws its random numbers first is decided by the values, not by the roles.
    let key = |side: &Runs| side.values().iter().sum::<f64>() / side.values().len() as f64;
    if key(&step.control) > key(&step.test) {
        return Ok(mirror::answer(in_order(&mirror::quantities(quantities), options)?));
    }
    in_order(quantities, options)
}

fn in_order(quantities: &[Quantity], options: &Options) -> Result<Answer, Error> {
    let estimates = quantities.iter().zip(correlations(quantities));
    let estimates = estimates.map(|(one, correlation)| estimate(one, correlation, options));
    let mut estimates = estimates.collect::<Result<Vec<_>, Error>>()?;
    if options.scope == Scope::Recording {
        moderate(quantities, &mut estimates, options.level);
    }
    let noise = Noise::of(quantities, &estimates);
    let samples = estimates.first().map_or([0, 0], |first| [first.samples[0].len(), first.samples[1].len()]);
    let controls: Vec<Option<&Controls>> =
        quantities.iter().enumerate().map(|(at, quantity)| noise.of_quantity(at, quantity.domain)).collect();
    let p = estimates.iter().zip(&controls).map(|(estimate, controls)| PValues::of(*controls, estimate, options));
    let p: Vec<PValues> = p.collect();
    let (descent, max_t) = adjusted(quantities, &estimates, &p, options)?;
    let intervals = intervals(quantities, &estimates, options)?;
    let without = no_verdict(samples, noise.comparability, options.scope, options.paired);
    let has_time = |runs: &Runs| runs.values().iter().any(|&value| value != 0.0);
    let step = estimates.first().map_or(0.0, |step| step.control.abs());
    let changes = (0..quantities.len()).map(|at| {
        let estimate = &estimates[at];
        let controls = controls[at];
        let of_step = options.of_step * step / (estimate.control.abs() + estimate.test.abs()) * 2.0;
        // Runs already contain the noise between recordings: there only an excess beyond chance counts.
        let counts = |controls: &&Controls| options.scope == Scope::Recording || !controls.is_chance;
        let of_step = if of_step.is_finite() { of_step } else { 0.0 };
        let relevance = options.relevance;
        let q = descent.q[at];
        let centre = controls.filter(|_| options.scope == Scope::Recording).map_or(0.0, |controls| controls.centre);
        let sides = [&quantities[at].control, &quantities[at].test].map(has_time);
        let verdict = match (without, estimate.ratio) {
            _ if sides.contains(&false) => Verdict::Inconclusive(Inconclusive::Absent(sides)),
            (Some(why), _) => Verdict::Inconclusive(why),
            (None, None) => Verdict::Inconclusive(Inconclusive::NoRatio),
            (None, Some(ratio)) => {
                let log_ratio = ratio.interval.map(f64::ln);
                let log_ratio = match controls.filter(counts) {
                    Some(controls) => wider(log_ratio, ratio.estimate.ln(), estimate, controls),
                    None => log_ratio,
                };
                let log_ratio = log_ratio.map(|end| end - centre);
                judge(&Judgement { log_ratio, q }, &Thresholds { relevance, of_step, alpha: options.alpha })
            }
        };
        Change {
            control: estimate.control,
            test: estimate.test,
            difference: estimate.test - estimate.control,
            interval: intervals[at],
            shift: estimate.shift,
            ratio: estimate.ratio,
            superiority: estimate.superiority,
            effective: estimate.effective,
            p: Some(p[at].larger()).filter(|p| !p.is_nan()),
            p_of_samples: Some(p[at].test).filter(|p| !p.is_nan()),
            q,
            relevance: relevance.max(of_step),
            verdict,
        }
    });
    Ok(Answer {
        scope: options.scope,
        samples,
        paired: options.paired,
        seed: options.seed,
        max_t,
        changes: changes.collect(),
        gpu: noise.gpu,
        host: noise.host,
        comparability: noise.comparability,
    })
}

/// The interval of a log ratio with the variance between recordings added to that of the samples, at each end.
fn wider(interval: Interval, middle: f64, estimate: &Estimate, controls: &Controls) -> Interval {
    let end = |half: f64| {
        controls.half_width(half * estimate.log_scale, estimate.log_error, estimate.log_degrees, interval.level)
    };
    Interval { low: middle - end(middle - interval.low), high: middle + end(interval.high - middle), ..interval }
}

/// The p of a quantity.
pub(crate) struct PValues {
    /// Of the test; NaN if there is none.
    test: f64,
    /// Of the internal controls; 0 where they are not asked.
    pub(crate) controls: f64,
}

impl PValues {
    fn of(controls: Option<&Controls>, estimate: &Estimate, options: &Options) -> Self {
        let controls = controls.filter(|_| options.scope == Scope::Recording);
        let controls = match (controls, estimate.ratio) {
            (Some(controls), Some(ratio)) if estimate.log_error.is_finite() => {
                controls.p(ratio.estimate.ln(), estimate.log_error, estimate.log_degrees)
            }
            _ => 0.0,
        };
        Self { test: estimate.p.unwrap_or(f64::NAN), controls }
    }

    /// The larger one: a change must be beyond both. NaN without a test.
    pub(crate) fn larger(&self) -> f64 {
        if self.test.is_nan() { f64::NAN } else { self.test.max(self.controls) }
    }

    /// The one that is corrected for the number of quantities. The p of the controls contains the noise of the samples, so the test of ranks,
    /// which cannot be small with few samples, only has to agree.
    pub(crate) fn corrected(&self, alpha: f64) -> f64 {
        if self.controls > 0.0 && self.test <= alpha { self.controls } else { self.larger() }
    }
}

/// The interval of the mean difference of each quantity; nothing with fewer than two samples a side.
fn intervals(
    quantities: &[Quantity],
    estimates: &[Estimate],
    options: &Options,
) -> Result<Vec<Option<Interval>>, Error> {
    let (Some(first), Some(step)) = (estimates.first(), quantities.first()) else { return Ok(Vec::new()) };
    if options.intervals == 0 || first.samples.iter().any(|side| side.len() < 2) {
        return Ok(vec![None; quantities.len()]);
    }
    let lengths = [step.control.lengths(), step.test.lengths()];
    let design = match options.scope {
        _ if options.paired => Design::Pairs,
        Scope::Program => Design::TwoLevels,
        Scope::Recording => Design::Blocks(block_length(lengths.concat().into_iter().min().unwrap_or(1))),
    };
    let plan = Plan::new(lengths[0], lengths[1], design, options.resamples, options.seed)?;
    let mut intervals = Vec::with_capacity(quantities.len());
    let wanted = options.intervals.min(quantities.len());
    for (quantities, estimates) in quantities[..wanted].chunks(TOGETHER).zip(estimates.chunks(TOGETHER)) {
        let sides: Vec<[&[f64]; 2]> = quantities.iter().map(|one| [one.control.values(), one.test.values()]).collect();
        for (resamples, estimate) in plan.differences(&sides)?.iter().zip(estimates) {
            let difference = estimate.test - estimate.control;
            let scale = scale(resamples, estimate.error, estimate.degrees, options.level);
            let units = [&estimate.units[0][..], &estimate.units[1][..]];
            intervals.push(Some(bca(difference, resamples, units, options.level, scale)?));
        }
    }
    intervals.resize(quantities.len(), None);
    Ok(intervals)
}
