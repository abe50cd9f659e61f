//! Comparisons of a control and a test.

mod compare;
mod figures;
mod labeled;
mod ops_diff;
mod short_name;

pub use compare::TraceDiff;
pub use labeled::LabeledTrace;
pub use ops_diff::OpsDiff;
pub use short_name::shorten_name;
