//! One page about a loaded trace: what it holds, how busy its devices are, and what is odd about it.

mod description;
mod detect;
mod finding;
mod measure;
mod present;
mod side_by_side;
#[cfg(test)]
mod tests;

pub use description::{Description, DeviceTime, IterationSummary, KernelTotal, OperatorTotal, RankSummary};
pub use finding::{Finding, Measure};
