//! Comparisons of a control and a test.

mod change;
mod compare;
mod comparison;
mod figures;
mod labeled;
mod ops_diff;
mod short_name;

pub use change::Change;
pub use compare::TraceDiff;
pub use comparison::Comparison;
pub use labeled::LabeledTrace;
pub use ops_diff::OpsDiff;
pub use short_name::shorten_name;
