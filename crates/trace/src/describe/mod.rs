//! One page about a loaded trace: what it holds, how busy its devices are, and what is odd about it.

mod beside;
mod description;
mod finding;
mod measure;
mod present;
mod suspect;
#[cfg(test)]
mod tests;

pub use description::{Description, DeviceTime, IterationSummary, KernelTotal, OperatorTotal, RankSummary};
pub use finding::{Finding, Measure};
