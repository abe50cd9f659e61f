//! The certainty of the changes of an explanation: intervals, q and verdicts.
//!
//! Data flows one way: samples of all ranks → one value for each iteration ([`sampling`]) → quantities in a tree, step → class → operator
//! and kernel → region ([`quantities`]) → [`statistics::compare`] → [`Certainty`].

mod answer;
mod histogram;
mod judge;
mod judged;
mod outliers;
mod quantities;
mod sampling;
mod sentence;
mod step_shares;
mod structure;
#[cfg(test)]
mod tests;

pub use answer::Certainty;
pub use judged::Judged;
pub use outliers::Outlier;
pub use step_shares::{LeftOut, StepShare};
pub use structure::CountChange;
