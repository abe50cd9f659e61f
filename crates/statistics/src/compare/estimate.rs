//! Estimates and tests of one quantity.

use super::correlations::Correlation;
use super::quantity::{Options, Quantity, Runs, Scope, TestKind};
use crate::effect::paired::{paired_ratio, paired_shift};
use crate::effect::shift::{Shift, pseudo_median, ratio, shift};
use crate::many::max_t::{Matrix, max_t_pairs};
use crate::numbers::distribution::{student_outside, student_quantile};
use crate::numbers::error::Error;
use crate::numbers::moments::{mean, variance};
use crate::series::autocorrelation::effective_size;
use crate::two_sample::brunner_munzel::brunner_munzel;
use crate::two_sample::mann_whitney::{mann_whitney, p_of_correlated};
use crate::two_sample::permutation::permutation;
use crate::two_sample::signed_rank::signed_rank;
use crate::two_sample::welch::welch;

/// What the samples of one quantity say of its change.
pub(crate) struct Estimate {
    pub(crate) control: f64,
    pub(crate) test: f64,
    /// What is resampled, for the mean: iterations or means of runs.
    pub(crate) units: [Vec<f64>; 2],
    /// What is ranked: iterations or centres of runs.
    pub(crate) samples: [Vec<f64>; 2],
    /// Standard error of the difference of means, and its degrees of freedom.
    pub(crate) error: f64,
    pub(crate) degrees: f64,
    /// Standard error of the log ratio.
    pub(crate) log_error: f64,
    /// Its degrees of freedom.
    pub(crate) log_degrees: f64,
    /// The factor by which the interval of the ratio is wider with this error and these degrees, on a scale of logarithms.
    pub(crate) log_scale: f64,
    pub(crate) effective: [f64; 2],
    pub(crate) shift: Option<Shift>,
    pub(crate) ratio: Option<Shift>,
    pub(crate) superiority: Option<f64>,
    pub(crate) p: Option<f64>,
}

/// The estimates of a quantity, in the scope of the options. `correlation` is that of consecutive iterations.
pub(crate) fn estimate(quantity: &Quantity, correlation: Correlation, options: &Options) -> Result<Estimate, Error> {
    if options.paired {
        return of_pairs(quantity, options);
    }
    let sides = [&quantity.control, &quantity.test];
    let means = sides.map(|side| side.each().map(mean).collect::<Vec<f64>>());
    let (units, samples, correlation) = match options.scope {
        Scope::Program => {
            let centres = |side: &Runs| side.each().map(pseudo_median).collect::<Result<Vec<f64>, Error>>();
            let centres = [centres(sides[0])?, centres(sides[1])?];
            let is_positive = |of: &[Vec<f64>; 2]| of.iter().flatten().all(|&value| value > 0.0);
            // What runs in few iterations of a run has the centre 0 there, but a mean.
            let by_mean = !is_positive(&centres) && is_positive(&means);
            (means.clone(), if by_mean { means.clone() } else { centres }, Correlation::NONE)
        }
        Scope::Recording => {
            let values = sides.map(|side| side.values().to_vec());
            (values.clone(), values, correlation)
        }
    };
    let effective = match options.scope {
        Scope::Program => [samples[0].len() as f64, samples[1].len() as f64],
        Scope::Recording => {
            sides.map(|side| side.lengths().iter().map(|&n| effective_size(n, correlation.value)).sum())
        }
    };
    let sizes = Some(effective).filter(|_| correlation.value > 0.0);
    let enough = samples.iter().all(|side| side.len() >= 2);
    let errors = [squared_error(&units[0], effective[0]), squared_error(&units[1], effective[1])];
    let sum = errors[0] + errors[1];
    let share = |side: usize| errors[side] / sum;
    let welch = share(0).powi(2) / (effective[0] - 1.0).max(0.5) + share(1).powi(2) / (effective[1] - 1.0).max(0.5);
    // An estimated variance with ν degrees has a logarithm with the variance 2/ν. That of the correlation adds 4/((1 − ρ²) n).
    let known = (1.0 - correlation.value * correlation.value) * correlation.values / 2.0;
    let of_correlation = if correlation.value > 0.0 { 1.0 / known } else { 0.0 };
    let degrees = 1.0 / (welch + of_correlation);
    let (control, test) = (mean(&means[0]), mean(&means[1]));
    let [before, after] = [&samples[0][..], &samples[1][..]];
    let ratio = if enough { ratio(before, after, options.level, sizes).ok() } else { None };
    let degrees = if degrees.is_finite() { degrees } else { 1.0 };
    Ok(Estimate {
        control,
        test,
        error: sum.sqrt(),
        degrees,
        log_degrees: degrees,
        log_scale: 1.0,
        log_error: ratio.map_or(f64::NAN, |ratio| log_error(&ratio, effective[0] + effective[1] - 2.0)),
        effective,
        shift: if enough { Some(shift(before, after, options.level, sizes)?) } else { None },
        ratio,
        superiority: mann_whitney(before, after).ok().map(|answer| answer.superiority),
        p: if enough { p_value(before, after, sizes.map(|sizes| (sizes, known)), options)? } else { None },
        units,
        samples,
    })
}

