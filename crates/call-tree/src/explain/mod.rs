//! Division of a step's time, and the explanation of a difference.

pub(crate) mod cause;
pub(crate) mod change;
pub(crate) mod divide;
pub(crate) mod explanation;
mod hosts;
pub(crate) mod sample;
mod side;
pub(crate) mod waiting;
pub(crate) mod waits;
