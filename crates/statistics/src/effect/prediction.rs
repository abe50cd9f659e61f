//! The interval in which a later run is expected.

use crate::numbers::distribution::student_quantile;
use crate::numbers::error::{Error, finite};
use crate::numbers::interval::Interval;
use crate::numbers::moments::{mean, variance};

/// Returns the prediction interval for one more value: mean ± t(n − 1) · s · √(1 + 1/n). A baseline of n runs judges a later single run
/// by it.
///
/// # Errors
/// [`Error::TooFew`] with fewer than two values, [`Error::NotFinite`].
pub fn prediction(values: &[f64], level: f64) -> Result<Interval, Error> {
    finite(values)?;
    if values.len() < 2 {
        return Err(Error::TooFew { needed: 2, have: values.len() });
    }
    let n = values.len() as f64;
    let half = student_quantile(0.5 + level / 2.0, n - 1.0) * (variance(values) * (1.0 + 1.0 / n)).sqrt();
    Ok(Interval { low: mean(values) - half, high: mean(values) + half, level })
}