/// The estimates of a quantity whose samples are pairs.
fn of_pairs(quantity: &Quantity, options: &Options) -> Result<Estimate, Error> {
    let (before, after) = (quantity.control.values(), quantity.test.values());
    if before.len() != after.len() {
        return Err(Error::Shape);
    }
    let differences: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
    let n = before.len() as f64;
    let ratio = if before.len() >= 2 { paired_ratio(before, after, options.level).ok() } else { None };
    let rank = signed_rank(&differences)?;
    let error = (variance(&differences) / n).sqrt();
    let p = match options.test {
        TestKind::MannWhitney | TestKind::BrunnerMunzel => Some(rank.p),
        TestKind::Welch if error > 0.0 => Some(student_outside(mean(&differences) / error, n - 1.0)),
        TestKind::Welch => None,
        TestKind::Permutation => {
            let row = [before, after].concat();
            let one = Matrix { rows: std::slice::from_ref(&row), control: before.len() };
            max_t_pairs(&one, options.seed).ok().and_then(|max_t| max_t.adjusted(&[vec![0]]).ok()?.first().copied())
        }
    };
    Ok(Estimate {
        control: mean(before),
        test: mean(after),
        error,
        degrees: (n - 1.0).max(1.0),
        log_degrees: (n - 1.0).max(1.0),
        log_scale: 1.0,
        log_error: ratio.map_or(f64::NAN, |ratio| log_error(&ratio, n - 1.0)),
        effective: [n, n],
        shift: if before.len() >= 2 { Some(paired_shift(&differences, options.level)?) } else { None },
        ratio,
        superiority: Some(rank.superiority),
        p: p.filter(|_| before.len() >= 2),
        // Resamples draw pairs: their differences are the units.
        units: [vec![0.0; before.len()], differences],
        samples: [before.to_vec(), after.to_vec()],
    })
}

/// The standard error of a log ratio, from its interval: as robust as the ratio, and with the same efficiency.
fn log_error(ratio: &Shift, degrees: f64) -> f64 {
    let student = student_quantile(0.5 + ratio.interval.level / 2.0, degrees.max(1.0));
    ratio.interval.map(f64::ln).half_width() / student
}

/// The square of the standard error of a mean of values worth `effective` independent ones. The variance of few correlated values is too
/// small by 1 − 1/effective, hence `effective` − 1.
fn squared_error(values: &[f64], effective: f64) -> f64 {
    let n = values.len() as f64;
    variance(values) * (n - 1.0) / n / (effective - 1.0).max(0.5)
}

/// The p of the chosen test; nothing if all values are equal. `correlated`: effective sizes, and the degrees that they are known by.
fn p_value(
    control: &[f64],
    test: &[f64],
    correlated: Option<([f64; 2], f64)>,
    options: &Options,
) -> Result<Option<f64>, Error> {
    if options.test == TestKind::MannWhitney {
        return Ok(Some(match correlated {
            Some((sizes, degrees)) => p_of_correlated(control, test, sizes, degrees)?,
            None => mann_whitney(control, test)?.p,
        }));
    }
    // The other tests have no form for correlated values: means of blocks take their place.
    let blocks = |values: &[f64], size: f64| {
        let length = (values.len() as f64 / size).ceil().max(1.0) as usize;
        let whole = (values.len() / length).max(1);
        values.chunks(length).take(whole).map(mean).collect::<Vec<f64>>()
    };
    let [a, b] = correlated.map(|(sizes, _)| sizes).unwrap_or([control.len() as f64, test.len() as f64]);
    let (control, test) = (blocks(control, a), blocks(test, b));
    let p = match options.test {
        TestKind::Welch => welch(&control, &test).map(|answer| answer.p),
        TestKind::BrunnerMunzel => brunner_munzel(&control, &test).map(|answer| answer.p),
        TestKind::Permutation | TestKind::MannWhitney => {
            permutation(&control, &test, options.resamples, options.seed).map(|answer| answer.p)
        }
    };
    match p {
        Ok(p) => Ok(Some(p)),
        Err(Error::NoSpread | Error::TooFew { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
