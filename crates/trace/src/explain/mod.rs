//! Explanations of the difference of two steps: aligned call trees, and a step's time divided exactly.

mod choice;
mod events;
mod explanation;
mod figure;
mod json;
#[cfg(test)]
mod known_edits;
mod present;
mod query;
mod recordings;
#[cfg(test)]
mod sample_tests;
mod samples;
mod sides;
#[cfg(test)]
mod tests;
mod waits;

pub use events::EventFile;
pub use explanation::{ClassChange, Explanation, IdleChange, RegionRow, SideSummary, StepChange};
pub use figure::WaterfallLevel;
pub use query::Explain;
pub use waits::HostWait;
