//! The difference of two sets of runs: tests, intervals and verdicts on numbers alone.
//!
//! Data flows one way: numbers of two sides → tests and estimates of one quantity ([`mann_whitney`], [`shift`], [`bca`], …) →
//! corrections for many quantities ([`benjamini_hochberg`], [`max_t`], [`descend`]) and internal controls ([`Controls`]) →
//! a [`Verdict`] for each quantity of a tree ([`compare`]).
//!
//! The crate knows nothing of traces. A side of a comparison is one or more runs, a run is its iterations in order, an iteration is a
//! finite number. Differences are test − control, ratios test ÷ control. Whatever the input: an answer or an [`Error`], no panic.
//! Random numbers come from one generator ([`Random`]) and a seed, in an order that depends on nothing else, so resamples are equal on
//! every machine and with any number of threads. Only last digits may differ, where the system computes logarithms.

mod bootstrap;
mod compare;
mod effect;
mod many;
mod numbers;
mod series;
mod two_sample;

pub use bootstrap::bca::bca;
pub use bootstrap::plan::{Design, Plan};
pub use compare::answer::{Answer, Change, Comparability};
pub use compare::judge::{Judgement, Thresholds, judge, no_verdict};
pub use compare::quantity::{Domain, Options, Quantity, Runs, Scope, TestKind};
pub use compare::run::compare;
pub use compare::verdict::{FEWEST, FEWEST_PAIRS, Inconclusive, Verdict};
pub use effect::paired::{paired_ratio, paired_shift};
pub use effect::prediction::prediction;
pub use effect::shift::{Shift, pseudo_median, ratio, shift};
pub use effect::size::{needed, smallest_change};
pub use many::benjamini_hochberg::{benjamini_hochberg, simes};
pub use many::controls::{Controls, controls};
pub use many::descent::{Adjust, Descent, Opens, descend};
pub use many::max_t::{Matrix, MaxT, max_t, max_t_pairs};
pub use numbers::distribution::{normal_cdf, normal_quantile, student_cdf, student_quantile};
pub use numbers::error::Error;
pub use numbers::interval::Interval;
pub use numbers::moments::{mad, mean, median, variance};
pub use numbers::random::Random;
pub use series::autocorrelation::{autocorrelation, correlation, effective_size};
pub use series::change_point::{ChangePoint, change_point, change_points, warm_up};
pub use series::outliers::outliers;
pub use two_sample::brunner_munzel::{BrunnerMunzel, brunner_munzel};
pub use two_sample::mann_whitney::{MannWhitney, mann_whitney, mann_whitney_correlated, smallest_p};
pub use two_sample::permutation::{Permutation, permutation};
pub use two_sample::signed_rank::{SignedRank, signed_rank};
pub use two_sample::welch::{Welch, welch};
