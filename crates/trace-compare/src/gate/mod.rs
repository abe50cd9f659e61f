//! The gate of CI: limits on the growth of the step, its classes and regions, judged by intervals; accepted changes; what reviewers read.

mod accepted;
mod answer;
mod case;
mod judge;
mod junit;
mod limit;
mod markdown;
mod present;
mod structure;
#[cfg(test)]
mod tests;
mod to_json;

pub use accepted::{names as is_named, today};
pub use case::{Measured, judge as judge_limit};
pub(crate) use judge::left_out_classes;

pub use accepted::{ACCEPTED_FILE, Accepted};
pub use answer::{ChangedRegion, GateAnswer, Honoured};
pub use case::{Case, Outcome};
pub use judge::Gate;
pub use limit::{LIMITED_CLASSES, Limit, Limited};
pub use structure::{Structural, StructuralFact};
