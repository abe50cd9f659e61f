//! Arithmetic of answers: rounding, quantiles, robust z-scores, moments, histograms.

mod histogram;
mod moments;
mod numbers;
mod robust;
mod top_n;

pub use histogram::histogram;
pub use moments::Moments;
pub use numbers::{describe, micros, nanos, percent, quantile, rounded, total};
pub use robust::Centre;
pub use top_n::{Fold, OTHERS};
