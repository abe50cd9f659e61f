//! Arithmetic of answers: rounding, quantiles, robust z-scores, moments, histograms, and the rows that summarise them.

mod histogram;
mod moments;
mod numbers;
mod robust;
pub(crate) mod summary_table;
mod top_n;

pub(crate) use histogram::histogram;
pub(crate) use moments::Moments;
pub(crate) use numbers::{describe, micros, nanos, percent, quantile, rounded, total};
pub(crate) use robust::Centre;
pub(crate) use top_n::{Fold, OTHERS};
