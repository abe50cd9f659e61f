//! Explanations of the difference of two steps: aligned call trees, and a step's time divided exactly.

#[cfg(test)]
mod bad_input_tests;
mod certainty;
mod choice;
mod collectives;
#[cfg(test)]
mod collectives_tests;
mod columns;
mod communication;
#[cfg(test)]
mod companion_tests;
mod comparability;
mod events;
mod explanation;
mod figure;
mod gpu_rows;
mod groups;
mod json;
mod json_rows;
#[cfg(test)]
mod known_edits_tests;
mod lead;
mod modules;
#[cfg(test)]
mod modules_tests;
#[cfg(test)]
mod one_step_tests;
mod phase_choice;
mod phase_match;
#[cfg(test)]
mod phase_tests;
mod phases;
mod plan;
#[cfg(test)]
mod plan_tests;
mod present;
mod query;
mod region_class;
mod region_events;
mod region_group;
#[cfg(test)]
mod sample_tests;
mod samples;
#[cfg(test)]
mod selection_tests;
mod side_summary;
mod sides;
pub mod stacks;
mod state;
#[cfg(test)]
mod tests;
mod tree_diff;
mod waits;
mod warm_up;

pub use certainty::{Certainty, CountChange, Judged, Outlier};
pub use certainty::{LeftOut, StepShare};
pub use communication::{CommunicationChange, WaitingRow};
pub use events::EventFile;
pub use explanation::{ClassChange, Explanation, IdleChange, RegionRow, StepChange};
pub use figure::WaterfallLevel;
pub use phase_match::{MatchedBy, PhaseMatch};
pub use plan::ExplainPlan;
pub use query::Explain;
pub use side_summary::SideSummary;
pub use tree_diff::{TreeDiff, TreeKind, TreeRow};
pub use waits::HostWait;
