//! The critical path of a recording, and the time that changes would save, by replay.
//!
//! `recording` turns frames of ranks into the input of [`causal`], whose graph and replay do the work; `solve` asks them for the path of
//! each window, `savings` what names would save, `tried` what the changes of the question would do, some
//! of them to the runs of `short_runs`; `answer`, `tables`, `present`,
//! `figure` and `json` show what they say.

mod answer;
mod borrowed;
mod bound_side;
mod change;
mod collectives;
mod edges;
mod figure;
mod hidden_waits;
mod job;
#[cfg(test)]
mod job_tests;
mod json;
mod lanes;
mod matched;
mod operators;
pub mod overlay;
mod present;
mod proposed;
mod query;
mod ranks;
mod recording;
mod replayed;
mod savings;
mod short_runs;
mod solve;
mod steps;
mod tables;
#[cfg(test)]
mod tests;
mod tried;
#[cfg(test)]
mod truth_tests;
mod windows;

pub use answer::{BoundWindow, CriticalPathAnswer, WhatIf};
pub(crate) use bound_side::BoundSide;
pub use change::{SHORT_FORMS, TimeChange};
pub use present::words;
pub use query::{CriticalPath, Instance};
pub use replayed::{Replayed, replayed};
pub use short_runs::SHORT_KERNEL_NS;
pub use solve::critical_path;
