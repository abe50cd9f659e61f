//! A one-page description of a loaded trace: its contents, how busy its devices are, and its findings.

mod description;
mod detect;
mod erased;
mod facts;
mod finding;
mod measure;
mod page;
mod precedence;
mod present;
mod side_by_side;
mod summarize;

pub use description::{Description, IterationSummary, KernelTotal, OperatorTotal, RankSummary};
pub use finding::{Finding, Measure};
pub use measure::DeviceTime;
pub use page::describe;
pub(crate) use precedence::{exclusive_times, precedence};

#[cfg(test)]
mod merging_tests;
#[cfg(test)]
mod tests;
